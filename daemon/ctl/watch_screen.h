// The screen of `datumctl watch`: redrawn as a whole on a change, in one write, so that it does not flicker.
#pragma once

#include <deque>
#include <map>
#include <string>

#include "daemon/ctl/watch_link.h"

namespace datum {

/// Content of the screen.
struct WatchPicture {
  std::string address, connection;  // connection: empty while it is up, else the fault
  WatchedCell cell;
  std::deque<ResultLine> results;                // oldest first
  std::map<std::uint64_t, WatchedBoard> boards;  // of results, by their number
  std::string note;                              // the last gap, or another store
  std::uint64_t count = 0;                       // results since the start
};

/// The lines for a terminal of this size: at most `rows`, at most `columns` wide.
std::vector<std::string> lines_of(const WatchPicture& picture, std::size_t rows, std::size_t columns,
                                  bool colour);

/// The first `columns` columns of a line; open colours are closed.
std::string cut_to(const std::string& line, std::size_t columns);

class WatchScreen final : public WatchView {
 public:
  /// Controls the terminal of stdout until its destruction.
  WatchScreen(std::string address, bool colour);
  ~WatchScreen() override;
  WatchScreen(const WatchScreen&) = delete;
  WatchScreen& operator=(const WatchScreen&) = delete;

  void connected() override;
  void lost(const std::string& why, MonotonicNs retry_in_ns) override;
  void cell(const WatchedCell& cell) override;
  void delivered(const DeliveryEvent& event) override;
  void explained(const WatchedBoard& board) override;
  /// Draws changes since the last call; `size_changed`: draws always.
  void draw(bool size_changed);

 private:
  WatchPicture picture_;
  bool colour_;
  bool changed_ = true;
};

}  // namespace datum
