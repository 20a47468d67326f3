#include "daemon/cell/store_queue.h"

#include <utility>

namespace datum {

void StoreQueue::commit(ResultStore& store) {
  std::deque<std::shared_ptr<BoardOrder>> boards;
  bool halted = false;
  {
    const std::lock_guard lock(mutex_);
    boards.swap(waiting_);
    halted = halted_;
  }
  std::vector<BoardOrder*> group;
  for (const auto& board : boards) {
    if (board->aborted) continue;
    halted = halted || !board->store_error.empty();
    if (halted && board->store_error.empty())
      board->store_error = "the result of a board before it is not stored";
    if (!halted) group.push_back(board.get());
  }
  if (!store_results(group, store)) halted = true;
  const std::lock_guard lock(mutex_);
  halted_ = halted_ || halted;
  finished_.insert(finished_.end(), boards.begin(), boards.end());
}

std::vector<std::shared_ptr<BoardOrder>> StoreQueue::take_finished() {
  const std::lock_guard lock(mutex_);
  std::vector<std::shared_ptr<BoardOrder>> boards(finished_.begin(), finished_.end());
  finished_.clear();
  return boards;
}

}  // namespace datum
