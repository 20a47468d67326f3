// StoreQueue: boards that were measured, on their way to the disk in their order. Boards that wait there together are committed
// together, with one synchronisation; a single one is committed at once.
//
// Any thread may push. Where a board's result can't be stored, none after it is, until resume(): results keep their order.
#pragma once

#include <deque>
#include <memory>
#include <mutex>
#include <vector>

#include "daemon/cell/board.h"

namespace datum {

class StoreQueue {
 public:
  void push(std::shared_ptr<BoardOrder> board) {
    const std::lock_guard lock(mutex_);
    waiting_.push_back(std::move(board));
  }
  /// Commits what waits, on the thread of the store's writer.
  void commit(ResultStore& store);
  /// Boards that were committed, aborted or refused since the last call, in their order. On the loop's thread.
  std::vector<std::shared_ptr<BoardOrder>> take_finished();
  /// Results are stored again.
  void resume() {
    const std::lock_guard lock(mutex_);
    halted_ = false;
  }

 private:
  std::mutex mutex_;
  std::deque<std::shared_ptr<BoardOrder>> waiting_, finished_;
  bool halted_ = false;
};

}  // namespace datum
