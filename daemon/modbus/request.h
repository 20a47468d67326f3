// Modbus requests: the PDU parsed into a request, or the exception that answers it. After "MODBUS Application Protocol
// Specification" V1.1b3, chapters 6 and 7. No descriptor, no clock.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

namespace datum::modbus {

/// Exception codes (V1.1b3, chapter 7).
enum class Exception : std::uint8_t {
  none = 0,
  illegal_function = 1,
  illegal_address = 2,
  illegal_value = 3,
  device_failure = 4,
  busy = 6,
};

enum class Table : std::uint8_t { coils, discrete_inputs, holding_registers, input_registers };

struct Request {
  Exception refusal = Exception::none;  // the other members are valid only for none
  Table table = Table::holding_registers;
  bool writes = false;
  std::uint16_t address = 0, count = 0;
  std::vector<std::uint16_t> values;  // of a write; 0 and 1 for coils
};

/// `pdu` begins with the function code. Supported: function codes 1 to 6, 15 and 16.
Request parse_request(std::span<const std::uint8_t> pdu);

/// The exception for a write by its addresses: unknown or read-only registers, or a part of a value of several registers.
/// A text may be written from its first character on.
Exception check_write(const Request& request);
/// The exception for a read.
Exception check_read(const Request& request);

/// Answer PDUs: an exception; the echo of a write; the read `values`.
std::vector<std::uint8_t> exception_answer(std::uint8_t function, Exception why);
std::vector<std::uint8_t> write_answer(std::span<const std::uint8_t> pdu);
std::vector<std::uint8_t> read_answer(std::uint8_t function, const Request& request,
                                      const std::vector<std::uint16_t>& values);

}  // namespace datum::modbus
