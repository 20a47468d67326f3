#include <fmt/format.h>

#include <cstring>
#include <iterator>

#include "daemon/modbus/register_map.h"

namespace datum::modbus {
namespace {

std::string quoted(const std::string& text) {
  if (text.find_first_of(",\"") == std::string::npos) return text;
  std::string out = "\"";
  for (const char c : text) out += c == '"' ? "\"\"" : std::string(1, c);
  return out + '"';
}

std::string register_line(const Register& r, Address base, const std::string& prefix) {
  return fmt::format("register,{},{},{},{},{}{},{},{}\n", base + r.address, r.count, name_of(r.type),
                     r.access == Access::write ? "read/write" : "read", prefix, r.name, r.unit,
                     quoted(r.text));
}

std::string meaning_line(const char* kind, const std::string& address, const Meaning& m) {
  return fmt::format("{},{},,,,{},,{}\n", kind, address, m.name, quoted(m.text));
}

/// Meanings of bits and values of a register, at each of its addresses.
std::string meanings_of(const Register& r, Address base) {
  std::string out;
  for (const Meaning& m : bit_meanings())
    if (std::strcmp(m.of, r.name) == 0)
      out += meaning_line("bit", fmt::format("{}.{}", base + r.address, m.number), m);
  for (const Meaning& m : value_meanings())
    if (std::strcmp(m.of, r.name) == 0)
      out += meaning_line("value", fmt::format("{}={}", base + r.address, m.number), m);
  return out;
}

std::string window_lines(Address base, const std::string& name) {
  std::string out;
  for (const Register& r : window_registers())
    out += register_line(r, base, name + ".") + meanings_of(r, base);
  for (const Register& r : row_registers()) {
    const auto first = static_cast<Address>(base + in_first_row);
    out += register_line(r, first, name + ".ROW0.") + meanings_of(r, first);
  }
  return out;
}

}  // namespace

std::string map_as_csv() {
  std::string out = "kind,address,registers,type,access,name,unit,text\n";
  for (const Register& r : base_registers()) out += register_line(r, 0, "") + meanings_of(r, 0);
  out += window_lines(at_result, "RESULT") + window_lines(at_fifo, "FIFO");
  for (const Meaning& m : bit_meanings())
    if (std::strcmp(m.of, "CONTROL") == 0) out += meaning_line("coil", fmt::to_string(m.number), m);
  const char* const inputs[] = {"STATUS", "NOT_READY", "LINKS"};
  for (std::size_t i = 0; i < std::size(inputs); ++i)
    for (const Meaning& m : bit_meanings())
      if (std::strcmp(m.of, inputs[i]) == 0)
        out += meaning_line("discrete", fmt::to_string(16 * i + m.number), m);
  return out;
}

}  // namespace datum::modbus
