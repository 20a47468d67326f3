// Session: frames, answers and limits the requests of one link. libmodbus 3.1 was replaced: it took the request after one
// to an absent unit for that unit's answer, guessed the length of unknown functions, and answered function codes from 128
// on without their high bit. A session may block for one frame, so each link has its own thread.
#pragma once

#include <atomic>
#include <span>

#include "daemon/modbus/mailbox.h"
#include "daemon/system/event_loop.h"
#include "daemon/system/token_bucket.h"

namespace datum::modbus {

/// Rate limit per link; further requests wait, none is dropped. The answering threads compete with the inspection for
/// processors.
inline constexpr int most_requests_per_s = 500;

/// A serial line: unit 1 to 247, and the silence that ends a frame.
struct RtuSettings {
  int unit = 1, silence_ms = 50;
};

class Session {
 public:
  /// For a connected socket.
  Session(int socket, Mailbox& mailbox) : Session(socket, std::nullopt, mailbox) {}
  /// For an open line.
  Session(int line, std::optional<RtuSettings> rtu, Mailbox& mailbox)
      : fd_(line), rtu_(rtu), mailbox_(mailbox), heard_(EventLoop::now()) {}

  /// Serves until the peer hangs up, violates the protocol, or `stop` is readable. True: `stop` was readable.
  bool run(int stop);
  /// Time of the last request; thread-safe.
  MonotonicNs heard() const { return heard_; }

 private:
  using Bytes = std::vector<std::uint8_t>;
  enum class Served : std::uint8_t { on, lost, stopped };
  enum class Woken : std::uint8_t { ready, timeout, stopped };

  Woken wait(short events, int timeout_ms) const;
  bool wait_for_allowance();
  Served serve_tcp();
  Served serve_rtu();
  Served answer_rtu(const Bytes& frame);
  Served receive(std::span<std::uint8_t> bytes, int timeout_ms);
  Served send(std::span<const std::uint8_t> bytes);
  Bytes answer(std::span<const std::uint8_t> pdu);

  int fd_, stop_ = -1;
  std::optional<RtuSettings> rtu_;
  Mailbox& mailbox_;
  std::atomic<MonotonicNs> heard_;
  TokenBucket allowance_{most_requests_per_s, most_requests_per_s / 10};
};

}  // namespace datum::modbus
