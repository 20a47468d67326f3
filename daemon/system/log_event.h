// What the journal and the counters hear beside a line of text: the kind of event, and what it is about.
//
// Each kind has a MESSAGE_ID of its own, which stays for good: alerts, catalogs and scripts name it. The table here is what
// datumd.catalog and datumd(8) are held against.
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
  none,  // a line that nobody waits for
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
};
inline constexpr std::size_t events = static_cast<std::size_t>(Event::signing_trouble) + 1;

struct EventKind {
  Event event;
  const char* name;        // "link_lost", as the counter datumd_events_total has it
  const char* message_id;  // 32 hexadecimal digits, of journald
  const char* fields;      // that it carries beside those of every event
  const char* meaning;     // in a few words
};
/// Of every event but none, in the order of the enumeration.
std::span<const EventKind> event_kinds();
/// Null: none.
const EventKind* kind_of(Event event);

/// Names of journal fields ("DATUM_LINK") with what they say; one may come several times.
using LogFields = std::vector<std::pair<const char*, std::string>>;

struct LogEvent {
  Event event = Event::none;
  LogFields fields{};
};

/// Of an event about a host as lock_arbiter.h names it: "tcp 192.168.0.7:50112" came by the link host.tcp.
LogFields of_host(const std::string& host);

/// Takes lines; priority as of syslog(3): 3 error, 4 warning, 5 notice, 6 info. Made of whatever takes a line, with its
/// event or without.
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
