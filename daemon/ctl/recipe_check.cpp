#include "daemon/ctl/recipe_check.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <nlohmann/json.hpp>

#include "daemon/ctl/exit_status.h"
#include "daemon/inspection/recipe/panel_recipe.h"

namespace datum {
namespace {

std::map<std::string, int> reasons_of(const std::vector<TriedBoard>& boards) {
  std::map<std::string, int> whys;
  for (const TriedBoard& board : boards)
    if (!board.now) ++whys[board.why];
  return whys;
}

std::ptrdiff_t measured_of(const RecipeReport& report) {
  return std::count_if(report.boards.begin(), report.boards.end(), [](const auto& b) { return !!b.now; });
}

/// At least one board was measured.
double median_ms(const std::vector<TriedBoard>& boards) {
  std::vector<double> all;
  for (const TriedBoard& board : boards)
    if (board.now) all.push_back(board.ms);
  std::nth_element(all.begin(), all.begin() + static_cast<std::ptrdiff_t>(all.size() / 2), all.end());
  return all[all.size() / 2];
}

std::vector<const Component*> unconfirmed_of(const Recipe& recipe) {
  std::vector<const Component*> all;
  for (const Component& c : recipe.components)
    if (!c.nominal_confirmed) all.push_back(&c);
  return all;
}

std::string heights_text(const Recipe& recipe) {
  const auto open = unconfirmed_of(recipe);
  std::string text = fmt::format("heights: {} confirmed, {} not{}\n", recipe.components.size() - open.size(),
                                 open.size(), open.empty() ? "" : ": these cannot PASS");
  for (const Component* c : open)
    text += fmt::format("  {}: nominal_um = {:g} from {}\n", c->reference, c->nominal_height_um,
                        c->nominal_source.empty() ? "an unstated source" : c->nominal_source);
  for (const Confirmation& said : recipe.confirmations)
    text += fmt::format("confirmed by {} at {}: {} components, {} frames\n", said.by, said.at,
                        said.references.size(), said.frames_sha256.size());
  return text;
}

std::string frames_text(const RecipeReport& report) {
  const auto measured = measured_of(report);
  std::string text = fmt::format("frames: {} measured by it, of the newest {} results of recipe {}\n",
                                 measured, report.boards.size(), report.of);
  text += unmeasured_text(report.boards);
  if (measured == 0) return text + "floors and time are not known: no frame of it is kept\n";
  if (const FloorShare share = floor_share(report.boards); share.components > 0) {
    text += fmt::format("floors: {} of {} good ({:.1f} %)\n", share.good, share.components,
                        100.0 * share.good / share.components);
    for (const RefusedFloors& r : share.refused)
      text += fmt::format("  {}: {} on {} of {} boards\n", r.reference, r.reason, r.boards, measured);
  }
  return text + fmt::format(
                    "time of a board: {:.1f} ms (median; read and measured by this computer's CPU as it is "
                    "busy now)\n",
                    median_ms(report.boards));
}

nlohmann::ordered_json heights_json(const Recipe& recipe) {
  auto open = nlohmann::ordered_json::array(), said = nlohmann::ordered_json::array();
  for (const Component* c : unconfirmed_of(recipe))
    open.push_back(
        {{"reference", c->reference}, {"nominal_um", c->nominal_height_um}, {"source", c->nominal_source}});
  for (const Confirmation& one : recipe.confirmations)
    said.push_back({{"by", one.by},
                    {"at", one.at},
                    {"references", one.references},
                    {"frames_sha256", one.frames_sha256}});
  return {{"unconfirmed", std::move(open)}, {"confirmations", std::move(said)}};
}

nlohmann::ordered_json frames_json(const RecipeReport& report) {
  const auto measured = measured_of(report);
  auto whys = nlohmann::ordered_json::array(), refused = nlohmann::ordered_json::array();
  for (const auto& [why, count] : reasons_of(report.boards))
    whys.push_back({{"results", count}, {"why", why}});
  const FloorShare share = floor_share(report.boards);
  for (const RefusedFloors& r : share.refused)
    refused.push_back({{"reference", r.reference}, {"reason", r.reason}, {"boards", r.boards}});
  nlohmann::ordered_json floors = nullptr, time = nullptr;
  if (share.components > 0)
    floors = {{"measured", share.components},
              {"good", share.good},
              {"good_share", static_cast<double>(share.good) / share.components},
              {"refused", std::move(refused)}};
  if (measured > 0) time = median_ms(report.boards);
  return {{"of", report.of},
          {"results", report.boards.size()},
          {"measured", measured},
          {"not_measured", std::move(whys)},
          {"floors", std::move(floors)},
          {"time_of_board_ms", std::move(time)}};
}

}  // namespace

std::string unmeasured_text(const std::vector<TriedBoard>& boards) {
  std::string text;
  for (const auto& [why, count] : reasons_of(boards))
    text += fmt::format("  {} not measured: {}\n", count, why);
  return text;
}

int status_of(const RecipeReport& report) {
  if (!report.recipe) return failed;
  return measured_of(report) == 0 ? untold : good;
}

std::string report_text(const RecipeReport& report) {
  std::string text;
  for (const std::string& error : report.errors) text += error + "\n";
  for (const std::string& warning : report.warnings) text += "warning: " + warning + "\n";
  if (!report.recipe) return text;
  const Recipe& recipe = *report.recipe;
  return text +
         fmt::format("recipe {}: {} components{}, sha256 {}\n", recipe.name, recipe.components.size(),
                     recipe.panel ? fmt::format(" on each of {} boards", recipe.panel->places.size()) : "",
                     recipe.sha256) +
         heights_text(recipe) + frames_text(report);
}

std::string report_json(const RecipeReport& report) {
  nlohmann::ordered_json out{{"errors", report.errors}, {"warnings", report.warnings}};
  if (report.recipe) {
    out["recipe"] = report.recipe->name;
    out["sha256"] = report.recipe->sha256;
    out["components"] = report.recipe->components.size();
    if (report.recipe->panel) out["boards"] = report.recipe->panel->places.size();
    out.update(heights_json(*report.recipe));
    out["frames"] = frames_json(report);
  }
  return out.dump(-1, ' ', false, nlohmann::json::error_handler_t::replace) + "\n";
}

}  // namespace datum
