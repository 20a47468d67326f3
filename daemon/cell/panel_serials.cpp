#include "daemon/cell/panel_serials.h"

#include <fmt/format.h>

#include <map>
#include <utility>

#include "daemon/inspection/board/code_image.h"
#include "daemon/inspection/board/pipeline.h"
#include "daemon/inspection/board/pipeline_alignment.h"
#include "daemon/inspection/recipe/panel_recipe.h"
#include "daemon/inspection/verdict/panel_refusal.h"
#include "drivers/frame/bounded_text.h"

namespace datum {
namespace {

const PanelSerials* serials_of(const BoardOrder& order) {
  const auto& panel = order.recipe->panel;
  return panel && panel->serials ? &*panel->serials : nullptr;
}

CodePicture picture_of(const HeightFrame& frame, const InspectionInputs& in, const Recipe& board,
                       const CodeRegion& region, const std::vector<StepRecord>& stages) {
  InspectionInputs own = in;
  own.recipe = &board;
  return code_picture(frame, BoardView(frame, moved(board_from_sensor(own), stages)), region);
}

/// Why the board has no number; empty: it has, in `unit`.
std::string settle(std::string& unit, const CodeFinding* found, const PanelSerials& rule,
                   const BoardOrder& order, const std::string& place) {
  if (found && !found->fault.empty()) return std::exchange(unit, ""), found->fault;
  if (found && !found->text.empty()) {
    if (unit.empty() || unit == found->text) return unit = found->text, "";
    return fmt::format("the code on the board says {}, stated is {}", found->text, std::exchange(unit, ""));
  }
  if (found && !unit.empty())
    return fmt::format("no code is read in panel.serial.code, which must confirm the number {}",
                       std::exchange(unit, ""));
  if (!unit.empty()) return "";
  if (rule.missing == WithoutBoardSerial::invalid)
    return found ? "no serial number was stated, and no code is read in panel.serial.code"
                 : "no serial number was stated of the board";
  if (order.unit.empty() || order.unit == unknown_serial)
    return "the board's number is that of its panel and its place, and the panel has none";
  return unit = order.unit + "@" + place, "";
}

/// Boards that have the number of another one.
void refuse_duplicates(const std::vector<PanelBoard>& boards, std::vector<std::string>& refusals) {
  std::map<std::string, std::vector<std::size_t>> by_number;
  for (std::size_t i = 0; i < boards.size(); ++i)
    if (!boards[i].unit_id.empty()) by_number[boards[i].unit_id].push_back(i);
  for (const auto& [number, all] : by_number)
    for (const std::size_t i : all)
      if (all.size() > 1)
        refusals[i] = fmt::format("the boards {} and {} have the same serial number {}", boards[i].name,
                                  boards[i == all[0] ? all[1] : all[0]].name, number);
}

}  // namespace

std::future<std::vector<CodeFinding>> look_at_panel_codes(const BoardOrder& order, const InspectionInputs& in,
                                                          const std::vector<PanelBoard>& measured) {
  const PanelSerials* rule = serials_of(order);
  if (!rule || !rule->code || !order.frame || order.reason != Reason::none) return {};
  std::vector<CodePicture> pictures;
  try {
    const std::vector<Recipe>& boards = order.recipe->panel->boards;
    for (std::size_t i = 0; i < boards.size(); ++i) {
      const std::vector<StepRecord> found =
          i < measured.size() ? measured[i].stages : std::vector<StepRecord>{};
      pictures.push_back(order.codes ? picture_of(order.frame->frame, in, boards[i], *rule->code, found)
                                     : CodePicture{std::nullopt, "nobody reads codes here"});
    }
  } catch (const std::exception&) {  // no calibration, a board on edge: the measurement says so
    return {};
  }
  return std::async(std::launch::async, [reader = order.codes, pictures = std::move(pictures),
                                         region = rule->code] {
    std::vector<CodeFinding> found;
    for (const CodePicture& p : pictures)
      found.push_back(p.image ? read_code(*reader, *p.image, region->payload) : CodeFinding{"", "", p.why});
    return found;
  });
}

void settle_board_numbers(BoardOrder& order, const std::vector<CodeFinding>& found) {
  const PanelSerials* rule = serials_of(order);
  std::vector<PanelBoard>& boards = order.verdict.boards;
  if (!rule || order.reason != Reason::none || order.verdict.reason == Reason::frame) return;
  std::vector<std::string> refusals;
  for (std::size_t i = 0; i < boards.size(); ++i)
    refusals.push_back(
        settle(boards[i].unit_id, i < found.size() ? &found[i] : nullptr, *rule, order, boards[i].name));
  refuse_duplicates(boards, refusals);
  for (std::size_t i = 0; i < boards.size(); ++i) {
    if (refusals[i].empty()) continue;
    boards[i].unit_id.clear();
    refuse_board(order.verdict, i, Reason::serial, bounded_text(refusals[i]));
  }
}

}  // namespace datum
