// Reconnector: keeps one port open. It connects in time, reopens later and later, and remembers how the link fared. No
// protocol, no clock.
//
// Its user calls run() for all that reads or writes, send() for bytes that may have to wait, good() once the peer has
// shown that it is well, and on_deadline() at deadline(); it is told of each opening and each loss.
#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include "drivers/frame/probe_point.h"
#include "drivers/port/port.h"

namespace datum {

enum class LinkState : std::uint8_t {
  closed,  // to be reopened at the deadline; without one it stays closed
  connecting,
  open,
  refused,  // an operator must act
};
/// "closed, to be reopened", "connecting", "open", "refused".
const char* name_of(LinkState state);

struct LinkLimits {
  int first_back_off_ms = 250, last_back_off_ms = 8000;  // it doubles in between
  int connect_ms = 3000;
  /// An open link on which nothing is heard for so long is lost, whatever the operating system knows of it (a peer
  /// without power, a cut cable). None: where a peer may be silent.
  std::optional<int> silence_ms{};
  bool reopens = true;  // after a loss; false: an accepted connection, which only its peer makes anew
  bool refusal_is_final = true;  // false: what is refused now is tried again
};

/// How a link fared since it was made.
struct LinkRecord {
  MonotonicNs since_ns = 0;            // of the state
  std::uint64_t opened = 0, lost = 0;  // times
  std::uint64_t attempts = 0;          // to open it, since it last was well
  std::string last_error;              // why it was lost or refused last
  std::optional<MonotonicNs> last_error_ns;
  std::optional<MonotonicNs> heard_ns;  // when bytes came last
};

class Reconnector {
 public:
  /// Told when the port has connected, and may write at once.
  using OnOpen = std::function<void(MonotonicNs now)>;
  /// Told when it is closed, not connected or refused, after the port has been closed.
  using OnLoss = std::function<void(const std::string& why, MonotonicNs now)>;
  /// Bytes of send() that wait for a peer that does not read; more, and it is lost.
  static constexpr std::size_t most_unsent = 256 * 1024;  // NOLINT(bugprone-implicit-widening*): constant

  /// A port that is open already (accepted) is taken as it is, without telling.
  Reconnector(std::unique_ptr<Port> port, const LinkLimits& limits, OnOpen on_open, OnLoss on_loss);
  Reconnector(const Reconnector&) = delete;
  Reconnector& operator=(const Reconnector&) = delete;

  /// Opens now, with the first back-off; no effect while it is open or connecting.
  void start(MonotonicNs now);
  /// Opens at the first on_deadline().
  void start_at(MonotonicNs due) { due_ = due; }
  /// Runs `act` on a port that is open or connecting. RefusedError out of it closes for good (see LinkLimits), any
  /// other error closes and reopens.
  template <class Act>
  void run(MonotonicNs now, Act act) {
    if (!port_->is_open()) return;
    guarded(now, [&] {
      settle(now);
      act();
    });
  }
  /// Reads what is there, 0 where nothing is. Throws LostError.
  std::size_t read(std::uint8_t* to, std::size_t room, MonotonicNs now);
  /// Writes, now or when there is room. Throws LostError.
  void send(std::string_view bytes);
  void flush();
  /// The peer is well: the next back-off is the first.
  void good();
  /// Closes, and reopens after the back-off.
  void lose(const std::string& why, MonotonicNs now);
  /// Closes by its user's wish: tells nobody, stays closed until start().
  void shut(MonotonicNs now);

  std::optional<MonotonicNs> deadline() const;
  /// True: there was something to do. Opens, gives a connect up, loses a link that is silent.
  bool on_deadline(MonotonicNs now);

  Port& port() { return *port_; }
  const Port& port() const { return *port_; }
  int fd() const { return port_->fd(); }
  bool wants_write() const { return state_ == LinkState::connecting || (is_open() && !unsent_.empty()); }
  LinkState state() const { return state_; }
  bool is_open() const { return state_ == LinkState::open; }
  bool refused() const { return state_ == LinkState::refused; }
  const LinkRecord& record() const { return record_; }
  /// "closed, to be reopened: <why>", "open".
  std::string describe() const;

 private:
  template <class Act>
  void guarded(MonotonicNs now, Act act) {
    try {
      act();
    } catch (const RefusedError& error) {
      limits_.refusal_is_final ? refuse(error.what(), now) : lose(error.what(), now);
    } catch (const std::runtime_error& error) {
      lose(error.what(), now);
    }
  }
  void open(MonotonicNs now);
  /// Tells of a connect that has ended well.
  void settle(MonotonicNs now);
  void refuse(const std::string& why, MonotonicNs now);
  void close(LinkState state, const std::string& why, MonotonicNs now);
  void enter(LinkState state, MonotonicNs now);

  std::unique_ptr<Port> port_;
  LinkLimits limits_;
  OnOpen on_open_;
  OnLoss on_loss_;
  LinkState state_;
  std::optional<MonotonicNs> due_;  // of closed and connecting
  MonotonicNs back_off_ns_;
  std::string unsent_;
  LinkRecord record_;
};

}  // namespace datum
