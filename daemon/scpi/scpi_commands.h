// The table of commands: headers, parameters and help texts.
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
  std::vector<std::optional<Value>> arguments;  // in the order of the declaration
  std::vector<int> suffixes;                    // one per <n>

  Instrument& instrument() const { return session.instrument(); }
  const Value& operator[](std::size_t i) const { return *arguments[i]; }
};

/// Every host may query, and set what belongs to its own link. The other kinds demand a role of the link. -203 refuses
/// commands and configuration while another host has control (lock_arbiter.h). `measures`: a command that a result
/// states.
enum class Access : std::uint8_t { reads, measures, commands, configures, stops };

struct Command {
  Pattern pattern;  // of a common command, "*ESE?" is a pattern of its own
  void (*run)(Call&);
  std::vector<Parameter> parameters;
  const char* help;
  Access access;

  /// A query reads, any other command commands, unless `access` is set.
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

/// The parameter "[<sequence>]", and its result: without the parameter the newest one. Throws Error -230 for an empty
/// store, -222 where the result is not stored.
Parameter result_sequence();
StoredResult asked_for(Call& call, std::size_t argument = 0);

/// Parts of the table, one per file.
std::vector<Command> common_commands();       // 488.2
std::vector<Command> system_commands();       // SYSTem, STATus, DIAGnostic
std::vector<Command> control_commands();      // SYSTem:LOCK
std::vector<Command> inspection_commands();   // CONFigure, INITiate, TRIGger, ABORt
std::vector<Command> calibration_commands();  // CALibration
std::vector<Command> hole_commands();         // PROBe:HOLE
std::vector<Command> chart_commands();        // CHARt
std::vector<Command> check_commands();        // CHECk
std::vector<Command> result_commands();       // FETCh, DATA:PUSH
std::vector<Command> height_commands();       // FETCh:HEIGht, CALCulate:LIMit
std::vector<Command> data_commands();         // DATA
std::vector<Command> form_commands();         // FORMat, UNIT
std::vector<Command> memory_commands();       // MMEMory:DATA, DELete
std::vector<Command> environment_commands();  // SYSTem:DATE, TIME, COMMunicate

const std::vector<Command>& all_commands();

}  // namespace datum::scpi
