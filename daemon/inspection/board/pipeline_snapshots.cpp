#include "daemon/inspection/board/pipeline_snapshots.h"

#include <fmt/format.h>

#include <algorithm>
#include <set>
#include <stdexcept>
#include <variant>

#include "calib/registration/registration.h"
#include "daemon/inspection/board/board_look.h"
#include "daemon/inspection/board/filter.h"
#include "daemon/inspection/board/panel.h"
#include "daemon/inspection/board/panel_snapshots.h"
#include "daemon/inspection/board/snapshot_looks.h"
#include "daemon/inspection/board/snapshot_poses.h"
#include "daemon/inspection/board/snapshot_registration.h"
#include "daemon/inspection/verdict/decision.h"

namespace datum {
namespace {

/// Snapshots that can be measured, and why the others can't.
struct Usable {
  std::vector<std::size_t> numbers;
  std::vector<std::optional<Refusal>> why;  // of each snapshot; none: usable
};

std::optional<Refusal> snapshot_refusal(const BoardSnapshot& s, std::size_t number,
                                        const InspectionInputs& in, const HeightFrame* first) {
  if (!s.frame) return Refusal{Reason::snapshots, s.missing};
  InspectionInputs one = in;
  one.pose = s.pose;
  if (auto why = frame_refusal(*s.frame, one)) return why;
  if (auto why = placement_refusal(*s.frame, one)) return why;
  if (std::string why = pose_refusal(in.recipe->snapshots, number, s.pose); !why.empty())
    return Refusal{Reason::snapshots, why};
  const HeightFrame& f = *s.frame;
  if (first && (f.x.scale_mm != first->x.scale_mm || f.y.scale_mm != first->y.scale_mm))
    return Refusal{Reason::snapshots,
                   fmt::format("its pixels are {:g} x {:g} mm, those before {:g} x {:g}", f.x.scale_mm,
                               f.y.scale_mm, first->x.scale_mm, first->y.scale_mm)};
  return std::nullopt;
}

Usable usable_of(std::span<const BoardSnapshot> snapshots, const InspectionInputs& in) {
  Usable usable;
  std::set<std::string> seen;
  for (std::size_t i = 0; i < snapshots.size(); ++i) {
    const HeightFrame* first = usable.numbers.empty() ? nullptr : snapshots[usable.numbers.front()].frame;
    auto why = snapshot_refusal(snapshots[i], i, in, first);
    if (!why && !seen.insert(snapshots[i].frame->content_sha256).second)
      why = Refusal{Reason::snapshots,
                    fmt::format("frame {} shows the pixels of one before", snapshots[i].frame->frame_id)};
    if (!why) usable.numbers.push_back(i);
    usable.why.push_back(std::move(why));
  }
  return usable;
}

std::string text_of(const Refusal& why) {
  return why.reason == Reason::snapshots ? why.detail
                                         : fmt::format("{}: {}", name_of(why.reason), why.detail);
}

/// Identity of the last frame that came, and of each snapshot.
BoardVerdict begun(std::span<const BoardSnapshot> snapshots, const InspectionInputs& in,
                   const std::string& backend) {
  const HeightFrame none;
  const BoardSnapshot* last = nullptr;
  for (const BoardSnapshot& s : snapshots)
    if (s.frame) last = &s;
  InspectionInputs one = in;
  if (last) one.pose = last->pose;
  BoardVerdict v = identity(last ? *last->frame : none, one, backend);
  if (!last) v.sensor_serial = in.sensor->serial;
  for (std::size_t i = 0; i < snapshots.size(); ++i) {
    const BoardSnapshot& s = snapshots[i];
    v.snapshots.push_back(snapshot_evidence(in.recipe->snapshots, i, s.frame ? *s.frame : none, s.pose));
    if (!s.frame) v.snapshots.back().missing = s.missing;
  }
  return v;
}

/// "snapshot 3 of 12 (left): was not triggered", of all that are missing.
std::string missing_words(const SnapshotPlan& plan, const Usable& usable) {
  std::string words;
  for (std::size_t i = 0; i < usable.why.size(); ++i)
    if (usable.why[i])
      words += fmt::format("{}{}: {}", words.empty() ? "" : "; ", snapshot_words(plan, i),
                           text_of(*usable.why[i]));
  return words;
}

using Frames = std::vector<const HeightFrame*>;

/// `frames`: of the usable snapshots.
BoardVerdict measure_frames(BoardVerdict v, std::span<const BoardSnapshot> snapshots, const Frames& frames,
                            const Usable& usable, const InspectionInputs& in, BoardMeasurer& measurer) {
  const unsigned threads = in.threads > 0 ? in.threads : cpu_backend().threads;
  const auto tell = [&](InspectionStep step) {
    if (in.step_ended) in.step_ended(step);
  };
  const SnapshotPlan& plan = in.recipe->snapshots;
  std::vector<BoardInHand> hands;
  hands.reserve(frames.size());
  std::vector<StatedSnapshot> stated;
  for (std::size_t k = 0; k < frames.size(); ++k) {
    InspectionInputs one = in;
    one.pose = snapshots[usable.numbers[k]].pose;
    const std::string words = snapshot_words(plan, usable.numbers[k]);
    const BoardInHand& hand = hands.emplace_back(board_as_stated({}, *frames[k], one));
    if (hand.why)
      return refused(std::move(v), *in.recipe,
                     {hand.why->reason, fmt::format("{}: {}", words, hand.why->detail)});
    stated.push_back({hand, *frames[k], words, plan.poses[usable.numbers[k]].name});
  }
  if (in.recipe->alignment) {
    const BoardShift shift = registered_snapshots(stated, in);
    v.stages.push_back(shift.stage);
    if (shift.why) return refused(std::move(v), *in.recipe, *shift.why);
    for (std::size_t k = 0; k < frames.size(); ++k) move_board(hands[k], *frames[k], shift);
  }
  std::vector<BoardLook> looks;
  for (std::size_t k = 0; k < frames.size(); ++k) {
    BoardInHand& hand = hands[k];
    plan_sites(hand, *frames[k]);
    tell(InspectionStep::plan);
    measure_boards({&hand, 1}, *frames[k], measurer, threads);
    looks.push_back({hand, *frames[k], hand.scan->noise(threads)});
    tell(InspectionStep::heights);
  }
  std::vector<const BoardLook*> borrowed;
  for (const BoardLook& look : looks) borrowed.push_back(&look);
  std::vector<std::string> names;
  for (const StatedSnapshot& s : stated) names.push_back(s.name);
  v.backend = measurer.describe();
  v = judge_looks(std::move(v), borrowed, names, missing_words(plan, usable), in);
  tell(InspectionStep::evidence);
  return v;
}

/// A mistaken convention that explains what the usable snapshots show, and the stated one does not.
std::optional<Refusal> convention_refusal(const Frames& frames, std::span<const BoardSnapshot> snapshots,
                                          const Usable& usable, const InspectionInputs& in) {
  std::vector<Snapshot> told;
  for (std::size_t k = 0; k < frames.size(); ++k) {
    const auto& q = snapshots[usable.numbers[k]].pose.q_mm;
    told.push_back({frames[k], Eigen::Vector3d(q[0], q[1], q[2])});
  }
  SnapshotCheckSettings settings;
  for (const double sigma_um : in.sensor->noise.sigma_um)
    settings.noise_sigma_mm = std::max(settings.noise_sigma_mm, sigma_um * 1e-3);
  const Calibration& c = *in.calibration;
  const std::vector<Convention> found =
      mistaken_conventions(told, {{c.machine_from_sensor, c.covariance}, c.stage, c.stage_u}, settings);
  if (found.empty()) return std::nullopt;
  std::string words;
  for (const Convention mistake : found)
    words += fmt::format("{}{}: {}", words.empty() ? "" : "; or ", name_of(mistake), remedy_of(mistake));
  return Refusal{
      Reason::snapshots,
      "neighbouring snapshots contradict each other where the stage's positions place them, and agree "
      "with one mistake corrected: " +
          words};
}

bool have_common_place(const BoardVerdict& v) {
  return have_common_place(v.stages) ||
         std::any_of(v.boards.begin(), v.boards.end(),
                     [](const PanelBoard& board) { return have_common_place(board.stages); });
}

PanelLooks looks_at_panel(std::span<const BoardSnapshot> snapshots, const Frames& frames,
                          const Usable& usable, const SnapshotPlan& plan) {
  PanelLooks looks;
  for (std::size_t k = 0; k < frames.size(); ++k) {
    const std::size_t number = usable.numbers[k];
    looks.frames.push_back(
        {*frames[k], snapshots[number].pose, snapshot_words(plan, number), plan.poses[number].name});
  }
  looks.missing = missing_words(plan, usable);
  return looks;
}

/// `smooth`: of the filter; empty: there is none.
BoardVerdict measure_panel(BoardVerdict v, std::span<const BoardSnapshot> snapshots, const Frames& raw,
                           const Frames& smooth, const Usable& usable, const InspectionInputs& in,
                           BoardMeasurer& measurer) {
  const PanelRecipe& panel = *in.recipe->panel;
  const auto stated = joined_statement(snapshots);
  if (const auto* why = std::get_if<Refusal>(&stated)) return refused(std::move(v), *in.recipe, *why);
  const PanelStatement& statement = std::get<PanelStatement>(stated);
  if (const auto why = statement_refusal(panel, statement)) return refused(std::move(v), *in.recipe, *why);
  const auto see = [&](const Frames& frames) {
    return see_boards(v, looks_at_panel(snapshots, frames, usable, in.recipe->snapshots), in, measurer);
  };
  SeenPanel seen = see(raw);
  if (!smooth.empty()) {
    const SeenPanel unfiltered = std::move(seen);
    seen = see(smooth);
    combine_with_raw(seen, unfiltered, panel);
  }
  v.backend = measurer.describe();
  BoardVerdict judged = judge_panel(std::move(v), std::move(seen), statement, panel);
  for (std::size_t i = 0; i < statement.serials.size(); ++i) judged.boards[i].unit_id = statement.serials[i];
  return judged;
}

BoardVerdict measure_usable(BoardVerdict v, std::span<const BoardSnapshot> snapshots, const Usable& usable,
                            const InspectionInputs& in, BoardMeasurer& measurer) {
  Frames raw, smooth;
  std::vector<HeightFrame> filtered;
  for (const std::size_t i : usable.numbers) raw.push_back(snapshots[i].frame);
  if (in.recipe->filter) {
    filtered.reserve(raw.size());
    for (const HeightFrame* frame : raw) smooth.push_back(&filtered.emplace_back(filtered_for(*frame, in)));
    v.stages = filtered.back().stages;
  }
  BoardVerdict measured;
  if (in.recipe->panel) {
    measured = measure_panel(v, snapshots, raw, smooth, usable, in, measurer);
  } else if (in.recipe->filter) {
    const BoardVerdict unfiltered = measure_frames(v, snapshots, raw, usable, in, measurer);
    measured = measure_frames(v, snapshots, smooth, usable, in, measurer);
    if (measured.reason == Reason::none && unfiltered.reason != Reason::none)
      return refused(std::move(measured), *in.recipe,
                     {unfiltered.reason, "as delivered, before the filter: " + unfiltered.detail});
    if (measured.reason == Reason::none) account_for_filter(measured, unfiltered, *in.recipe);
  } else {
    measured = measure_frames(v, snapshots, raw, usable, in, measurer);
  }
  if (measured.decision == Decision::pass || measured.decision == Decision::inconclusive) return measured;
  if (have_common_place(measured)) return measured;
  if (auto why = convention_refusal(raw, snapshots, usable, in)) {
    if (measured.reason ==
        Reason::snapshots)  // a snapshot of another board, or a mistake: either explains it
      why->detail = measured.detail + "; or " + why->detail;
    v.stages = std::move(measured.stages);
    return refused(std::move(v), *in.recipe, *why);
  }
  return measured;
}

}  // namespace

BoardVerdict refused_snapshots(std::span<const BoardSnapshot> snapshots, const InspectionInputs& in,
                               const std::string& backend, Reason reason, const std::string& detail) {
  return refused(begun(snapshots, in, backend), *in.recipe, {reason, detail});
}

BoardVerdict inspect_snapshots(std::span<const BoardSnapshot> snapshots, const InspectionInputs& in,
                               BoardMeasurer& measurer) {
  const SnapshotPlan& plan = in.recipe->snapshots;
  BoardVerdict v = begun(snapshots, in, measurer.describe());
  const auto refuse = [&](Reason reason, const std::string& detail) {
    return refused(v, *in.recipe, {reason, detail});
  };
  if (snapshots.size() != plan.count())
    return refuse(Reason::snapshots,
                  fmt::format("{} snapshots came, the recipe demands {}", snapshots.size(), plan.count()));
  try {
    const Usable usable = usable_of(snapshots, in);
    for (std::size_t i = 0; i < snapshots.size(); ++i)
      if (usable.why[i]) v.snapshots[i].missing = text_of(*usable.why[i]);
    if (usable.numbers.empty())
      return refuse(usable.why.front()->reason,
                    fmt::format("{}: {}", snapshot_words(plan, 0), usable.why.front()->detail));
    BoardVerdict measured = measure_usable(v, snapshots, usable, in, measurer);
    hold_unconfirmed(measured, *in.recipe);
    return measured;
  } catch (const std::domain_error& e) {
    return refuse(Reason::calibration, e.what());
  } catch (const CalibrationError& e) {
    return refuse(Reason::calibration, e.what());
  } catch (const std::exception& e) {
    return refuse(Reason::internal, e.what());
  }
}

}  // namespace datum
