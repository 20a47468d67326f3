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

StoredResult asked_for(Call& call) {
  std::optional<std::uint64_t> sequence;
  if (call.arguments[0]) sequence = call[0].integer;
  if (auto found = call.instrument().result(sequence)) return *std::move(found);
  if (!sequence) throw Error(data_corrupt_or_stale, "no board has been measured yet");
  const auto have = call.instrument().results();
  throw Error(data_out_of_range, fmt::format("result {}; {} are stored, {} to {}", *sequence, have.count,
                                             have.first, have.last));
}

namespace {

void board(Call& call) {
  const auto v = asked_for(call).verdict();
  std::array<std::uint32_t, 4> n{};
  for (const auto& component : v.components) ++n.at(static_cast<std::size_t>(component.decision));
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

}  // namespace

std::vector<Command> result_commands() {
  const Parameter sequence = result_sequence();
  const Parameter on{Parameter::Kind::boolean, "on"};
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
