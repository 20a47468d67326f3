// CHARt: control charts of the cell.
#include <fmt/format.h>

#include "daemon/scpi/scpi_answer.h"
#include "daemon/scpi/scpi_commands.h"

namespace datum::scpi {
namespace {

ChartWatcher& watcher(Call& call) {
  ChartWatcher* watcher = call.instrument().chart_watcher();
  if (!watcher) throw Error(hardware_missing, "this cell watches no control charts");
  return *watcher;
}

void chart_catalog(Call& call) {
  std::string out;
  if (const ChartWatcher* all = call.instrument().chart_watcher())
    for (const ChartStatus& c : all->charts()) out += (out.empty() ? "" : ",") + quote(c.recipe);
  call.session.answer(out.empty() ? "\"\"" : out);
}

/// Of the chosen recipe.
void chart_state(Call& call) {
  const ChartWatcher* all = call.instrument().chart_watcher();
  const auto recipe = call.instrument().recipe();
  const ChartStatus c = all && recipe ? all->chart(recipe->name) : ChartStatus{};
  call.session.answer(fmt::format("{},{},{}", name_of(c.state), c.hit_results, quote(c.why)));
}

void chart_detail(Call& call) {
  const ChartStatus c = watcher(call).chart(call[0].text);
  if (c.state == ChartState::none)
    throw Error(illegal_parameter_value,
                "recipe '" + call[0].text + "' has no control charts; CHARt:CATalog? lists them");
  call.session.answer(fmt::format("{},{},{},{},{},{},{},{},{},{},{}", quote(c.recipe), name_of(c.state),
                                  quote(c.why), c.hit_results, c.last_hit, quote(c.limits), quote(c.at),
                                  quote(c.by), c.series, quote(c.rules), quote(c.disarm)));
}

}  // namespace

std::vector<Command> chart_commands() {
  const auto text = [](const char* name) { return Parameter{Parameter::Kind::string, name, false}; };
  return {
      {"CHARt:CATalog?", chart_catalog, {}, "recipes with control charts; \"\" there is none"},
      {"CHARt:STATe?",
       chart_state,
       {},
       "of the chosen recipe: NONE, IN_CONTROL, NO_LIMITS, STALE, HIT or DISARMED; results that hit a rule "
       "since the last "
       "acknowledgement; why"},
      {"CHARt:DETail?",
       chart_detail,
       {text("recipe")},
       "recipe, state, why, results that hit a rule since the last acknowledgement, the newest of them (0: "
       "none), id of the "
       "limits, when and by whom they were frozen, series with limits, rules, those of them that disarm"},
      {"CHARt:ACKnowledge",
       [](Call& c) { watcher(c).acknowledge(c[0].text, c[1].text, c[2].text); },
       {text("recipe"), text("person"), text("reason")},
       "a named person has looked into what was hit: the cell may be armed again, and runs of points begin "
       "anew",
       Access::configures},
  };
}

}  // namespace datum::scpi
