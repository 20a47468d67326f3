#include "daemon/manual/manual.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstring>
#include <functional>
#include <map>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

#include "daemon/hosts/command_server.h"
#include "daemon/manual/reason_table.h"
#include "daemon/modbus/register_map.h"
#include "daemon/scpi/scpi_commands.h"
#include "daemon/scpi/scpi_framer.h"
#include "daemon/text/roff.h"
#include "drivers/sensor/sidecar_table.h"

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

/// Adds REGISTERS, WINDOW_REGISTERS, ROW_REGISTERS and the addresses of windows and rows.
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

/// "CALibration" for "CALibration:STARt"; common commands form one group.
std::string subsystem(const scpi::Command& command) {
  const std::string& header = command.pattern.text();
  if (header[0] == '*') return "Common commands of IEEE 488.2";
  return header.substr(0, header.find_first_of(":[?"));
}

std::string meaning(const scpi::Command& command) {
  std::string text = *command.help ? command.help : "what was set";
  using scpi::Access;
  text += command.access == Access::reads        ? "."
          : command.access == Access::configures ? ". Commands the cell; takes role \"configure\"."
                                                 : ". Commands the cell.";
  for (const scpi::Parameter& p : command.parameters)
    text += fmt::format("\n{}{}: {}.", p.name, p.optional ? " (may be left out)" : "", scpi::range_text(p));
  return text;
}

using Values = std::map<std::string, std::function<std::string()>>;

template <class T>
std::function<std::string()> number(T value) {
  return [value] { return fmt::format("{}", value); };
}

Values values(const std::string& version) {
  const CommandServerSettings tcp;
  Values values{{"VERSION", [version] { return version; }},
                {"COMMANDS", commands},
                {"ERRORS", errors},
                {"REASONS", reasons},
                {"SIDECAR_KEYS", sidecar_keys},
                {"HEIGHT_FORMATS", formats_of_heights},
                {"CONNECTIONS", number(tcp.most_connections)},
                {"IDLE_S", number(tcp.idle_s)},
                {"COMMANDS_A_SECOND", number(tcp.commands_per_second)},
                {"UNSENT_MIB", number(CommandLink::most_unsent / 1024 / 1024)},
                {"MESSAGE_BYTES", number(scpi::Framer::longest_message)},
                {"BLOCK_BYTES", number(scpi::Framer::longest_block)}};
  add_registers(values);
  return values;
}

/// NAME where the text begins with a marker, @NAME@; else empty.
std::string marker_at(std::string_view text) {
  const std::size_t end = text.find('@', 1);
  if (end == text.npos) return "";
  const std::string_view name = text.substr(1, end - 1);
  const bool good =
      !name.starts_with('_') && name.find_first_not_of("ABCDEFGHIJKLMNOPQRSTUVWXYZ_") == name.npos;
  return good ? std::string(name) : "";
}

}  // namespace

std::string commands() {
  std::vector<std::string> subsystems;  // in the order of the table, each once
  for (const scpi::Command& command : scpi::all_commands())
    if (std::find(subsystems.begin(), subsystems.end(), subsystem(command)) == subsystems.end())
      subsystems.push_back(subsystem(command));
  Roff items;
  for (const std::string& name : subsystems) {
    items.paragraph(name + ":");
    for (const scpi::Command& command : scpi::all_commands()) {
      if (subsystem(command) != name) continue;
      const std::string parameters = scpi::signature(command.parameters);
      items.item(command.pattern.text() + (parameters.empty() ? "" : " ") + parameters, "", meaning(command));
    }
  }
  return items.text();
}

std::string errors() {
  Roff items;
  std::string never;
  for (const scpi::ErrorText& error : scpi::all_errors()) {
    if (error.cause)
      items.item(fmt::format("{} {}", error.number, error.text), "", std::string(error.cause) + ".");
    else if (error.never)
      never += fmt::format("{} {}: {}\n", error.number, error.text, error.never);
  }
  items.paragraph("Numbers of the standard that datumd never raises, and why:");
  items.example(never);
  return items.text();
}

std::string reasons() {
  Roff items;
  for (const ReasonRow& row : reason_table()) {
    items.item(name_of(row.reason), "", row.meaning);
    items.more(fmt::format("Cause: {}", row.cause));
    items.more(fmt::format("Keys: {}.", row.keys));
    items.more(fmt::format("Remedy: {}", row.remedy));
  }
  return items.text();
}

std::string sidecar_keys() {
  Roff items;
  for (const SidecarRow& row : sidecar_rows()) {
    items.item(std::string(row.key) + (row.needed ? "" : "*"), "", row.meaning);
    items.more(fmt::format("Allowed: {}.", row.allowed));
  }
  return items.text();
}

std::string formats_of_heights() {
  Roff items;
  for (const HeightFormat& format : height_formats()) {
    items.item(format.name, format.extensions, format.samples);
    items.more(fmt::format("Sidecar: {}", format.sidecar));
  }
  return items.text();
}

std::string filled(const std::string& page, const std::string& version) {
  const Values known = values(version);
  std::string text;
  std::string_view rest = page;
  for (std::size_t at = rest.find('@'); at != rest.npos; at = rest.find('@')) {
    text += rest.substr(0, at);
    rest.remove_prefix(at);
    const std::string name = marker_at(rest);
    if (name.empty()) {
      text += '@';
      rest.remove_prefix(1);
      continue;
    }
    const auto value = known.find(name);
    if (value == known.end()) throw std::runtime_error("no table and no limit is called @" + name + "@");
    text += value->second();
    rest.remove_prefix(name.size() + 2);
    if (!rest.starts_with('\n')) continue;
    rest.remove_prefix(1);
    if (text.back() != '\n') text += '\n';
  }
  return text += rest;
}

}  // namespace datum::manual
