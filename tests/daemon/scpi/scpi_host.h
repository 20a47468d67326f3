// A host with a session of a test cell.
#pragma once

#include <string>

#include "daemon/scpi/scpi_session.h"
#include "tests/daemon/scpi/fixture.h"

namespace datum::testing {

class ScpiHost {
 public:
  /// All answers to `text` (a line end is added), each with its LF.
  std::string ask(const std::string& text) { return raw(text + "\n"); }
  std::string raw(std::string_view bytes) {
    session.receive(bytes);
    return answers();
  }
  std::string answers() {
    std::string out;
    for (const auto& line : session.take_answers()) out += line;
    return out;
  }
  /// `text` must have no answer; returns the oldest error.
  std::string error_of(const std::string& text) {
    const std::string answer = ask(text);
    return answer.empty() ? ask("SYST:ERR?") : "answered: " + answer;
  }
  /// Completes the board in progress; returns the answers that waited for it.
  std::string finish(BoardVerdict verdict = board()) {
    cell.finish_board(std::move(verdict));
    session.instrument_changed();
    return answers();
  }

  FreshFolder folder;
  TestCell cell{folder / "results.db"};
  scpi::Session session{cell};
};

}  // namespace datum::testing
