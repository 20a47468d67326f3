// ResultAnnouncer: a stored result goes to the log, to every host, to the counters, and into a picture. It is called only
// with durable results, once for each. On the loop's thread.
#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <memory>
#include <optional>

#include "daemon/cell/board.h"
#include "daemon/cell/board_threads.h"
#include "daemon/cell/chain_signing.h"
#include "daemon/cell/host_events.h"

namespace datum {

struct ResultAnnouncerDependencies {
  std::optional<std::filesystem::path> pictures;  // folder; none: no picture is written
  BoardThreads& threads;
  ResultStore& store;  // the writer
  std::filesystem::path store_file;
  std::function<void(const BoardVerdict&, const BoardTimes&)> on_board;  // after the hosts; none: nobody asks
  const HostEvents& events;
  ChainSigning& signing;
};

class ResultAnnouncer {
 public:
  explicit ResultAnnouncer(ResultAnnouncerDependencies dependencies) : deps_(std::move(dependencies)) {}

  void announce(const std::shared_ptr<BoardOrder>& board);

  std::uint64_t count() const { return count_; }
  /// So many pictures are not drawn yet that no board is begun.
  bool behind() const { return deps_.threads.drawer.jobs() >= most_pictures; }
  /// While a result is announced: the number of its board.
  std::uint64_t board() const { return board_; }
  /// STATus:QUEStionable of the last board.
  std::uint16_t questionable() const { return questionable_; }

 private:
  static constexpr std::uint64_t most_pictures = 2;  // each holds its frame
  void keep_times(const BoardOrder& board);
  void draw_board(const std::shared_ptr<BoardOrder>& board);

  ResultAnnouncerDependencies deps_;
  std::uint64_t count_ = 0, board_ = 0;
  std::uint16_t questionable_ = 0;
  bool mark_failed_ = false, times_failed_ = false;
};

}  // namespace datum
