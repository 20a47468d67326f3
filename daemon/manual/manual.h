// The manual page datumd-protocol(7), made from the table of commands, the table of errors and a few written sections.
#pragma once

#include <string>
#include <vector>

namespace datum::manual {

struct Part {
  enum class Kind { text, verbatim, item } kind = Kind::text;
  std::string text;
  std::string term = "";  // of an item: what it is about
};
Part text(std::string words);
/// Lines as they are: a table, an exchange.
Part verbatim(std::string lines);
Part item(std::string term, std::string words);

struct Section {
  std::string title;  // in capitals
  std::vector<Part> parts;
};

/// Written sections, one function per file manual_*.cpp; page() puts them in order.
std::vector<Section> links_sections();     // NAME to LINKS
std::vector<Section> status_sections();    // the registers
std::vector<Section> delivery_sections();  // results without loss, line time against cycle time
std::vector<Section> control_sections();   // who commands, other protocols
std::vector<Section> host_sections();      // hosts and examples

/// From all_commands() and all_errors().
Section command_section();
Section error_section();

std::vector<Section> sections();
/// roff with the macros of man(7). `version` stands at its foot.
std::string page(const std::string& version);

/// The manual page datumd-reasons(7), made from the table of reasons (reason_table.h).
std::string reasons_page(const std::string& version);

}  // namespace datum::manual
