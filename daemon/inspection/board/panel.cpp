#include "daemon/inspection/board/panel.h"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <map>
#include <set>

#include "daemon/inspection/board/filter.h"
#include "daemon/inspection/board/pipeline_alignment.h"
#include "daemon/inspection/recipe/panel_recipe.h"
#include "daemon/inspection/registration/plane_motion.h"
#include "daemon/inspection/verdict/decision.h"
#include "daemon/inspection/verdict/plain_reason.h"
#include "gpu/core/backend.h"

namespace datum {
namespace {

/// Shares of a mark's pixels, in permille, from which it surely is there, and up to which it surely is not.
constexpr double there_permille = 800, absent_permille = 200;

enum class MarkState : std::uint8_t { good, bad, doubtful };

std::vector<std::string> place_names(const PanelRecipe& panel) {
  std::vector<std::string> names;
  for (const PanelPlace& place : panel.places) names.push_back(place.name);
  return names;
}

InspectionInputs inputs_for(const InspectionInputs& in, const Recipe& recipe) {
  InspectionInputs own = in;
  own.recipe = &recipe;
  own.step_ended = nullptr;
  if (in.recipe->alignment) own.planner = nullptr;  // each frame has its own places
  return own;
}

void tell_step(const InspectionInputs& in, InspectionStep step) {
  if (in.step_ended) in.step_ended(step);
}

/// The mark where its board lies; at the board's nominal place where that was not found: a bad board may be bare.
BoardInHand mark_of(const BoardInHand& board, const Recipe& recipe, const HeightFrame& frame,
                    const InspectionInputs& in) {
  BoardInHand mark = place_board(board.verdict, frame, inputs_for(in, recipe));
  if (!board.why) {
    mark.placement = board.placement;
    mark.view = board.view;
    mark.registered = board.registered;
  }
  return mark;
}

SeenPanel see_boards(const BoardVerdict& v, const HeightFrame& frame, const InspectionInputs& in,
                     BoardMeasurer& measurer) {
  const PanelRecipe& panel = *in.recipe->panel;
  if (in.planner) in.planner->keep(2 * (panel.boards.size() + panel.marks.size()));
  std::vector<BoardInHand> all;
  for (const Recipe& recipe : panel.boards) {
    BoardVerdict own = v;
    own.stages.clear();
    all.push_back(place_board(std::move(own), frame, inputs_for(in, recipe)));
  }
  for (std::size_t i = 0; i < panel.marks.size(); ++i)
    all.push_back(mark_of(all[i], panel.marks[i], frame, in));
  for (BoardInHand& board : all)
    if (!board.why) plan_sites(board, frame);
  tell_step(in, InspectionStep::plan);
  measure_boards(all, frame, measurer, in.threads > 0 ? in.threads : cpu_backend().threads);
  tell_step(in, InspectionStep::heights);
  SeenPanel seen;
  for (std::size_t i = 0; i < all.size(); ++i) {
    BoardVerdict judged = judge_board(all[i], frame, measurer);
    if (i < panel.boards.size())
      seen.boards.push_back(std::move(judged));
    else
      seen.marks.push_back(std::move(judged.components.front()));
  }
  tell_step(in, InspectionStep::evidence);
  return seen;
}

/// Missing pixels of a mark count as both. What is higher than a mark is something else: a part of a board that lies turned.
MarkState mark_state(const ComponentVerdict& mark, bool bad_if_there) {
  const CheckVerdict &height = mark.checks[0], &presence = mark.checks[1];
  if (height.reason != Reason::none || presence.reason != Reason::none) return MarkState::doubtful;
  const double missing = 1000.0 * (mark.body_pixels - mark.body_valid) / std::max(1u, mark.body_pixels);
  if (height.decision == Decision::pass && presence.value >= there_permille)
    return bad_if_there ? MarkState::bad : MarkState::good;
  if (height.decision == Decision::fail && height.value < *height.check.lower &&
      presence.value + missing <= absent_permille)
    return bad_if_there ? MarkState::good : MarkState::bad;
  return MarkState::doubtful;
}

std::string mark_text(const ComponentVerdict& mark) {
  const CheckVerdict &height = mark.checks[0], &presence = mark.checks[1];
  if (height.reason != Reason::none) return fmt::format("{}: {}", name_of(height.reason), height.detail);
  return fmt::format(
      "median {:.1f} um over the floor, U {:.1f}; {:.0f} permille of its {} pixels are above {:g} um, {} "
      "have "
      "no height",
      height.value, 2 * height.u, presence.value, mark.body_pixels, *height.check.lower,
      mark.body_pixels - mark.body_valid);
}

/// Nothing of it was measured for a verdict; its rows keep their numbers.
void skip(PanelBoard& board, BoardVerdict& v, const Recipe& recipe, const std::string& why) {
  v = refused(std::move(v), recipe, {Reason::skipped, why});
  board.decision.reset();
  board.reason = Reason::skipped;
  board.detail = why;
}

/// Applies the board's mark: skipped, INVALID, or as measured.
void apply_mark(PanelBoard& board, BoardVerdict& v, const ComponentVerdict& mark, const PanelRecipe& panel,
                const Recipe& recipe) {
  board.mark = mark;
  const bool there = panel.bad_mark->bad_if_there;
  switch (mark_state(mark, there)) {
    case MarkState::good:
      return;
    case MarkState::bad:
      skip(board, v, recipe,
           fmt::format("its bad-board mark is {}: {}", there ? "there" : "absent", mark_text(mark)));
      return;
    case MarkState::doubtful:
      if (v.reason != Reason::none) return;
      v = refused(std::move(v), recipe,
                  {Reason::panel,
                   fmt::format("whether its bad-board mark is there is not known: {}", mark_text(mark))});
      board.decision = v.decision;
      board.reason = v.reason;
      board.detail = v.detail;
  }
}

/// How all boards lie that were looked for, where that is not as designed.
std::string common_turn(const std::vector<PanelBoard>& boards) {
  std::set<std::string> turns;
  for (const PanelBoard& board : boards) {
    if (!board.decision) continue;
    if (board.reason != Reason::alignment || board.stages.empty()) return "";
    for (const auto& [name, value] : board.stages.front().parameters)
      if (name == "board") turns.insert(value);
  }
  const bool is_turn =
      turns.size() == 1 && *turns.begin() != "not seen" && *turns.begin() != name_of(BoardTurn{});
  return is_turn ? *turns.begin() : "";
}

/// The panel's own decision from its boards.
void decide_panel(BoardVerdict& v) {
  bool any = false;
  v.decision = Decision::pass;
  for (const PanelBoard& board : v.boards) {
    if (!board.decision) continue;
    any = true;
    v.decision = std::max(v.decision, *board.decision);
  }
  if (!any) {
    v.decision = Decision::invalid;
    v.reason = Reason::panel;
    v.detail = fmt::format("all {} boards are skipped, so that nothing was measured", v.boards.size());
  } else if (const std::string turn = common_turn(v.boards); !turn.empty()) {
    v.reason = Reason::alignment;
    v.detail =
        fmt::format("every board of the panel lies {}; put the panel in as the recipe describes it", turn);
  }
}

}  // namespace

std::optional<Refusal> statement_refusal(const PanelRecipe& panel, const PanelStatement& stated) {
  const auto refuse = [](std::string why) { return Refusal{Reason::panel, std::move(why)}; };
  if (!stated.serials.empty() && stated.serials.size() != panel.places.size())
    return refuse(fmt::format(
        "{} serial numbers are stated of a panel of {} boards; state one of each, \"\" for a board "
        "without",
        stated.serials.size(), panel.places.size()));
  std::map<std::string, std::size_t> seen;
  for (std::size_t i = 0; i < stated.serials.size(); ++i) {
    if (stated.serials[i].empty()) continue;
    const auto [of, is_new] = seen.emplace(stated.serials[i], i);
    if (!is_new)
      return refuse(
          fmt::format("the boards {} and {} have the same serial number {}; read the panel's codes again",
                      panel.places[of->second].name, panel.places[i].name, stated.serials[i]));
  }
  const std::vector<std::string> names = place_names(panel);
  for (const std::string& bad : stated.bad)
    if (std::find(names.begin(), names.end(), bad) == names.end())
      return refuse(fmt::format(
          "board '{}' is stated as bad, and the recipe has no such place; its places are {} to {}", bad,
          names.front(), names.back()));
  return std::nullopt;
}

void combine_with_raw(SeenPanel& seen, const SeenPanel& raw, const PanelRecipe& panel) {
  for (std::size_t i = 0; i < seen.boards.size(); ++i) {
    BoardVerdict& board = seen.boards[i];
    if (board.reason != Reason::none) continue;
    const BoardVerdict& unfiltered = raw.boards[i];
    if (unfiltered.reason != Reason::none)
      board = refused(std::move(board), panel.boards[i],
                      {unfiltered.reason, "as delivered, before the filter: " + unfiltered.detail});
    else
      account_for_filter(board, unfiltered, panel.boards[i]);
  }
  seen.marks = raw.marks;
}

BoardVerdict judge_panel(BoardVerdict v, SeenPanel seen, const PanelStatement& stated,
                         const PanelRecipe& panel) {
  for (std::size_t i = 0; i < panel.places.size(); ++i) {
    BoardVerdict& own = seen.boards[i];
    hold_unconfirmed(own, panel.boards[i]);
    PanelBoard board = panel_board(panel.places[i].name, own);
    if (!seen.marks.empty()) apply_mark(board, own, seen.marks[i], panel, panel.boards[i]);
    if (std::find(stated.bad.begin(), stated.bad.end(), board.name) != stated.bad.end())
      skip(board, own, panel.boards[i], "the delivery states it as bad");
    if (board.reason == Reason::none) board.detail = plain_reason(own);
    std::move(own.components.begin(), own.components.end(), std::back_inserter(v.components));
    v.boards.push_back(std::move(board));
  }
  decide_panel(v);
  return v;
}

BoardVerdict inspect_panel(BoardVerdict v, const HeightFrame& frame, const HeightFrame* raw,
                           const InspectionInputs& in, BoardMeasurer& measurer) {
  const PanelRecipe& panel = *in.recipe->panel;
  const PanelStatement stated = frame.panel.value_or(PanelStatement{});
  if (const auto why = statement_refusal(panel, stated)) return refused(std::move(v), *in.recipe, *why);
  SeenPanel seen = see_boards(v, frame, in, measurer);
  if (raw) {
    InspectionInputs unplanned = in;
    unplanned.planner = nullptr;
    combine_with_raw(seen, see_boards(v, *raw, unplanned, measurer), panel);
  }
  v.backend = seen.boards.front().backend;
  return judge_panel(std::move(v), std::move(seen), stated, panel);
}

}  // namespace datum
