// What `datumctl watch` shows on a terminal: the whole screen anew when something has changed, written at once, so that
// it does not flicker.
#pragma once

#include <deque>
#include <string>

#include "daemon/ctl/watch_link.h"

namespace datum {

/// What is on the screen.
struct WatchPicture {
  std::string address, connection;  // connection: empty while it is up, else why it is down
  WatchedCell cell;
  std::deque<ResultLine> results;  // oldest first
  std::string note;                // the last gap, or another store
  std::uint64_t count = 0;         // results since the start
};

/// Its lines for a terminal of this size, at most `rows`, none wider than `columns`.
std::vector<std::string> lines_of(const WatchPicture& picture, std::size_t rows, std::size_t columns,
                                  bool colour);

/// The first `columns` columns of a line; colours that it holds are ended.
std::string cut_to(const std::string& line, std::size_t columns);

class WatchScreen final : public WatchView {
 public:
  /// Takes the terminal of stdout over until it is destroyed.
  WatchScreen(std::string address, bool colour);
  ~WatchScreen() override;
  WatchScreen(const WatchScreen&) = delete;
  WatchScreen& operator=(const WatchScreen&) = delete;

  void connected() override;
  void lost(const std::string& why, MonotonicNs retry_in_ns) override;
  void cell(const WatchedCell& cell) override;
  void delivered(const DeliveryEvent& event) override;
  /// Draws what has changed since it was drawn last; `size_changed`: in any case.
  void draw(bool size_changed);

 private:
  WatchPicture picture_;
  bool colour_;
  bool changed_ = true;
};

}  // namespace datum
