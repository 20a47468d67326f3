// From the broker to the database: AMQP 1.0 by Qpid Proton. A message is accepted when it is committed, and never before: what is taken and
// not committed when a connection is lost comes again.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <string>

#include "daemon/collect/collect_settings.h"

namespace datum {

struct CollectorActions {
  std::function<void(int level, const std::string& text)> log;  // levels of syslog; called by two threads
  std::function<bool()> ending;          // true: commit and accept what is here, and end
  std::function<std::int64_t()> now_us;  // since 1970; called by two threads
};

class Collector {
 public:
  /// Throws std::runtime_error where a file of the broker's settings can't be read.
  Collector(const CollectSettings& settings, CollectorActions actions);
  ~Collector();
  /// Until `ending`. Throws DatabaseUnfit.
  void run();

 private:
  class Handler;
  std::unique_ptr<Handler> handler_;
};

}  // namespace datum
