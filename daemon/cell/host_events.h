// HostEvents: the one way by which the cell's classes reach every host and the log. On the loop's thread.
//
// Endpoints are added once the cell exists, and outlive its last event.
#pragma once

#include <algorithm>
#include <optional>
#include <string>
#include <vector>

#include "daemon/hosts/command_link.h"
#include "daemon/system/log_event.h"

namespace datum {

class HostEvents {
 public:
  explicit HostEvents(LogSink log) : log_(std::move(log)) {}

  void add(CommandEndpoint& endpoint) { endpoints_.push_back(&endpoint); }
  const std::vector<CommandEndpoint*>& endpoints() const { return endpoints_; }

  /// State, conditions or pending operations of the instrument changed.
  void changed() const {
    for (CommandEndpoint* endpoint : endpoints_) endpoint->instrument_changed();
  }
  /// An error that no command caused, into the log and every host's queue.
  void raise(int number, const std::string& detail, const LogEvent& event = {}) const {
    log(3, std::to_string(number) + ": " + detail, event);
    for (CommandEndpoint* endpoint : endpoints_) endpoint->raise(number, detail);
  }
  void push_result(const BoardVerdict& verdict) const {
    for (CommandEndpoint* endpoint : endpoints_) endpoint->push_result(verdict);
  }
  /// A host waits for the end of what is in work.
  bool awaits_end() const {
    return std::any_of(endpoints_.begin(), endpoints_.end(),
                       [](const CommandEndpoint* e) { return e->awaits_end(); });
  }
  /// Every host that acknowledges has acknowledged all results up to this one; none: no host does.
  std::optional<std::uint64_t> acknowledged() const {
    std::optional<std::uint64_t> least;
    for (const CommandEndpoint* endpoint : endpoints_)
      if (const auto one = endpoint->acknowledged(); one && (!least || *one < *least)) least = one;
    return least;
  }
  void log(int priority, const std::string& text, const LogEvent& event = {}) const {
    log_(priority, text, event);
  }
  const LogSink& log_sink() const { return log_; }

 private:
  LogSink log_;
  std::vector<CommandEndpoint*> endpoints_;
};

}  // namespace datum
