// Reconnector: keeps one port open. It limits the time of a connect, reopens with growing back-off, and
// records the link's history. No protocol, no clock.
//
// Its user calls run() for reads and writes, send() for bytes that may be queued, good() once the peer has
// proved healthy, and on_deadline() at deadline(). It calls handlers at each opening and each loss.
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
  closed,  // reopened at the deadline; without one it stays closed
  connecting,
  open,
  refused,  // an operator must act
};
/// "closed, to be reopened", "connecting", "open", "refused".
const char* name_of(LinkState state);

struct LinkLimits {
  int first_back_off_ms = 250, last_back_off_ms = 8000;  // doubled in between
  int connect_ms = 3000;
  /// An open link without input for this time counts as lost, whatever the operating system reports (a peer
  /// without power, a cut cable). None: where a peer may be silent.
  std::optional<int> silence_ms{};
  bool reopens = true;           // after a loss; false: an accepted connection, which only its peer can renew
  bool refusal_is_final = true;  // false: retried after a refusal
};

/// History of a link.
struct LinkRecord {
  MonotonicNs since_ns = 0;            // of the state
  std::uint64_t opened = 0, lost = 0;  // counts
  std::uint64_t attempts = 0;          // to open it, since the link was last good
  std::string last_error;              // reason of the last loss or refusal
  std::optional<MonotonicNs> last_error_ns;
  std::optional<MonotonicNs> heard_ns;  // time of the last bytes
};

class Reconnector {
 public:
  /// Called when the port has connected; the handler may write.
  using OnOpen = std::function<void(MonotonicNs now)>;
  /// Called when it was closed, not connected or refused, after the port has been closed.
  using OnLoss = std::function<void(const std::string& why, MonotonicNs now)>;
  /// Limit of queued bytes of send() for a peer that does not read; beyond it the link is lost.
  static constexpr std::size_t most_unsent = 256 * 1024;  // NOLINT(bugprone-implicit-widening*): constant

  /// A port that is already open (accepted) is used without calling on_open.
  Reconnector(std::unique_ptr<Port> port, const LinkLimits& limits, OnOpen on_open, OnLoss on_loss);
  Reconnector(const Reconnector&) = delete;
  Reconnector& operator=(const Reconnector&) = delete;

  /// Opens now, with the first back-off; no effect while open or connecting.
  void start(MonotonicNs now);
  /// Opens at the first on_deadline().
  void start_at(MonotonicNs due) { due_ = due; }
  /// Runs `act` on an open or connecting port. A RefusedError from it closes for good (see LinkLimits), any
  /// other error closes and reopens.
  template <class Act>
  void run(MonotonicNs now, Act act) {
    if (!port_->is_open()) return;
    guarded(now, [&] {
      settle(now);
      act();
    });
  }
  /// Reads available bytes, 0 if none. Throws LostError.
  std::size_t read(std::uint8_t* to, std::size_t room, MonotonicNs now);
  /// Writes, now or when there is room. Throws LostError.
  void send(std::string_view bytes);
  void flush();
  /// The peer is healthy: resets the back-off.
  void good();
  /// Closes, and reopens after the back-off.
  void lose(const std::string& why, MonotonicNs now);
  /// Closes at its user's request: calls no handler, stays closed until start().
  void shut(MonotonicNs now);

  std::optional<MonotonicNs> deadline() const;
  /// Opens, gives up a connect, or closes a silent link. True: there was something to do.
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
  /// Calls on_open after a successful connect.
  void settle(MonotonicNs now);
  void refuse(const std::string& why, MonotonicNs now);
  void close(LinkState state, const std::string& why, MonotonicNs now);
  void enter(LinkState state, MonotonicNs now);

  std::unique_ptr<Port> port_;
  LinkLimits limits_;
  OnOpen on_open_;
  OnLoss on_loss_;
  LinkState state_;
  std::optional<MonotonicNs> due_;  // of states closed and connecting
  MonotonicNs back_off_ns_;
  std::string unsent_;
  LinkRecord record_;
};

}  // namespace datum
