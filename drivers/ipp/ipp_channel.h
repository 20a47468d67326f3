// IppChannel: commands -> tagged lines, and lines -> whose answer they are. No I/O, no clock.
//
// Two rules of I++ DME hold here: the next line goes out only after the '&' of the one before, and tags of
// transactions that run are unique. Event commands (their names end in E) go first and bear an event tag. A third:
// after AbortE nothing goes out until its '%'.
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
  bool daemon = false;  // reports come after its '%', under its tag
  bool acknowledged = false;
  bool spoiled = false;  // its lines came in an order that the standard does not have
  MonotonicNs sent_ns = 0;
};

class IppChannel {
 public:
  /// The link was opened: no transaction runs.
  void reset();
  /// Queues a command, "Get(X(),Y(),Z())"; `event`: into the fast queue.
  void ask(const std::string& command, int purpose, bool event = false, bool daemon = false);
  /// The line to be sent now, with its CR LF; nothing while the one before is not acknowledged.
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
    IppTransaction transaction;  // not of unsolicited, abandoned and stray lines
  };
  /// Whose line it is. Abandoned: of a transaction that AbortE ended. Stray: under a tag that no transaction has.
  Delivery receive(const IppLine& line);
  /// The server refused the line that waits for its '&' (errors 0001 to 0008 under E0000); its transaction.
  std::optional<IppTransaction> drop_unacknowledged();
  /// AbortE was done: what ran in the normal queue is over, whatever the server still says of it.
  void abandon();

  /// A command is queued or runs with this purpose.
  bool busy(int purpose) const;
  /// When the oldest transaction that runs was sent, other than those of purpose `but`; nothing where none runs.
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
