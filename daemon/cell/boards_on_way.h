// BoardsOnWay: boards from their conclusion to the disk, in their order: each is measured, then stored, and the next one may be
// measured while it is stored.
//
// Boards whose results could not be stored are kept, with all that come behind them, until the cell is armed again: results keep
// their order. On the loop's thread; measuring and storing have threads of their own.
#pragma once

#include <deque>
#include <functional>
#include <memory>

#include "daemon/cell/board.h"
#include "daemon/cell/board_threads.h"
#include "daemon/cell/store_queue.h"

namespace datum {

struct BoardsOnWayDependencies {
  BoardThreads& threads;
  ResultStore& writer;                   // used on the storer's thread only
  std::function<std::int64_t()> utc_ns;  // since 1970-01-01
  /// The board's verdict is known; the next one may be measured.
  std::function<void(const std::shared_ptr<BoardOrder>&)> measured;
  /// The board, the oldest on the way, is stored, aborted, or has its store_error. The call ends with end_oldest().
  std::function<void(const std::shared_ptr<BoardOrder>&)> finished;
};

class BoardsOnWay {
 public:
  explicit BoardsOnWay(BoardsOnWayDependencies dependencies) : deps_(std::move(dependencies)) {}

  bool empty() const { return boards_.empty(); }
  bool full() const { return boards_.size() >= most; }
  const std::deque<std::shared_ptr<BoardOrder>>& boards() const { return boards_; }
  /// Of those that were not aborted; null: there is none.
  const BoardOrder* oldest() const;
  std::shared_ptr<BoardOrder> newest() const;
  bool has(const BoardOrder& board) const;
  bool shows(const FrameIdentity& frame) const;

  /// Has it measured and stored.
  void begin(const std::shared_ptr<BoardOrder>& board);

  void end_oldest() { boards_.pop_front(); }
  /// Keeps a board whose result is not stored, in the order of their beginning. True: it is the first one.
  bool keep_unfinished(const std::shared_ptr<BoardOrder>& board);
  bool has_unfinished() const { return !unfinished_.empty(); }
  /// The oldest of them; null: those behind a fault are still on the way.
  std::shared_ptr<BoardOrder> next_unfinished();

 private:
  static constexpr std::size_t most = 4;  // each holds its frame

  void finish_stored();

  BoardsOnWayDependencies deps_;
  std::deque<std::shared_ptr<BoardOrder>> boards_, unfinished_;
  bool halted_ = false;  // by a result that could not be stored
  std::shared_ptr<StoreQueue> queue_ = std::make_shared<StoreQueue>();  // the threads may outlive the cell
};

}  // namespace datum
