#include "daemon/modbus/session.h"

#include <poll.h>
#include <sys/socket.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <chrono>

#include "daemon/modbus/rtu_framer.h"

namespace datum::modbus {
namespace {

constexpr std::chrono::milliseconds timeout(1000);  // for an answer of the daemon's loop
constexpr int tcp_silence_ms = 500;                 // within a frame
constexpr int most_sending_ms = 1000;
constexpr std::size_t mbap_bytes = 7;
// The unit, and the longest body of function code 16 by its byte count: 255 bytes after 6. Frames beyond the standard's
// 253 bytes then get their exception.
constexpr std::size_t most_announced = 1 + 6 + 255;

}  // namespace

/// Waits for the link, for `stop_`, or only for the time (no events).
Session::Woken Session::wait(short events, int timeout_ms) const {
  pollfd watched[] = {{events != 0 ? fd_ : -1, events, 0}, {stop_, POLLIN, 0}};
  if (::poll(watched, 2, timeout_ms) < 0) return errno == EINTR ? Woken::timeout : Woken::stopped;
  if (watched[1].revents != 0) return Woken::stopped;
  return watched[0].revents != 0 ? Woken::ready : Woken::timeout;
}

/// False: `stop_` was readable.
bool Session::wait_for_allowance() {
  while (!allowance_.take(EventLoop::now()))
    if (wait(0, 1) == Woken::stopped) return false;
  return true;
}

bool Session::run(int stop) {
  stop_ = stop;
  if (rtu_) return serve_rtu() == Served::stopped;
  Served served = Served::on;
  while (served == Served::on) served = serve_tcp();
  return served == Served::stopped;
}

/// Receives all bytes, each part within `timeout_ms` (-1: no timeout).
Session::Served Session::receive(std::span<std::uint8_t> bytes, int timeout_ms) {
  while (!bytes.empty()) {
    const Woken woken = wait(POLLIN, timeout_ms);
    if (woken == Woken::stopped) return Served::stopped;
    if (woken == Woken::timeout && timeout_ms >= 0) return Served::lost;
    if (woken == Woken::timeout) continue;
    const auto n = ::read(fd_, bytes.data(), bytes.size());
    if (n == 0 || (n < 0 && errno != EAGAIN && errno != EINTR)) return Served::lost;
    bytes = bytes.subspan(static_cast<std::size_t>(std::max<ssize_t>(0, n)));
  }
  return Served::on;
}

Session::Served Session::send(std::span<const std::uint8_t> bytes) {
  while (!bytes.empty()) {
    const auto n = rtu_ ? ::write(fd_, bytes.data(), bytes.size())
                        : ::send(fd_, bytes.data(), bytes.size(), MSG_NOSIGNAL);
    if (n > 0) {
      bytes = bytes.subspan(static_cast<std::size_t>(n));
      continue;
    }
    if (n < 0 && errno != EAGAIN && errno != EINTR) return Served::lost;
    const Woken woken = wait(POLLOUT, most_sending_ms);
    if (woken != Woken::ready) return woken == Woken::stopped ? Served::stopped : Served::lost;
  }
  return Served::on;
}

Session::Served Session::serve_tcp() {
  if (!wait_for_allowance()) return Served::stopped;
  std::array<std::uint8_t, mbap_bytes> head{};
  if (const Served s = receive({head.data(), 1}, -1); s != Served::on) return s;
  heard_ = EventLoop::now();
  if (const Served s = receive({head.data() + 1, mbap_bytes - 1}, tcp_silence_ms); s != Served::on) return s;
  const std::size_t announced = static_cast<std::size_t>(head[4] << 8 | head[5]);
  // A stream that is out of step cannot recover.
  if (head[2] != 0 || head[3] != 0 || announced < 2 || announced > most_announced) return Served::lost;
  Bytes pdu(announced - 1);
  if (const Served s = receive(pdu, tcp_silence_ms); s != Served::on) return s;
  const Bytes body = answer(pdu);
  const std::size_t size = body.size() + 1;
  Bytes frame{head[0], head[1], 0, 0, static_cast<std::uint8_t>(size >> 8), static_cast<std::uint8_t>(size),
              head[6]};
  frame.insert(frame.end(), body.begin(), body.end());
  return send(frame);
}

Session::Served Session::serve_rtu() {
  RtuFramer framer(rtu_->unit);
  for (;;) {
    const Woken woken = wait(POLLIN, framer.empty() ? -1 : rtu_->silence_ms);
    if (woken == Woken::stopped) return Served::stopped;
    if (woken == Woken::timeout) {
      const auto frame = framer.silence();
      if (const Served s = frame ? answer_rtu(*frame) : Served::on; s != Served::on) return s;
      continue;
    }
    std::array<std::uint8_t, 256> bytes;
    const auto n = ::read(fd_, bytes.data(), bytes.size());
    if (n == 0 || (n < 0 && errno != EAGAIN && errno != EINTR)) return Served::lost;
    framer.receive({bytes.data(), static_cast<std::size_t>(std::max<ssize_t>(0, n))});
    while (const auto frame = framer.next())
      if (const Served s = answer_rtu(*frame); s != Served::on) return s;
  }
}

/// Broadcast: a write is executed without an answer.
Session::Served Session::answer_rtu(const Bytes& frame) {
  if (!wait_for_allowance()) return Served::stopped;
  heard_ = EventLoop::now();
  const Bytes body = answer(std::span(frame).subspan(1));
  if (frame[0] == 0) return Served::on;
  Bytes whole{frame[0]};
  whole.insert(whole.end(), body.begin(), body.end());
  return send(with_crc(std::move(whole)));
}

Session::Bytes Session::answer(std::span<const std::uint8_t> pdu) {
  const Request request = parse_request(pdu);
  Exception refusal = request.refusal;
  if (refusal == Exception::none) refusal = request.writes ? check_write(request) : check_read(request);
  if (refusal == Exception::none && request.writes) refusal = mailbox_.write(request, timeout);
  if (refusal != Exception::none) return exception_answer(pdu[0], refusal);
  if (request.writes) return write_answer(pdu);
  return read_answer(pdu[0], request, mailbox_.image()->read(request));
}

}  // namespace datum::modbus
