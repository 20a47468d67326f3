#include "daemon/cell/boards_on_way.h"

#include <algorithm>
#include <utility>

namespace datum {

const BoardOrder* BoardsOnWay::oldest() const {
  const auto found =
      std::find_if(boards_.begin(), boards_.end(), [](const auto& board) { return !board->aborted; });
  return found == boards_.end() ? nullptr : found->get();
}

std::shared_ptr<BoardOrder> BoardsOnWay::newest() const {
  const auto found =
      std::find_if(boards_.rbegin(), boards_.rend(), [](const auto& board) { return !board->aborted; });
  return found == boards_.rend() ? nullptr : *found;
}

bool BoardsOnWay::has(const BoardOrder& board) const {
  return std::any_of(boards_.begin(), boards_.end(),
                     [&](const auto& other) { return other.get() == &board; });
}

bool BoardsOnWay::shows(const FrameIdentity& frame) const {
  return std::any_of(boards_.begin(), boards_.end(),
                     [&](const auto& board) { return board->frame && board->frame->identity == frame; });
}

void BoardsOnWay::begin(const std::shared_ptr<BoardOrder>& board) {
  boards_.push_back(board);
  // At the daemon's end the threads may outlive the cell, but neither the store nor each other.
  deps_.threads.worker.submit(
      [this, board, utc_ns = deps_.utc_ns, queue = queue_, &storer = deps_.threads.storer,
       &store = deps_.writer] {
        measure(*board, utc_ns());
        queue->push(board);
        storer.submit([queue, &store] { queue->commit(store); }, [this] { finish_stored(); });
      },
      [this, board] { deps_.measured(board); });
}

void BoardsOnWay::finish_stored() {
  for (const auto& board : queue_->take_finished()) deps_.finished(board);
}

bool BoardsOnWay::keep_unfinished(const std::shared_ptr<BoardOrder>& board) {
  const auto later = std::find_if(unfinished_.begin(), unfinished_.end(),
                                  [&](const auto& other) { return other->number > board->number; });
  unfinished_.insert(later, board);
  return !std::exchange(halted_, true);
}

std::shared_ptr<BoardOrder> BoardsOnWay::next_unfinished() {
  if (halted_ && !boards_.empty()) return nullptr;
  if (std::exchange(halted_, false)) queue_->resume();
  std::shared_ptr<BoardOrder> board = std::move(unfinished_.front());
  unfinished_.pop_front();
  board->store_error.clear();
  board->store_error_kind.reset();
  return board;
}

}  // namespace datum
