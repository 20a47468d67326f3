#include "daemon/modbus/request.h"

#include <optional>

#include "daemon/modbus/register_map.h"

namespace datum::modbus {
namespace {

constexpr std::uint16_t most_read_bits = 2000, most_written_bits = 1968;  // 6.1, 6.11
constexpr std::uint16_t most_read_words = 125, most_written_words = 123;  // 6.3, 6.12
constexpr int coils = 16, discrete_inputs = 48;

std::uint16_t word(std::span<const std::uint8_t> pdu, std::size_t at) {
  return static_cast<std::uint16_t>(pdu[at] << 8 | pdu[at + 1]);
}

Request refused(Exception why) {
  Request r;
  r.refusal = why;
  return r;
}

Request read(std::span<const std::uint8_t> pdu, Table table, std::uint16_t most) {
  Request r;
  r.table = table;
  r.address = word(pdu, 1);
  r.count = word(pdu, 3);
  if (pdu.size() != 5 || r.count < 1 || r.count > most) r.refusal = Exception::illegal_value;
  return r;
}

Request write_one(std::span<const std::uint8_t> pdu, Table table) {
  Request r;
  r.table = table;
  r.writes = true;
  r.address = word(pdu, 1);
  r.count = 1;
  r.values = {word(pdu, 3)};
  if (pdu.size() != 5) return refused(Exception::illegal_value);
  if (table == Table::holding_registers) return r;
  if (r.values[0] != 0 && r.values[0] != 0xFF00) return refused(Exception::illegal_value);  // 6.5
  r.values[0] = r.values[0] != 0;
  return r;
}

Request write_many(std::span<const std::uint8_t> pdu, Table table) {
  const bool bits = table == Table::coils;
  Request r;
  r.table = table;
  r.writes = true;
  if (pdu.size() < 6) return refused(Exception::illegal_value);
  r.address = word(pdu, 1);
  r.count = word(pdu, 3);
  const std::size_t bytes = bits ? (r.count + 7u) / 8u : 2u * r.count;
  if (r.count < 1 || r.count > (bits ? most_written_bits : most_written_words) || pdu[5] != bytes ||
      pdu.size() != 6 + bytes)
    return refused(Exception::illegal_value);
  for (std::size_t i = 0; i < r.count; ++i)
    r.values.push_back(bits ? static_cast<std::uint16_t>(pdu[6 + i / 8] >> i % 8 & 1) : word(pdu, 6 + 2 * i));
  return r;
}

/// The value at this address, or the one it is a part of; none: unused address.
std::optional<Register> register_at(Address address) {
  for (const Register& r : base_registers())
    if (address >= r.address && address < r.address + r.count) return r;
  return std::nullopt;
}

bool readable(std::uint32_t from, std::uint32_t to) {
  return to <= base_end || (from >= at_result && to <= at_result + window_size) ||
         (from >= at_fifo && to <= at_fifo + window_size);
}

}  // namespace

Request parse_request(std::span<const std::uint8_t> pdu) {
  if (pdu.empty()) return refused(Exception::illegal_function);
  const int function = pdu[0];
  if (!((function >= 1 && function <= 6) || function == 15 || function == 16))
    return refused(Exception::illegal_function);
  if (pdu.size() < 5) return refused(Exception::illegal_value);
  switch (function) {
    case 1:
      return read(pdu, Table::coils, most_read_bits);
    case 2:
      return read(pdu, Table::discrete_inputs, most_read_bits);
    case 3:
      return read(pdu, Table::holding_registers, most_read_words);
    case 4:
      return read(pdu, Table::input_registers, most_read_words);
    case 5:
      return write_one(pdu, Table::coils);
    case 6:
      return write_one(pdu, Table::holding_registers);
    case 15:
      return write_many(pdu, Table::coils);
    default:
      return write_many(pdu, Table::holding_registers);
  }
}

Exception check_read(const Request& request) {
  const std::uint32_t from = request.address, to = from + request.count;
  if (request.table == Table::coils) return to <= coils ? Exception::none : Exception::illegal_address;
  if (request.table == Table::discrete_inputs)
    return to <= discrete_inputs ? Exception::none : Exception::illegal_address;
  return readable(from, to) ? Exception::none : Exception::illegal_address;
}

Exception check_write(const Request& request) {
  const std::uint32_t to = std::uint32_t{request.address} + request.count;
  if (request.table == Table::coils) return to <= coils ? Exception::none : Exception::illegal_address;
  if (to > 0x10000) return Exception::illegal_address;
  for (std::uint32_t at = request.address; at < to;) {
    const auto r = register_at(static_cast<Address>(at));
    if (!r || r->access != Access::write || r->address != at) return Exception::illegal_address;
    if (r->type != Type::text && at + r->count > to) return Exception::illegal_address;
    at += r->count;
  }
  return Exception::none;
}

std::vector<std::uint8_t> exception_answer(std::uint8_t function, Exception why) {
  return {static_cast<std::uint8_t>(function | 0x80), static_cast<std::uint8_t>(why)};
}

// Function code, address, and value or quantity.
std::vector<std::uint8_t> write_answer(std::span<const std::uint8_t> pdu) {
  return {pdu.begin(), pdu.begin() + 5};
}

std::vector<std::uint8_t> read_answer(std::uint8_t function, const Request& request,
                                      const std::vector<std::uint16_t>& values) {
  const bool bits = request.table == Table::coils || request.table == Table::discrete_inputs;
  const std::size_t bytes = bits ? (values.size() + 7) / 8 : 2 * values.size();
  std::vector<std::uint8_t> answer(2 + bytes);
  answer[0] = function;
  answer[1] = static_cast<std::uint8_t>(bytes);
  for (std::size_t i = 0; i < values.size(); ++i) {
    if (bits) {
      answer[2 + i / 8] = static_cast<std::uint8_t>(answer[2 + i / 8] | (values[i] & 1) << i % 8);
    } else {
      answer[2 + 2 * i] = static_cast<std::uint8_t>(values[i] >> 8);
      answer[3 + 2 * i] = static_cast<std::uint8_t>(values[i]);
    }
  }
  return answer;
}

}  // namespace datum::modbus
