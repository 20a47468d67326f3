#include "daemon/ctl/show.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "daemon/controller/controller_text.h"
#include "daemon/inspection/verdict/decision.h"
#include "daemon/inspection/verdict/plain_reason.h"
#include "daemon/inspection/verdict/verdict_table.h"
#include "daemon/store/serial_attempts.h"
#include "daemon/text/table.h"

namespace datum {
namespace {

using Align = Table::Align;

std::string reason_text(Reason reason, const std::string& detail) {
  if (reason == Reason::none) return detail;
  return detail.empty() ? name_of(reason) : fmt::format("{}: {}", name_of(reason), detail);
}

std::string why_of(const StoredResult& result) {
  try {
    return plain_reason(result.verdict());
  } catch (const StoreError& error) {  // one damaged row does not hide the others
    return error.what();
  }
}

Table floor_table(const BoardVerdict& v) {
  Table table({{"floor of"},
               {"inliers", Align::right},
               {"valid", Align::right},
               {"ring", Align::right},
               {"ratio", Align::right},
               {"second", Align::right},
               {"rms um", Align::right},
               {"sigma um", Align::right},
               {"sides -x +x -y +y", Align::right},
               {"n eff", Align::right},
               {"tilt deg", Align::right},
               {"samples", Align::right},
               {"refits", Align::right}});
  for (const auto& c : v.components) {
    if (c.warp || is_skipped(c) || c.package == foreign_package) continue;  // the board has no ring
    const FloorEvidence& f = c.floor;
    const auto& s = f.side_inliers;
    table.add({{c.reference},
               {fmt::format("{}", f.inliers)},
               {fmt::format("{}", f.valid)},
               {fmt::format("{}", f.pixels)},
               {shown_number(f.inlier_ratio)},
               {shown_number(f.second_floor)},
               {shown_number(f.rms_um)},
               {shown_number(f.sigma_um)},
               {fmt::format("{} {} {} {}", s[0], s[1], s[2], s[3])},
               {fmt::format("{:.0f}", f.effective_n)},
               {shown_number(f.tilt_deg)},
               {fmt::format("{}", f.hypotheses)},
               {fmt::format("{}", f.refits)}});
  }
  return table;
}

std::string gap_text(const std::optional<WarpGapEvidence>& gap) {
  if (!gap) return "";
  return fmt::format(", up to {:.2f} mm from what was seen, at [{:.2f}, {:.2f}] mm", gap->mm, gap->at_mm[0],
                     gap->at_mm[1]);
}

/// Evidence of the board's form, one line per value.
std::string warp_text(const WarpEvidence& w) {
  if (w.lambda == 0)
    return fmt::format("{:<12} no surface: {} places seen, {} rings and patches have no floor\n", "warp",
                       w.knots.size(), w.refused);
  const auto worst = std::max_element(w.knots.begin(), w.knots.end(), [](const auto& a, const auto& b) {
    return std::abs(a.left_out_um) < std::abs(b.left_out_um);
  });
  return fmt::format(
      "{:<12} {}; bow and twist of {:g} x {:g} mm; {} knots, {} rings and patches have no floor{}\n"
      "{:<12} leave-one-out {:.3f} um rms, worst {} {:.3f} um; lambda {:g}, condition {:.3g}, growth {:.3g}, "
      "backward error {:.2g}\n",
      "warp", w.shape.empty() ? "shape not told" : w.shape, w.outline_mm[0], w.outline_mm[1], w.knots.size(),
      w.refused, gap_text(w.largest_gap), "", w.leave_one_out_um, worst->name, worst->left_out_um, w.lambda,
      w.condition, w.growth, w.backward_error);
}

std::string warp_text(const BoardVerdict& v) {
  std::string text;
  for (const ComponentVerdict& c : v.components) {
    if (c.warp_floor)
      text += fmt::format("{:<12} floor: warp model, u {:.3f} um{}, for its ring is {}: {}\n", c.reference,
                          c.warp_floor->u_um, gap_text(c.warp_floor->largest_gap),
                          name_of(c.warp_floor->ring_reason), c.warp_floor->ring_detail);
    if (c.warp) text += warp_text(*c.warp);
  }
  return text.empty() ? text : text + '\n';
}

std::string point_text(const ProbePoint& p) {
  return p.state == ProbeState::ok ? fmt::format("({:.4f}, {:.4f}, {:.4f}) mm", p.position_mm[0],
                                                 p.position_mm[1], p.position_mm[2])
                                   : fmt::format("{} {}", name_of(p.state), p.detail);
}

std::string pose_text(const Pose& p) {
  if (!p.used) return "none (no CMM is configured)";
  std::string text = fmt::format("before {}, after {}, moved {:.3f} um", point_text(p.before),
                                 point_text(p.after), p.moved_um);
  if (const auto& pairing = p.pairing)
    text += fmt::format(", {} (exposure by {}), u {:.3f} um from {:.3f} um/s over {:.1f} ms",
                        name_of(pairing->pairing),
                        pairing->exposure == ExposureBy::clock ? "the sensor's clock" : "its arrival",
                        pairing->u_um, pairing->speed_um_per_s, pairing->spread_ms);
  if (p.after.reference) text += ", by " + *p.after.reference;
  if (const auto& a = p.after.head_deg)
    text += fmt::format(", head at A {:.4f} B {:.4f} C {:.4f} degrees", (*a)[0], (*a)[1], (*a)[2]);
  const std::string reason = reason_text(p.reason, p.detail);
  return reason.empty() ? text : text + "; " + reason;
}

std::string captured_text(const BoardVerdict& v) {
  std::string text = fmt::format("{} ns, clock {}", v.captured.ns, name_of(v.captured.clock));
  if (const auto& host = v.captured.host)
    text += fmt::format("; host's monotonic clock {} to {} ns", host->from_ns, host->to_ns);
  if (const auto& offset = v.captured.offset)
    text +=
        fmt::format("; host less that clock {} ns, within {} ns", offset->offset_ns, offset->uncertainty_ns);
  if (v.frame_age && v.frame_age->at_most_ms)
    text += fmt::format("; at most {:.1f} ms old, by {}", *v.frame_age->at_most_ms, v.frame_age->by);
  if (v.stamp) text += fmt::format("; sensor's frame {}, encoder {}", v.stamp->frame_index, v.stamp->encoder);
  return text;
}

/// "golden VALID, last good 12; step DUE, last good 9, overridden by A. Berger: spare part".
std::string references_text(const BoardVerdict& v) {
  if (!v.reference) return "";
  std::string text = is_artefact(v) ? "artefact of " + v.reference->artefact : "";
  for (const ReliedCheck& c : v.reference->checks) {
    text += fmt::format("{}{} {}, last good {}", text.empty() ? "" : "; ", c.name, c.state, c.good);
    if (const auto& o = c.override_by) text += fmt::format(", overridden by {}: {}", o->by, o->why);
  }
  return text;
}

/// One line about the step, then its numbers, then notes for the operator.
std::string stages_text(const std::vector<StepRecord>& stages) {
  std::string text;
  for (const StepRecord& s : stages) {
    std::string told, counted;
    for (const auto& [name, value] : s.parameters) told += fmt::format(", {} {}", name, value);
    for (const auto& [name, value] : s.health)
      counted += fmt::format("{}{} {:.6g}", counted.empty() ? "" : ", ", name, value);
    text += fmt::format("{:<12} {} {}{}\n{:<12} {}\n", "stage", s.name, s.version, told, "", counted);
    for (const std::string& warning : s.warnings) text += fmt::format("{:<12} warning: {}\n", "", warning);
  }
  return text;
}

/// Of a board of several snapshots: what each showed, and where two agree.
std::string snapshots_text(const BoardVerdict& v, bool colour) {
  if (v.snapshots.empty()) return "";
  Table shown({{"component"},
               {"snapshot"},
               {"margin mm", Align::right},
               {"also in"},
               {"what"},
               {"there less here", Align::right},
               {"U (k=2)", Align::right},
               {"unit"},
               {"floor um", Align::right},
               {"U (k=2)", Align::right}});
  for (const ComponentVerdict& c : v.components) {
    if (!c.shown) continue;
    const auto known = [](double x) { return std::isnan(x) ? std::string("-") : shown_number(x); };
    bool first = true;
    for (const CheckVerdict& check : c.checks) {
      if (!check.overlap && !(first && &check == &c.checks.back())) continue;
      const bool floor = std::exchange(first, false);
      shown.add({{c.reference},
                 {or_none(c.shown->snapshot)},
                 {known(c.shown->margin_mm)},
                 {or_none(c.shown->second)},
                 {check.overlap ? name_of(check.check.characteristic) : "-"},
                 {check.overlap ? known(check.overlap->difference) : "-"},
                 {check.overlap ? known(2 * check.overlap->u) : "-"},
                 {unit_of(check.check.characteristic)},
                 {floor ? known(c.shown->floor_step_um) : "-"},
                 {floor ? known(2 * c.shown->u_floor_step_um) : "-"}});
    }
  }
  std::string text = shown.text(colour) + '\n';
  for (const SnapshotEvidence& s : v.snapshots) {
    text += fmt::format(
        "{:<12} {}: {}\n", "snapshot", s.name,
        s.frame_sha256.empty() ? "no frame" : fmt::format("frame {}  sha256 {}", s.frame_id, s.frame_sha256));
    if (!s.frame_sha256.empty()) text += fmt::format("{:<12} pose {}\n", "", pose_text(s.pose));
    if (s.missing) text += fmt::format("{:<12} missing: {}\n", "", *s.missing);
  }
  return text;
}

std::string identities_text(const BoardVerdict& v) {
  const auto line = [](const char* name, const std::string& value, const std::string& sha256) {
    return fmt::format("{:<12} {}{}\n", name, or_none(value), sha256.empty() ? "" : "  sha256 " + sha256);
  };
  return line("recipe", v.recipe, v.recipe_sha256) +
         line("calibration", v.calibration, v.calibration_sha256) +
         (v.calibration_head ? line("head", *v.calibration_head, "") : "") +
         line("sensor", v.sensor_serial, v.sensor_profile_sha256) +
         line("frame", v.frame_id, v.frame_sha256) + line("from", v.frame_source, "") +
         line("captured", captured_text(v), "") + line("pose", pose_text(v.pose), "") +
         stages_text(v.stages) + line("code", v.code, "") + line("backend", v.backend, "") +
         line("controller", v.controller ? as_text(*v.controller) : "", "") +
         line("references", references_text(v), "") + line("store", v.store_id, "");
}

}  // namespace

std::string results_text(const std::vector<StoredResult>& results, bool colour) {
  Table table(
      {{"seq", Align::right}, {"time (UTC)"}, {"unit"}, {"recipe"}, {"decision"}, {"frame"}, {"reason"}});
  for (const auto& r : results)
    table.add({{fmt::format("{}", r.sequence)},
               {r.measured_at},
               {or_none(r.unit_id)},
               {r.recipe},
               {name_of(r.decision), ink_of(r.decision)},
               {r.frame_id},
               {why_of(r)}});
  return table.text(colour);
}

std::string results_json(const std::vector<StoredResult>& results) {
  std::string out = "[";
  for (const auto& r : results) out += (out.size() > 1 ? ",\n" : "\n") + r.json;
  return out + "\n]\n";
}

std::string verdict_text(const BoardVerdict& v, bool colour) {
  Table head({{"board"}, {"time (UTC)"}, {"unit"}, {"decision"}, {"reason"}});
  head.add({{fmt::format("{}", v.sequence)},
            {v.measured_at},
            {or_none(v.unit_id)},
            {name_of(v.decision), ink_of(v.decision)},
            {plain_reason(v)}});
  std::string serial;
  if (v.serial && v.serial->by != "none") serial = fmt::format("serial number {}\n", words_of(*v.serial));
  return head.text(colour) + serial + '\n' + boards_text(v, colour) + component_table(v).text(colour);
}

/// Points that a recipe's masks removed from a part's snapshots.
std::string masks_text(const BoardVerdict& v) {
  std::string text;
  if (v.surface && v.surface->masks)
    for (const MaskEvidence& mask : *v.surface->masks)
      text += fmt::format("{:<12} {}: {} pixels were not compared\n", "mask", mask.name, mask.pixels);
  return text;
}

std::string times_text(const std::vector<BoardStep>& steps, bool colour) {
  constexpr double ns_per_ms = 1e6;
  MonotonicNs total = 0;
  for (const BoardStep& step : steps) total += step.took_ns;
  Table table({{"step"}, {"ms", Align::right}, {"share", Align::right}, {"meaning"}});
  const auto add = [&](const std::string& name, MonotonicNs took_ns, const char* meaning) {
    table.add(
        {{name},
         {fmt::format("{:.3f}", static_cast<double>(took_ns) / ns_per_ms)},
         {fmt::format("{:.0f} %",
                      total > 0 ? 100.0 * static_cast<double>(took_ns) / static_cast<double>(total) : 0)},
         {meaning}});
  };
  for (const BoardStep& step : steps) {
    const auto kind = std::find_if(board_step_kinds.begin(), board_step_kinds.end(),
                                   [&](const BoardStepKind& k) { return step.name == k.name; });
    add(step.name, step.took_ns, kind == board_step_kinds.end() ? "" : kind->meaning);
  }
  add("total", total, "from there to the line at every host");
  return table.text(colour);
}

std::string board_text(const BoardVerdict& v, bool colour) {
  const std::string floors = v.surface ? "" : floor_table(v).text(colour) + '\n';  // a part has no floors
  return verdict_text(v, colour) + '\n' + floors + warp_text(v) + masks_text(v) + snapshots_text(v, colour) +
         identities_text(v);
}

}  // namespace datum
