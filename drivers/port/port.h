// Port: a non-blocking byte stream without protocol: a serial line, a TCP connection or a recorded
// transcript.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>

#include "drivers/link_error.h"

namespace datum {

class Port {
 public:
  virtual ~Port() = default;
  /// Throws LostError where a retry may succeed, RefusedError where an operator must act. A TCP connect may
  /// still be in progress afterwards: see connected().
  virtual void open() = 0;
  virtual void close() noexcept = 0;
  virtual bool is_open() const = 0;
  virtual bool connected() const { return is_open(); }
  virtual int fd() const = 0;
  /// It has bytes of its own to send, or awaits a connect: call write(nullptr, 0) when writable.
  virtual bool wants_write() const { return is_open() && !connected(); }
  /// Readable bytes exist that fd() does not signal.
  virtual bool holds_input() const { return false; }
  /// Number of bytes read into `to`, 0 if none are available. Throws LostError at end of stream or hang-up.
  virtual std::size_t read(std::uint8_t* to, std::size_t room) = 0;
  /// Number of bytes written, possibly fewer than `size`, 0 if none fit. Throws LostError.
  virtual std::size_t write(const std::uint8_t* from, std::size_t size) = 0;
  virtual std::string describe() const = 0;
};

enum class Parity : std::uint8_t { none, even, odd };
enum class FlowControl : std::uint8_t { none, xon_xoff, rts_cts };
struct SerialSettings {
  std::string path;  // /dev/serial/by-id/... is stable across renumbering
  int baud = 115200;
  int data_bits = 8;
  Parity parity = Parity::none;
  int stop_bits = 1;
  FlowControl flow = FlowControl::none;
};

/// "115200 8N1", "9600 7E2 xon/xoff".
std::string line_format(const SerialSettings& settings);
/// Throws RefusedError that states the value and the allowed range.
void check(const SerialSettings& settings);

/// Throws as check() does. Every open() resolves the path, sets all line parameters and discards buffered
/// bytes. open() throws RefusedError where the device does not support these settings exactly; nothing is
/// defaulted. A pseudo-terminal accepts any settings. Another program's lock gives LostError.
std::unique_ptr<Port> serial_port(const SerialSettings& settings);
/// Which source port a connection leaves from.
enum class SourcePort : std::uint8_t {
  any,
  reserved,  // 512 to 1023 for root's connections inside this computer; any for others
};
/// The name is resolved at each open(), which may block: use a numeric address in a cell. A failed connect
/// throws LostError from read or write.
std::unique_ptr<Port> tcp_port(const std::string& host, std::uint16_t port,
                               SourcePort source = SourcePort::any);
/// Owns a connected socket from a listener. Once closed it can't be opened again.
std::unique_ptr<Port> accepted_port(int socket, const std::string& peer);

}  // namespace datum
