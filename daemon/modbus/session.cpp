#include "daemon/modbus/session.h"

#include <poll.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <chrono>
#include <new>

namespace datum::modbus {
namespace {

constexpr std::chrono::milliseconds patience(1000);  // of a peer with the daemon's loop
constexpr std::uint32_t tcp_silence_us = 500'000;    // within a frame
constexpr int mbap_length = 7, crc_length = 2;
constexpr std::size_t longest_frame = MODBUS_MAX_ADU_LENGTH;

enum class Woken : std::uint8_t { readable, timeout, stopped };
/// Waits for `fd` (-1: for time alone) or `stop`.
Woken wait(int fd, int stop, int timeout_ms) {
  pollfd watched[] = {{fd, POLLIN, 0}, {stop, POLLIN, 0}};
  if (::poll(watched, 2, timeout_ms) < 0 && errno != EINTR) return Woken::stopped;
  if (watched[1].revents != 0) return Woken::stopped;
  return watched[0].revents != 0 ? Woken::readable : Woken::timeout;
}

void set_byte_timeout(modbus_t* context, std::uint32_t us) {
  modbus_set_byte_timeout(context, us / 1'000'000, us % 1'000'000);
}

}  // namespace

Context tcp_context(int socket) {
  Context context(modbus_new_tcp("127.0.0.1", MODBUS_TCP_DEFAULT_PORT));  // neither is used: it is connected
  if (!context) throw std::bad_alloc();
  modbus_set_socket(context.get(), socket);
  set_byte_timeout(context.get(), tcp_silence_us);
  return context;
}

Context rtu_context(int line, int unit, std::uint32_t silence_us) {
  Context context(modbus_new_rtu("line", 19200, 'E', 8, 1));  // none is used: it is open and set
  if (!context) throw std::bad_alloc();
  modbus_set_slave(context.get(), unit);
  modbus_set_socket(context.get(), line);
  set_byte_timeout(context.get(), silence_us);
  return context;
}

bool Session::run(int stop) {
  const int fd = modbus_get_socket(context_.get());
  for (;;) {
    while (!allowance_.take(EventLoop::now()))
      if (wait(-1, stop, 1) == Woken::stopped) return true;
    Woken woken = Woken::timeout;
    while ((woken = wait(fd, stop, -1)) == Woken::timeout) continue;
    if (woken == Woken::stopped) return true;
    heard_ = EventLoop::now();
    if (!serve_one()) return false;
  }
}

/// False: the link can't go on.
bool Session::serve_one() {
  std::array<std::uint8_t, longest_frame> bytes{};
  const int size = modbus_receive(context_.get(), bytes.data());
  if (size < 0) return recover(errno);
  if (size == 0) return true;  // for another unit on the same line
  const std::span<const std::uint8_t> frame(bytes.data(), static_cast<std::size_t>(size));
  if (!is_whole(frame)) return false;
  // A command that is not answered is not taken either.
  if (kind_ == Kind::rtu && frame[0] == MODBUS_BROADCAST_ADDRESS) return true;
  return answer(frame);
}

/// libmodbus takes as many bytes as the function code asks for; what the header announces beyond belongs to a function that
/// it does not know.
bool Session::is_whole(std::span<const std::uint8_t> frame) {
  if (kind_ == Kind::rtu) return true;
  if (frame.size() <= mbap_length || frame[2] != 0 || frame[3] != 0) return false;
  const std::size_t announced = 6u + (frame[4] << 8 | frame[5]);
  if (announced < frame.size() || announced > longest_frame) return false;
  return discard(announced - frame.size());
}

bool Session::discard(std::size_t bytes) {
  const int fd = modbus_get_socket(context_.get());
  std::array<std::uint8_t, longest_frame> rubbish{};
  while (bytes > 0) {
    if (wait(fd, -1, tcp_silence_us / 1000) != Woken::readable) return false;
    const auto n = ::read(fd, rubbish.data(), std::min(bytes, rubbish.size()));
    if (n <= 0) return false;
    bytes -= static_cast<std::size_t>(n);
  }
  return true;
}

/// A serial line is in step again after a silence. A TCP stream that is out of step stays so.
bool Session::recover(int error) {
  const bool damaged = error == EMBBADCRC || error == EMBBADDATA || error == ETIMEDOUT;
  if (kind_ == Kind::tcp || !damaged) return false;
  std::uint32_t seconds = 0, us = 0;
  modbus_get_byte_timeout(context_.get(), &seconds, &us);
  const int fd = modbus_get_socket(context_.get());
  std::array<std::uint8_t, longest_frame> rubbish{};
  for (int i = 0; i < 64; ++i) {
    if (wait(fd, -1, static_cast<int>(seconds * 1000 + us / 1000)) != Woken::readable) return true;
    if (::read(fd, rubbish.data(), rubbish.size()) <= 0) return false;
  }
  return true;
}

bool Session::answer(std::span<const std::uint8_t> frame) {
  const std::size_t head = kind_ == Kind::tcp ? mbap_length : 1, tail = kind_ == Kind::tcp ? 0 : crc_length;
  const Request request = parse_request(frame.subspan(head, frame.size() - head - tail));
  Exception refusal = request.refusal;
  if (refusal == Exception::none) refusal = request.writes ? check_write(request) : check_read(request);
  if (refusal == Exception::none && request.writes) refusal = mailbox_.write(request, patience);
  if (refusal != Exception::none)
    return modbus_reply_exception(context_.get(), frame.data(), static_cast<unsigned>(refusal)) > 0;
  return reply(frame, request, request.writes ? request.values : mailbox_.image()->read(request));
}

bool Session::reply(std::span<const std::uint8_t> frame, const Request& request,
                    const std::vector<std::uint16_t>& values) {
  std::vector<std::uint16_t> words(values);
  std::vector<std::uint8_t> bits(values.begin(), values.end());
  modbus_mapping_t served{};
  served.start_bits = served.start_input_bits = request.address;
  served.start_registers = served.start_input_registers = request.address;
  served.nb_bits = served.nb_input_bits = served.nb_registers = served.nb_input_registers = request.count;
  served.tab_bits = served.tab_input_bits = bits.data();
  served.tab_registers = served.tab_input_registers = words.data();
  return modbus_reply(context_.get(), frame.data(), static_cast<int>(frame.size()), &served) > 0;
}

}  // namespace datum::modbus
