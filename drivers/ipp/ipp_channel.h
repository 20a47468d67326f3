// IppChannel: tagged lines from commands, and assignment of received lines to commands. No I/O, no clock.
//
// Three rules of I++ DME hold here. The next line is sent only after the '&' of the one before, and tags of
// running transactions are unique. Event commands (their names end in E) are sent first with an event tag.
// After AbortE nothing is sent until its '%'.
#pragma once

#include <deque>
#include <map>
#include <optional>
#include <set>
#include <string>

#include "drivers/ipp/ipp_framer.h"

namespace datum {

struct IppTransaction {
  std::string tag, command;
  int purpose = 0;  // the client's own
  bool event = false;
  bool daemon = false;  // it reports after its '%', under its tag
  bool acknowledged = false;
  bool spoiled = false;  // its lines came in an order that the standard does not allow
  MonotonicNs sent_ns = 0;
};

class IppChannel {
 public:
  /// The link was opened: no transaction is running.
  void reset();
  /// Queues a command, "Get(X(),Y(),Z())"; `event`: into the fast queue.
  void ask(const std::string& command, int purpose, bool event = false, bool daemon = false);
  /// The line to send now, with its CR LF; none while the one before is not acknowledged.
  std::optional<std::string> next_line(MonotonicNs now);

  struct Delivery {
    enum class Is {
      acknowledged,
      data,
      error,
      complete,
      report,
      unsolicited,
      abandoned,
      stray
    } is = Is::stray;
    IppTransaction transaction;  // unset for unsolicited, abandoned and stray lines
  };
  /// Assigns a line. Abandoned: of a transaction ended by AbortE. Stray: with an unknown tag.
  Delivery receive(const IppLine& line);
  /// The server refused the line that awaits its '&' (errors 0001 to 0008 under E0000); returns its
  /// transaction.
  std::optional<IppTransaction> drop_unacknowledged();
  /// AbortE is complete: transactions of the normal queue have ended, and later lines of them are ignored.
  void abandon();

  /// Whether a command of this purpose is queued or running.
  bool busy(int purpose) const;
  /// Send time of the oldest running transaction, excluding purpose `but`; none if none is running.
  std::optional<MonotonicNs> oldest_sent_ns(int but = -1) const;

 private:
  std::string free_tag(bool event);

  struct Queued {
    std::string command;
    int purpose;
    bool daemon;
  };
  std::deque<Queued> normal_, fast_;
  std::map<std::string, IppTransaction> running_;
  std::map<std::string, IppTransaction> daemons_;
  std::set<std::string> abandoned_;  // tags, until their '%'
  std::string unacknowledged_;       // tag
  int last_tag_ = 0, last_event_ = 0;
};

}  // namespace datum
