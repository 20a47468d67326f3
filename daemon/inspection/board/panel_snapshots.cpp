#include "daemon/inspection/board/panel_snapshots.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <memory>
#include <utility>

#include "daemon/inspection/board/board_planner.h"
#include "daemon/inspection/board/snapshot_looks.h"
#include "daemon/inspection/board/snapshot_registration.h"
#include "daemon/inspection/recipe/alignment_recipe.h"

namespace datum {
namespace {

/// Where a board or a mark lies among those of one frame.
struct HandAt {
  std::size_t frame = 0, index = 0;
};

/// One board of the panel, or one mark, in all frames that show it.
struct Shown {
  const Recipe* recipe = nullptr;
  std::vector<HandAt> hands;
  std::vector<StepRecord> stages;  // of its registration
  std::optional<Refusal> why;      // it can't be measured
};

using FrameHands = std::vector<std::vector<BoardInHand>>;  // of each frame

InspectionInputs inputs_for(const InspectionInputs& in, const Recipe& recipe, const Pose& pose) {
  InspectionInputs own = in;
  own.recipe = &recipe;
  own.pose = pose;
  own.step_ended = nullptr;
  if (in.recipe->alignment) own.planner = nullptr;  // each panel has its own places
  return own;
}

/// How far beyond its place a board may lie, in mm.
double reach_mm(const Recipe& recipe) {
  if (!recipe.alignment) return 0;
  const double turn = recipe.alignment->max_rotation_deg.value_or(0) * 0.0174532925199433;
  return recipe.alignment->max_shift_mm + recipe.board_size_mm.norm() / 2 * std::min(1.0, turn);
}

/// Whether the frame may show a part of the board: the board's outline and its reach meet the frame's.
bool may_show(const BoardInHand& board) {
  const double reach = reach_mm(*board.in.recipe);
  const Eigen::Vector2d& size = board.in.recipe->board_size_mm;
  Eigen::Vector2d low = Eigen::Vector2d::Constant(INFINITY), high = -low;
  for (int k = 0; k < 4; ++k) {
    const Eigen::Vector2d px =
        board.view.pixel_of({k % 2 ? size.x() + reach : -reach, k / 2 ? size.y() + reach : -reach}, 0);
    low = low.cwiseMin(px);
    high = high.cwiseMax(px);
  }
  return high.minCoeff() >= 0 && low.x() <= board.view.cols() - 1 && low.y() <= board.view.rows() - 1;
}

struct HandIn {
  std::size_t frame = 0;
  BoardInHand hand;
};

/// The board where the recipe and the stage's position put it, in the frames that may show it; notes why it can't be measured.
std::vector<HandIn> stated_hands(Shown& board, const PanelLooks& looks, const InspectionInputs& in) {
  std::vector<HandIn> own;
  for (std::size_t k = 0; k < looks.frames.size(); ++k) {
    const PanelLook& look = looks.frames[k];
    BoardInHand hand = board_as_stated({}, look.frame, inputs_for(in, *board.recipe, look.pose));
    if (!may_show(hand)) continue;
    if (hand.why && !board.why)
      board.why = Refusal{hand.why->reason, fmt::format("{}: {}", look.words, hand.why->detail)};
    own.push_back({k, std::move(hand)});
  }
  if (own.empty())
    board.why =
        Refusal{Reason::snapshots, looks.missing.empty()
                                       ? "no snapshot shows the board; state poses that do"
                                       : "no snapshot that came shows the board; missing: " + looks.missing};
  return own;
}

/// Moves the board to where all its frames find it.
void register_hands(Shown& board, std::vector<HandIn>& own, const PanelLooks& looks,
                    const InspectionInputs& in) {
  std::vector<StatedSnapshot> stated;
  for (const HandIn& h : own) {
    const PanelLook& look = looks.frames[h.frame];
    stated.push_back({h.hand, look.frame, look.words, look.name});
  }
  const BoardShift shift = registered_snapshots(stated, inputs_for(in, *board.recipe, {}));
  board.stages.push_back(shift.stage);
  board.why = shift.why;
  if (board.why) return;
  for (HandIn& h : own) move_board(h.hand, looks.frames[h.frame].frame, shift);
}

/// The mark with its board; at its nominal place where that was not found: a bad board may be bare.
BoardInHand mark_of(const HandIn& board, const Recipe& recipe, bool found, const PanelLooks& looks,
                    const InspectionInputs& in) {
  const PanelLook& look = looks.frames[board.frame];
  BoardInHand mark = board_as_stated({}, look.frame, inputs_for(in, recipe, look.pose));
  if (!found) return mark;
  mark.placement = board.hand.placement;
  mark.view = board.hand.view;
  mark.registered = board.hand.registered;
  return mark;
}

/// Places a board, and its mark if there is one, in the frames that show it.
void place(Shown& board, Shown* mark, const PanelLooks& looks, const InspectionInputs& in,
           FrameHands& hands) {
  std::vector<HandIn> own = stated_hands(board, looks, in);
  if (!board.why && board.recipe->alignment) register_hands(board, own, looks, in);
  const auto add = [&](Shown& shown, std::size_t frame, BoardInHand hand) {
    shown.hands.push_back({frame, hands[frame].size()});
    hands[frame].push_back(std::move(hand));
  };
  for (HandIn& h : own) {
    if (mark) {
      BoardInHand at = mark_of(h, *mark->recipe, !board.why, looks, in);
      if (at.why && !mark->why) mark->why = at.why;
      add(*mark, h.frame, std::move(at));
    }
    if (!board.why) add(board, h.frame, std::move(h.hand));
  }
  if (mark && own.empty()) mark->why = board.why;
}

BoardVerdict judge(BoardVerdict v, const Shown& shown, const PanelLooks& looks, FrameHands& hands,
                   const InspectionInputs& in, const BoardMeasurer& measurer) {
  v.stages = shown.stages;
  if (shown.why) return refused(std::move(v), *shown.recipe, *shown.why);
  std::vector<BoardLook> own;
  std::vector<std::string> names;
  for (const HandAt& at : shown.hands) {
    BoardInHand& hand = hands[at.frame][at.index];
    own.push_back({hand, looks.frames[at.frame].frame, hand.scan->noise(in.threads)});
    names.push_back(looks.frames[at.frame].name);
  }
  std::vector<const BoardLook*> borrowed;
  for (const BoardLook& look : own) borrowed.push_back(&look);
  v.backend = measurer.describe();
  return judge_looks(std::move(v), borrowed, names, looks.missing, inputs_for(in, *shown.recipe, {}));
}

}  // namespace

std::variant<PanelStatement, Refusal> joined_statement(std::span<const BoardSnapshot> snapshots) {
  PanelStatement joined;
  const HeightFrame* by = nullptr;
  for (const BoardSnapshot& s : snapshots) {
    if (!s.frame || !s.frame->panel) continue;
    const PanelStatement& stated = *s.frame->panel;
    joined.bad.insert(joined.bad.end(), stated.bad.begin(), stated.bad.end());
    if (stated.serials.empty()) continue;
    if (by && stated.serials != joined.serials)
      return Refusal{Reason::panel,
                     fmt::format("the frames {} and {} state different serial numbers of the panel's boards; "
                                 "state those of all boards with one snapshot, or the same with each",
                                 by->frame_id, s.frame->frame_id)};
    by = s.frame;
    joined.serials = stated.serials;
  }
  return joined;
}

SeenPanel see_boards(const BoardVerdict& v, const PanelLooks& looks, const InspectionInputs& inputs,
                     BoardMeasurer& measurer) {
  InspectionInputs in = inputs;
  if (in.threads == 0) in.threads = cpu_backend().threads;
  const auto tell = [&](InspectionStep step) {
    if (in.step_ended) in.step_ended(step);
  };
  const PanelRecipe& panel = *in.recipe->panel;
  std::vector<Shown> boards, marks;
  for (const Recipe& recipe : panel.boards) boards.push_back({&recipe, {}, {}, {}});
  for (const Recipe& recipe : panel.marks) marks.push_back({&recipe, {}, {}, {}});
  FrameHands hands(looks.frames.size());
  for (std::size_t i = 0; i < boards.size(); ++i)
    place(boards[i], marks.empty() ? nullptr : &marks[i], looks, in, hands);
  std::size_t all = 0;
  for (const auto& of_frame : hands) all += of_frame.size();
  if (in.planner) in.planner->keep(2 * all);
  for (std::size_t k = 0; k < hands.size(); ++k) {
    for (BoardInHand& hand : hands[k])
      if (!hand.why) plan_sites(hand, looks.frames[k].frame);
    tell(InspectionStep::plan);
    measure_boards(hands[k], looks.frames[k].frame, measurer, in.threads);
    tell(InspectionStep::heights);
  }
  SeenPanel seen;
  BoardVerdict own = v;
  own.stages.clear();
  for (const Shown& board : boards) seen.boards.push_back(judge(own, board, looks, hands, in, measurer));
  for (const Shown& mark : marks)
    seen.marks.push_back(std::move(judge(own, mark, looks, hands, in, measurer).components.front()));
  tell(InspectionStep::evidence);
  return seen;
}

}  // namespace datum
