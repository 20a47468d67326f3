// GocatorSession: the ASCII protocol of Gocator sensors for one host. A line built for such a sensor reads datumd's
// results without new software. Commands in any letter case: name, parameters after the delimiter, terminator.
//
//   Start             arm                       Stop      disarm, as ABORt        Trigger   measure the board in the cell
//   LoadJob[,recipe]  choose or report the recipe         Stamp     time in us since 1970 UTC and number of the last result
//   Result[,id...]    Value[,id...]    Decision[,id...]   of the last result; without ids by the custom format, else all
//
// Replies: OK, OK,<data>, ERROR,<why>. A result is valid as the last one only while no measurement runs and a board was
// completed since this host triggered, armed or chose a recipe. A host never reads the result of an earlier board.
#pragma once

#include <cstdint>
#include <deque>
#include <string>
#include <string_view>
#include <vector>

#include "daemon/gocator_ascii/gocator_line.h"
#include "daemon/instrument/host_codec.h"
#include "daemon/instrument/instrument.h"

namespace datum {

class GocatorSession final : public HostCodec {
 public:
  static constexpr std::size_t longest_command = 1024;  // bytes

  GocatorSession(Instrument& instrument, GocatorSettings settings, std::string host);

  void receive(std::string_view bytes) override;
  bool waits() const override { return !commands_.empty(); }
  void resume() override;
  std::vector<std::string> take_answers() override;
  void instrument_changed() override {}
  void link_lost() override;
  /// The protocol has no error message: the log reports it, and the next result shows it.
  void raise(int, const std::string&) override {}

  bool pushes_results() const override { return settings_.asynchronous; }
  std::string pushed(const BoardVerdict& verdict) const override {
    return gocator_result(verdict, settings_) + settings_.terminator;
  }
  std::string gap(const std::string&, std::uint64_t, std::uint64_t) const override { return {}; }

 private:
  using Words = std::vector<std::string>;  // name in lower case, parameters

  void finish();
  std::string reply(const std::string& command);
  std::string execute(const Words& words, const std::string& command);
  std::string job(const Words& words, const std::string& command);
  std::string stamp();
  std::string results(const Words& words, GocatorParts parts);
  StoredResult last_result();
  void change(const std::string& command) { instrument_.control().change(host_, command); }
  void expect_next();

  Instrument& instrument_;
  GocatorSettings settings_;
  std::string host_;
  std::string line_;                  // incomplete command
  bool too_long_ = false;             // the rest of the command is ignored
  std::deque<std::string> commands_;  // complete commands; "": one that was too long
  std::vector<std::string> answers_;
  std::uint64_t old_ = 0;  // results up to this sequence number belong to earlier boards
};

}  // namespace datum
