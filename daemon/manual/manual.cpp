#include "daemon/manual/manual.h"

#include <fmt/format.h>

#include <algorithm>

#include "daemon/scpi/scpi_commands.h"
#include "daemon/text/roff.h"

namespace datum::manual {
namespace {

/// "CALibration" of "CALibration:STARt"; common commands together.
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

}  // namespace

Part text(std::string words) { return {Part::Kind::text, std::move(words)}; }
Part verbatim(std::string lines) { return {Part::Kind::verbatim, std::move(lines)}; }
Part item(std::string term, std::string words) {
  return {Part::Kind::item, std::move(words), std::move(term)};
}

Section command_section() {
  Section section{
      "COMMANDS",
      {text("A word's capitals are its short form. What stands in square brackets may be left out; "
            "<n> is a number, 1 where it is left out. Where a number is taken, so are MINimum and "
            "MAXimum; the limits of a number that can be set are asked of its query: "
            "SENSe:TEMPerature? MAX. What commands the cell is refused while another host has "
            "control.")}};
  std::vector<std::string> subsystems;  // in the order of the table, each once
  for (const scpi::Command& command : scpi::all_commands())
    if (std::find(subsystems.begin(), subsystems.end(), subsystem(command)) == subsystems.end())
      subsystems.push_back(subsystem(command));
  for (const std::string& name : subsystems) {
    section.parts.push_back(text(name + ":"));
    for (const scpi::Command& command : scpi::all_commands()) {
      if (subsystem(command) != name) continue;
      const std::string parameters = scpi::signature(command.parameters);
      section.parts.push_back(
          item(command.pattern.text() + (parameters.empty() ? "" : " ") + parameters, meaning(command)));
    }
  }
  return section;
}

Section error_section() {
  Section section{
      "ERRORS",
      {text(
          "SYSTem:ERRor? takes the oldest of at most 32 errors: its number, and in quotes the standard's "
          "words, a "
          "semicolon, and what was wrong and what is allowed. Numbers from -100 on end their message; after "
          "others the rest of it is executed. Bits of *ESR?: -1xx 32, -2xx 16, -3xx 8, -4xx 4.")}};
  std::string never;
  for (const scpi::ErrorText& error : scpi::all_errors()) {
    if (error.cause)
      section.parts.push_back(
          item(fmt::format("{} {}", error.number, error.text), std::string(error.cause) + "."));
    else if (error.never)
      never += fmt::format("{} {}: {}\n", error.number, error.text, error.never);
  }
  section.parts.push_back(text("Numbers of the standard that datumd never raises, and why:"));
  section.parts.push_back(verbatim(never));
  return section;
}

std::vector<Section> sections() {
  std::vector<Section> all;
  for (auto part : {links_sections(),
                    {command_section()},
                    status_sections(),
                    {error_section()},
                    delivery_sections(),
                    control_sections(),
                    host_sections()})
    for (auto& section : part) all.push_back(std::move(section));
  return all;
}

std::string page(const std::string& version) {
  Roff roff("DATUMD-PROTOCOL", 7, "datumd " + version, "datumd manual");
  for (const Section& section : sections()) {
    roff.section(section.title);
    for (const Part& p : section.parts) {
      if (p.kind == Part::Kind::text)
        roff.paragraph(p.text);
      else if (p.kind == Part::Kind::verbatim)
        roff.example(p.text);
      else
        roff.item(p.term, "", p.text);
    }
  }
  return roff.text();
}

}  // namespace datum::manual
