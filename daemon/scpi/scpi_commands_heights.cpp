// FETCh:HEIGht and CALCulate:LIMit: one height per component, and its limits.
//
// The height of a component is its first check in um, in the order of the recipe.
#include <fmt/format.h>

#include <algorithm>
#include <cstring>
#include <limits>

#include "daemon/inspection/board/warp_recipe.h"
#include "daemon/scpi/scpi_answer.h"
#include "daemon/scpi/scpi_commands.h"

namespace datum::scpi {
namespace {

/// Bow and twist of the board are in um too, but are no heights.
bool is_height(const Check& check) {
  return std::strcmp(unit_of(check.characteristic), "um") == 0 && check.characteristic < Characteristic::bow;
}

double height_um(const ComponentVerdict& component) {
  const auto at = std::find_if(component.checks.begin(), component.checks.end(),
                               [](const CheckVerdict& c) { return is_height(c.check); });
  constexpr double none = std::numeric_limits<double>::quiet_NaN();
  return at == component.checks.end() || at->decision == Decision::invalid ? none : at->value;
}

void heights(Call& call) {
  const BoardVerdict v = asked_for(call).verdict();
  if (v.components.empty())
    throw Error(data_corrupt_or_stale, fmt::format("result {} has no component: {} {}", v.sequence,
                                                   name_of(v.decision), name_of(v.reason)));
  std::vector<std::string> names;
  for (const auto& component : v.components) names.push_back(component.reference);
  std::vector<std::size_t> wanted;
  if (call.arguments[1])
    wanted = resolve(call[1].channels, names);
  else
    for (std::size_t i = 0; i < names.size(); ++i) wanted.push_back(i);
  std::vector<double> values;
  for (const std::size_t i : wanted)
    values.push_back(in_unit(call.session.form().length, height_um(v.components[i])));
  call.session.answer(numbers(values, call.session.form()));
}

const Recipe& chosen(Call& call) {
  const Recipe* recipe = call.instrument().chosen_recipe();
  if (!recipe) throw Error(settings_conflict, "no recipe chosen; CONFigure:RECipe \"name\"");
  return *recipe;
}

/// The component with the number in the suffix of LIMit.
template <class All>
const auto& numbered(Call& call, const All& all) {
  const int n = call.suffixes.front();
  if (n < 1 || static_cast<std::size_t>(n) > all.size())
    throw Error(header_suffix_out_of_range, fmt::format("component {}; 1 to {}", n, all.size()));
  return all[static_cast<std::size_t>(n) - 1];
}

const Component& asked_component(Call& call) { return *numbered(call, verdict_rows(chosen(call))); }

void checks(Call& call) {
  const Component& component = asked_component(call);
  std::string out = fmt::format("{},{}", quote(component.reference), component.checks.size());
  for (const Check& check : component.checks)
    out += fmt::format(",{},{},{},{}", quote(name_of(check.characteristic)), lower_limit(check.lower),
                       upper_limit(check.upper), quote(unit_of(check.characteristic)));
  call.session.answer(out);
}

enum class Side { lower, upper };

template <Side side>
void limit(Call& call) {
  const Component& component = asked_component(call);
  const auto at = std::find_if(component.checks.begin(), component.checks.end(), is_height);
  if (at == component.checks.end())
    throw Error(settings_conflict, component.reference + " has no check of its height; CALCulate:LIMit<n>?");
  const LengthUnit unit = call.session.form().length;
  const auto& limit_um = side == Side::lower ? at->lower : at->upper;
  std::optional<double> told;
  if (limit_um) told = in_unit(unit, *limit_um);
  call.session.answer(side == Side::lower ? lower_limit(told) : upper_limit(told));
}

/// Failed means not PASS: INCONCLUSIVE and INVALID do not release a board.
void failed(Call& call) {
  const auto newest = call.instrument().result(std::nullopt);
  if (!newest) throw Error(data_corrupt_or_stale, "no board has been measured yet");
  const BoardVerdict v = newest->verdict();
  if (v.components.empty()) return call.session.answer("1");
  call.session.answer(numbered(call, v.components).decision == Decision::pass ? "0" : "1");
}

void references(Call& call) {
  std::string out;
  for (const Component* component : verdict_rows(chosen(call)))
    out += (out.empty() ? "" : ",") + quote(component->reference);
  call.session.answer(out);
}

}  // namespace

std::vector<Command> height_commands() {
  Parameter components{Parameter::Kind::channels, "components", true};
  return {
      {"FETCh:HEIGht?",
       heights,
       {result_sequence(), components},
       "heights of all components, or of those listed, in their order: each one's first check in um as the "
       "recipe "
       "lists them; 9.91E37 where it is INVALID or has none; in UNIT:LENGth and FORMat"},
      {"CONFigure:RECipe:COMPonents?",
       references,
       {},
       "references of the chosen recipe's components, in its order; the board's own row, where it has "
       "[warp], is the last"},
      {"CALCulate:LIMit<n>?",
       checks,
       {},
       "component n of the chosen recipe: reference, checks; per check: characteristic, lower, upper, unit "
       "of both"},
      {"CALCulate:LIMit<n>:LOWer?",
       limit<Side::lower>,
       {},
       "lower limit of its height in UNIT:LENGth, -9.9E37: none"},
      {"CALCulate:LIMit<n>:UPPer?",
       limit<Side::upper>,
       {},
       "upper limit of its height in UNIT:LENGth, 9.9E37: none"},
      {"CALCulate:LIMit<n>:FAIL?",
       failed,
       {},
       "0 where component n of the newest result is PASS, else 1: INCONCLUSIVE and INVALID count as failed"},
  };
}

}  // namespace datum::scpi
