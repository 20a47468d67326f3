// The server's end of an I++ DME link: lines, tags, the two queues, daemons and errors of a controller. Every
// call passes the time.
#pragma once

#include <cstdint>
#include <deque>
#include <functional>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "tests/virtual_cell/virtual_ipp_machine.h"

namespace datum {

/// Fault from now on, by name.
enum class VirtualIppFault : std::uint8_t {
  none,
  stall,    // nothing is sent and input is discarded, as on a half-open link
  drop,     // no data line is sent
  corrupt,  // a byte of each data line has its highest bit set
  reorder,  // data follow the '%'
  cut,      // each data line ends in its middle, without CR LF
  no_end,   // no '%' is sent
  babble,   // endless bytes without CR LF
};
/// Throws std::invalid_argument that lists the names.
VirtualIppFault virtual_ipp_fault(const std::string& name);

class VirtualIppServer {
 public:
  VirtualIppMachine machine;
  VirtualIppFault fault = VirtualIppFault::none;
  bool version_2 = false;  // unquoted words, bare names, another class name

  /// Bytes sent in response. Two lines in one piece are a protocol error, as from a client that does not wait
  /// for '&'.
  std::string receive(const std::string& bytes, MonotonicNs now);
  /// Advances the time: moves end, reports are due.
  std::string advance(MonotonicNs now);
  std::optional<MonotonicNs> deadline() const;
  /// The client hung up: its session ends.
  void hung_up();

  /// Actions of an operator at the machine: "move X Y Z", "touch X Y Z" (mm, as displayed), "tool NAME",
  /// "silent-tool NAME", "csy NAME", "transform X0 Y0 Z0 THETA PSI PHI" (of PartCsy), "home", "unhome",
  /// "inches", "mm", "set PROPERTY VALUE [MIN MAX]" (also Tool.Radius; "unknown" for a property that it
  /// lacks), "error SEVERITY CODE", "hold-error SEVERITY CODE" (cleared only by "mend"), "key F1", "fault
  /// NAME". Returns the machine's unsolicited output. Throws std::invalid_argument.
  std::string order(const std::string& line, MonotonicNs now);

 private:
  struct Command {
    std::string tag, name, text;  // text: as received, without the tag
    std::vector<std::string> arguments;
  };
  struct Daemon {
    std::string tag;
    double time_s = 0, way_mm = 0;
    std::vector<std::string> content;
    MonotonicNs last_ns = 0;
    VirtualXyz last_mm{};
    MonotonicNs looked_ns = 0;  // at how far it went
  };

  void take_line(const std::string& line, MonotonicNs now);
  void work(MonotonicNs now);
  void execute(const Command& c, MonotonicNs now);
  bool session_command(const Command& c);
  bool state_command(const Command& c, MonotonicNs now);
  bool system_command(const Command& c);
  bool property_command(const Command& c);
  std::string property(const std::string& argument) const;
  void set_property(const Command& c);
  bool set_order(const std::string& line);
  bool move_command(const Command& c, MonotonicNs now);
  void abort(const Command& c, MonotonicNs now);
  void go_to(const Command& c, MonotonicNs now);
  void touch(const Command& c, MonotonicNs now);
  VirtualXyz target_of(const Command& c, MonotonicNs now) const;
  void arrive();
  void begin_daemon(const Command& c, MonotonicNs now);
  void report(MonotonicNs now);

  void say(const std::string& tag, char mark, const std::string& text = "");
  void data(const Command& c, const std::string& text) { say(c.tag, '#', text); }
  void complete(const Command& c);
  /// Sends "tag ! Error(...)"; from severity 2 on, queued commands are dropped.
  void fail(const std::string& tag, int severity, int code, const std::string& cause,
            const std::string& text);
  void refuse(const Command& c, int code, const std::string& text, int severity = 2) {
    fail(c.tag, severity, code, c.tag + " " + c.text, text);
  }
  std::string words(const std::vector<std::string>& names, const VirtualXyz& shown) const;
  std::string quoted(const std::string& text) const {
    return version_2 ? text : std::string("\"") + text + "\"";
  }
  std::string take_output();

  std::string received_, out_;
  std::string held_;  // reorder: data held back until after the '%'
  std::deque<Command> queue_;
  struct Ending {                // result of the move at its end
    int code = 0, severity = 2;  // 0: none
    std::string text;
    std::optional<VirtualXyz> touched_mm;  // tip
  };
  std::optional<Command> moving_;  // its '%' follows at the end of the move
  Ending ending_;
  std::optional<Daemon> daemon_;
  std::vector<std::string> touch_content_{"X", "Y", "Z"};
  std::set<std::string> running_;  // tags
  bool session_ = false, error_ = false, held_error_ = false;
  std::vector<std::string> errors_;  // of GetXtdErrStatus
};

}  // namespace datum
