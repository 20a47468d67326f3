// Output of `datumctl watch` without a terminal: one line per event, as text or JSON.
#pragma once

#include <functional>
#include <string>

#include "daemon/ctl/watch_link.h"

namespace datum {

using WriteLine = std::function<void(const std::string& line)>;

/// One JSON object per line; its "event" is "connection", "cell", "store", "result", "board" (unit and reason of a result
/// before it) or "gap".
class JsonWatchView final : public WatchView {
 public:
  JsonWatchView(std::string address, WriteLine write)
      : address_(std::move(address)), write_(std::move(write)) {}
  void connected() override;
  void lost(const std::string& why, MonotonicNs retry_in_ns) override;
  void cell(const WatchedCell& cell) override;
  void delivered(const DeliveryEvent& event) override;
  void explained(const WatchedBoard& board) override;

 private:
  std::string address_;
  WriteLine write_;
};

class LineWatchView final : public WatchView {
 public:
  LineWatchView(std::string address, WriteLine write)
      : address_(std::move(address)), write_(std::move(write)) {}
  void connected() override;
  void lost(const std::string& why, MonotonicNs retry_in_ns) override;
  void cell(const WatchedCell& cell) override;
  void delivered(const DeliveryEvent& event) override;
  void explained(const WatchedBoard& board) override;

 private:
  std::string address_;
  WriteLine write_;
};

/// "2026-11-21T07:18:17.123456Z".
std::string iso8601_of_us(std::int64_t utc_us);
/// "results 5 to 9 are no longer stored", "result 5 is no longer stored".
std::string gap_text(const DeliveryEvent& gap);

}  // namespace datum
