// Session: requests of one link, answered through libmodbus, which frames and checks them. It may block for the length of a
// frame: it runs on a thread of the link's own.
#pragma once

#include <modbus.h>

#include <atomic>
#include <memory>

#include "daemon/loop/event_loop.h"
#include "daemon/modbus/mailbox.h"
#include "daemon/report/token_bucket.h"

namespace datum::modbus {

struct FreeContext {
  void operator()(modbus_t* context) const {
    modbus_set_socket(context, -1);  // the descriptor is the port's
    modbus_free(context);
  }
};
using Context = std::unique_ptr<modbus_t, FreeContext>;

/// Of a connected socket.
Context tcp_context(int socket);
/// Of an open line, `unit` 1 to 247. A frame whose bytes stop for `silence_us` is given up.
Context rtu_context(int line, int unit, std::uint32_t silence_us);

/// Requests of one link in a second: more wait, none is dropped. Each is answered by a thread, of which the inspection
/// wants the processor too.
inline constexpr int most_requests_per_s = 500;

class Session {
 public:
  enum class Kind : std::uint8_t { tcp, rtu };
  Session(Context context, Kind kind, Mailbox& mailbox)
      : context_(std::move(context)), kind_(kind), mailbox_(mailbox), heard_(EventLoop::now()) {}

  /// Serves until the peer hangs up, sends what can't be followed, or `stop` can be read. True: it was `stop`.
  bool run(int stop);
  /// When the peer asked last, for any thread.
  MonotonicNs heard() const { return heard_; }

 private:
  bool serve_one();
  bool is_whole(std::span<const std::uint8_t> frame);
  bool recover(int error);
  bool answer(std::span<const std::uint8_t> frame);
  bool reply(std::span<const std::uint8_t> frame, const Request& request,
             const std::vector<std::uint16_t>& values);
  bool discard(std::size_t bytes);

  Context context_;
  Kind kind_;
  Mailbox& mailbox_;
  std::atomic<MonotonicNs> heard_;
  TokenBucket allowance_{most_requests_per_s, most_requests_per_s / 10};
};

}  // namespace datum::modbus
