// Port: a non-blocking byte stream without protocol. Serial line, TCP connection or a replayed transcript.
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
  /// Throws LostError where it may come back by itself, RefusedError where an operator must act. A TCP
  /// connect may still be in progress afterwards; connected() tells.
  virtual void open() = 0;
  virtual void close() noexcept = 0;
  virtual bool is_open() const = 0;
  virtual bool connected() const { return is_open(); }
  virtual int fd() const = 0;
  /// It has something of its own to send, or a connect to learn of: write(nullptr, 0) when there is room.
  virtual bool wants_write() const { return is_open() && !connected(); }
  /// Bytes can be read that fd() does not show.
  virtual bool holds_input() const { return false; }
  /// Bytes read into `to`, 0 if none are there now. Throws LostError at end of stream or hang-up.
  virtual std::size_t read(std::uint8_t* to, std::size_t room) = 0;
  /// Bytes taken, maybe fewer than asked, 0 if none fit now. Throws LostError.
  virtual std::size_t write(const std::uint8_t* from, std::size_t size) = 0;
  virtual std::string describe() const = 0;
};

enum class Parity : std::uint8_t { none, even, odd };
enum class FlowControl : std::uint8_t { none, xon_xoff, rts_cts };
struct SerialSettings {
  std::string path;  // /dev/serial/by-id/... survives renumbering
  int baud = 115200;
  int data_bits = 8;
  Parity parity = Parity::none;
  int stop_bits = 1;
  FlowControl flow = FlowControl::none;
};

/// "115200 8N1", "9600 7E2 xon/xoff".
std::string line_format(const SerialSettings& settings);
/// Throws RefusedError that names the value and what is allowed.
void check(const SerialSettings& settings);

/// Throws as check() does. Every open() resolves the path and sets the whole line again, and drops what lay
/// in its buffers. open() throws RefusedError where the device can't do these settings exactly: nothing is
/// defaulted. A pseudo-terminal has no line to set and takes any settings. Another program's lock gives
/// LostError.
std::unique_ptr<Port> serial_port(const SerialSettings& settings);
/// A name is resolved at each open(), which may block: give a numeric address in a cell. A connect that fails
/// throws LostError from read or write.
std::unique_ptr<Port> tcp_port(const std::string& host, std::uint16_t port);
/// Takes over a connected socket (from a listener). Once closed it can't be opened again.
std::unique_ptr<Port> accepted_port(int socket, const std::string& peer);

}  // namespace datum
