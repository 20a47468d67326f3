// The kind and the fields of an event, for the journal and the counters, beside its line of text.
//
// Each kind has a permanent MESSAGE_ID, which alerts, catalogs and scripts name. Tests compare datumd.catalog and
// datumd(8) with this table.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <span>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

namespace datum {

enum class Event : std::uint8_t {
  none,  // a line without an event
  ready,
  stopping,
  verdict,
  board_abandoned,
  armed,
  disarmed,
  recipe_chosen,
  recipe_refused,
  link_lost,
  link_back,
  backend_fault,
  backend_back,
  calibration_refused,
  calibration_accepted,
  calibration_drifted,
  store_trouble,
  frame_refused,
  results_left_out,
  host_refused,
  control_taken,
  clock_set,
  configuration_refused,
  metrics_trouble,
  store_set_back,
  parser_ended,
  signing_trouble,
  reference_check,
  control_chart,
};
inline constexpr std::size_t events = static_cast<std::size_t>(Event::control_chart) + 1;

struct EventKind {
  Event event;
  const char* name;        // "link_lost", as in the counter datumd_events_total
  const char* message_id;  // 32 hexadecimal digits, of journald
  const char* fields;      // fields beside those of every event
  const char* meaning;     // in a few words
};
/// All events except none, in the order of the enumeration.
std::span<const EventKind> event_kinds();
/// Null for Event::none.
const EventKind* kind_of(Event event);

/// Names of journal fields ("DATUM_LINK") with their values; a name may repeat.
using LogFields = std::vector<std::pair<const char*, std::string>>;

struct LogEvent {
  Event event = Event::none;
  LogFields fields{};
};

/// Fields of an event about a host as in lock_arbiter.h: "tcp 192.168.0.7:50112" used the link host.tcp.
LogFields of_host(const std::string& host);

/// Receives lines; priority as of syslog(3): 3 error, 4 warning, 5 notice, 6 info. Constructed from a function with or
/// without the event parameter.
class LogSink {
 public:
  LogSink() = default;
  template <class Take>
  requires(!std::is_same_v<std::decay_t<Take>, LogSink>) LogSink(Take take) {
    if constexpr (std::is_invocable_v<Take, int, const std::string&, const LogEvent&>)
      take_ = std::move(take);
    else
      take_ = [take = std::move(take)](int priority, const std::string& text, const LogEvent&) mutable {
        take(priority, text);
      };
  }
  void operator()(int priority, const std::string& text, const LogEvent& event = {}) const {
    take_(priority, text, event);
  }
  explicit operator bool() const { return static_cast<bool>(take_); }

 private:
  std::function<void(int, const std::string&, const LogEvent&)> take_;
};

}  // namespace datum
