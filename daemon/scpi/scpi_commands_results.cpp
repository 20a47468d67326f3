// Results of the last board, or of any stored one.
#include <fmt/format.h>

#include <cmath>
#include <cstring>
#include <limits>

#include "daemon/scpi/scpi_answer.h"
#include "daemon/scpi/scpi_commands.h"

namespace datum::scpi {

Parameter result_sequence() {
  constexpr double largest = 9223372036854775807.0;  // a stored sequence number is a signed 64-bit integer
  return {Parameter::Kind::integer, "sequence", true, 1, largest, std::nullopt, Dimension::none, {}, true};
}

StoredResult asked_for(Call& call, std::size_t argument) {
  std::optional<std::uint64_t> sequence;
  if (call.arguments[argument]) sequence = call[argument].integer;
  if (auto found = call.instrument().result(sequence)) return *std::move(found);
  if (!sequence) throw Error(data_corrupt_or_stale, "no board has been measured yet");
  const auto have = call.instrument().results();
  throw Error(data_out_of_range, fmt::format("result {}; {} are stored, {} to {}", *sequence, have.count,
                                             have.first, have.last));
}

namespace {

void board(Call& call) {
  const auto v = asked_for(call).verdict();
  const std::array<std::uint32_t, 4> n = component_counts(v);
  call.session.answer(fmt::format("{},{},{},{},{},{},{},{},{},{},{},{},{}", v.sequence, name_of(v.decision),
                                  name_of(v.reason), quote(v.recipe), quote(v.recipe_sha256),
                                  quote(v.frame_id), quote(v.unit_id), quote(v.measured_at), n[0], n[1], n[2],
                                  n[3], quote(v.detail)));
}

std::string row(const ComponentVerdict& component, CheckVerdict v, LengthUnit unit) {
  const bool invalid = v.decision == Decision::invalid;
  constexpr double none = std::numeric_limits<double>::quiet_NaN();
  const char* told_unit = unit_of(v.check.characteristic);
  if (std::strcmp(told_unit, "um") == 0) {
    told_unit = name_of(unit);
    v.value = in_unit(unit, v.value);
    v.u = in_unit(unit, v.u);
    if (v.check.lower) v.check.lower = in_unit(unit, *v.check.lower);
    if (v.check.upper) v.check.upper = in_unit(unit, *v.check.upper);
  }
  return fmt::format("{},{},{},{},{},{},{},{},{},{}", quote(component.reference),
                     quote(name_of(v.check.characteristic)), name_of(v.decision), name_of(v.reason),
                     number(invalid ? none : v.value), number(invalid ? none : 2 * v.u),
                     lower_limit(v.check.lower), upper_limit(v.check.upper), quote(told_unit),
                     quote(v.detail));
}

void components(Call& call) {
  const auto verdict = asked_for(call).verdict();
  std::string rows;
  std::size_t count = 0;
  for (const auto& component : verdict.components)
    for (const auto& check : component.checks) {
      rows += "," + row(component, check, call.session.form().length);
      ++count;
    }
  call.session.answer(fmt::format("{},{}{}", verdict.sequence, count, rows));
}

/// One board of a panel: name, serial, verdict, reason, components by decision, words.
std::string panel_board(const BoardVerdict& v, std::size_t index) {
  const PanelBoard& board = v.boards[index];
  std::array<std::uint32_t, 4> n{};
  for (const ComponentVerdict& c : v.components)
    if (c.reference.ends_with("@" + board.name) && !is_skipped(c))
      ++n.at(static_cast<std::size_t>(c.decision));
  return fmt::format("{},{},{},{},{},{},{},{},{}", quote(board.name), quote(board.unit_id), word_of(board),
                     name_of(board.reason), n[0], n[1], n[2], n[3], quote(board.detail));
}

BoardVerdict panel_asked_for(Call& call, std::size_t argument) {
  BoardVerdict v = asked_for(call, argument).verdict();
  if (v.boards.empty())
    throw Error(data_corrupt_or_stale, fmt::format("result {} is of one board; FETCh:BOARd?", v.sequence));
  return v;
}

void panel(Call& call) {
  const BoardVerdict v = panel_asked_for(call, 0);
  const BoardCounts n = counts_of(v.boards);
  std::string out = fmt::format("{},{},{},{},{},{},{},{}", v.sequence, name_of(v.decision), v.boards.size(),
                                n.of[0], n.of[1], n.of[2], n.of[3], n.skipped);
  for (const PanelBoard& board : v.boards)
    out += fmt::format(",{},{},{}", quote(board.name), quote(board.unit_id), word_of(board));
  call.session.answer(out);
}

void one_board(Call& call) {
  const BoardVerdict v = panel_asked_for(call, 1);
  for (std::size_t i = 0; i < v.boards.size(); ++i)
    if (v.boards[i].name == call[0].text)
      return call.session.answer(fmt::format("{},{}", v.sequence, panel_board(v, i)));
  throw Error(illegal_parameter_value,
              fmt::format("result {} has no board '{}'; {} to {}", v.sequence, call[0].text,
                          v.boards.front().name, v.boards.back().name));
}

}  // namespace

std::vector<Command> result_commands() {
  const Parameter sequence = result_sequence();
  const Parameter on{Parameter::Kind::boolean, "on"};
  const Parameter name{Parameter::Kind::string, "board"};
  return {
      {"FETCh:BOARd?",
       board,
       {sequence},
       "sequence, decision, reason, recipe, its hash, frame, unit, time, components passed, inconclusive, "
       "failed, invalid, words"},
      {"FETCh:COMPonents?",
       components,
       {sequence},
       "sequence, rows; per row: reference, characteristic, decision, reason, value, U (k = 2), lower, "
       "upper, unit, words; lengths in UNIT:LENGth"},
      {"FETCh:PANel?",
       panel,
       {sequence},
       "of a panel: sequence, decision, boards, of them passed, inconclusive, failed, invalid, skipped; per "
       "board: name, "
       "serial number, verdict"},
      {"FETCh:PANel:BOARd?",
       one_board,
       {name, sequence},
       "one board of a panel, such as \"2-3\": sequence, name, serial number, verdict, reason, components "
       "passed, "
       "inconclusive, failed, invalid, words"},
      {"FETCh:JSON?",
       [](Call& c) { c.session.answer(block(asked_for(c).json)); },
       {sequence},
       "the whole verdict as a block"},
      {"DATA:PUSH",
       [](Call& c) { c.session.push_results(c[0].on); },
       {on},
       "push a result line on this link when a board is done",
       Access::reads},
      {"DATA:PUSH?", [](Call& c) { c.session.answer(c.session.pushes_results() ? "1" : "0"); }, {}, ""},
  };
}

}  // namespace datum::scpi
