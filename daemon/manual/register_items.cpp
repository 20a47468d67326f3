#include "daemon/manual/register_items.h"

#include <fmt/format.h>

#include <cstring>
#include <vector>

#include "daemon/modbus/register_map.h"
#include "daemon/text/roff.h"

namespace datum::manual {
namespace {

using namespace modbus;

std::string meanings_of(const Register& r) {
  std::string text;
  for (const auto* table : {&bit_meanings(), &value_meanings()})
    for (const Meaning& m : *table)
      if (std::strcmp(m.of, r.name) == 0)
        text += fmt::format("\n{} {}{}{}", m.number, m.name, *m.text ? ": " : "", m.text);
  return text;
}

/// `plus` stands before an offset, nothing before an address.
std::string items_of(const std::vector<Register>& table, const char* plus) {
  Roff items;
  for (const Register& r : table) {
    const std::string place =
        r.count == 1 ? fmt::format("{}{}", plus, r.address)
                     : fmt::format("{}{} to {}{}", plus, r.address, plus, r.address + r.count - 1);
    items.item(fmt::format("{} {}", place, r.name),
               fmt::format("{}{}{}{}", name_of(r.type), *r.unit ? " in " : "", r.unit,
                           r.access == Access::write ? ", written" : ""),
               (*r.text ? std::string(r.text) + "." : std::string("-")) + meanings_of(r));
  }
  return items.text();
}

}  // namespace

void add_registers(std::map<std::string, std::function<std::string()>>& values) {
  values["REGISTERS"] = [] { return items_of(base_registers(), ""); };
  values["WINDOW_REGISTERS"] = [] { return items_of(window_registers(), "+"); };
  values["ROW_REGISTERS"] = [] { return items_of(row_registers(), "+"); };
  const std::map<std::string, int> addresses{{"HANDSHAKE_WINDOW", at_result},
                                             {"FIFO_WINDOW", at_fifo},
                                             {"FIRST_ROW", in_first_row},
                                             {"ROW_SIZE", row_size},
                                             {"ROWS", most_rows}};
  for (const auto& [name, address] : addresses)
    values[name] = [address = address] { return std::to_string(address); };
}

}  // namespace datum::manual
