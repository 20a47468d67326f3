// The one table of commands: what is understood, with which parameters, and what HELP says about it.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "daemon/scpi/scpi_parameter.h"
#include "daemon/scpi/scpi_pattern.h"
#include "daemon/scpi/scpi_session.h"

namespace datum::scpi {

/// One execution of a command.
struct Call {
  Session& session;
  std::vector<std::optional<Value>> arguments;  // as declared
  std::vector<int> suffixes;                    // one per <n>

  Instrument& instrument() const { return session.instrument(); }
  const Value& operator[](std::size_t i) const { return *arguments[i]; }
};

/// Any host reads and sets what is its own link's; the others take a role of its link, and what commands or configures the
/// cell is refused with -203 where another host holds control (lock_arbiter.h). `measures`: commands, and a result states it.
enum class Access : std::uint8_t { reads, measures, commands, configures, stops };

struct Command {
  Pattern pattern;  // of a common command: "*ESE?" matches by itself
  void (*run)(Call&);
  std::vector<Parameter> parameters;
  const char* help;
  Access access;

  /// A query reads, anything else commands, where `access` does not say otherwise.
  Command(const char* text, void (*handler)(Call&), std::vector<Parameter> declared, const char* words)
      : pattern(text),
        run(handler),
        parameters(std::move(declared)),
        help(words),
        access(pattern.is_query() ? Access::reads : Access::commands) {}
  Command(const char* text, void (*handler)(Call&), std::vector<Parameter> declared, const char* words,
          Access of)
      : Command(text, handler, std::move(declared), words) {
    access = of;
  }
};

/// "[<sequence>]", and the result that it names: the newest one without it. Throws Error -230 where there is none yet,
/// -222 where that one is not stored.
Parameter result_sequence();
StoredResult asked_for(Call& call);

/// Parts of the table, by file.
std::vector<Command> common_commands();       // 488.2
std::vector<Command> system_commands();       // SYSTem, STATus, DIAGnostic
std::vector<Command> control_commands();      // SYSTem:LOCK
std::vector<Command> inspection_commands();   // CONFigure, INITiate, TRIGger, ABORt
std::vector<Command> calibration_commands();  // CALibration
std::vector<Command> hole_commands();         // PROBe:HOLE
std::vector<Command> result_commands();       // FETCh, DATA:PUSH
std::vector<Command> height_commands();       // FETCh:HEIGht, CALCulate:LIMit
std::vector<Command> data_commands();         // DATA
std::vector<Command> form_commands();         // FORMat, UNIT
std::vector<Command> memory_commands();       // MMEMory:DATA, DELete
std::vector<Command> environment_commands();  // SYSTem:DATE, TIME, COMMunicate

const std::vector<Command>& all_commands();

}  // namespace datum::scpi
