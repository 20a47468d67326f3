#include "daemon/inspection/defects/part_look.h"

#include <fmt/format.h>

#include <algorithm>

#include "daemon/inspection/board/top_noise.h"

namespace datum {

const PartSeen& PartLook::seen() {
  if (seen_) return *seen_;
  const std::optional<Floor> board =
      form_ ? std::optional(floor_by_form(*form_, m_.frame, view_, m_.site)) : std::nullopt;
  const bool on_ring =
      m_.floor.reason == Reason::none && !(board && lies_on_part(m_.floor, *board, m_.component));
  seen_ = look_at_part({m_.recipe, m_.frame, view_, m_.component, m_.site, on_ring ? m_.floor : *board});
  return *seen_;
}

const TerminalsSeen& PartLook::terminals() {
  if (!terminals_) terminals_ = terminals_of(PartWindow(scene()), m_, seen().place);
  return *terminals_;
}

const PasteSeen& PartLook::paste() {
  if (!paste_) paste_ = paste_of(PartWindow(scene()), scene());
  return *paste_;
}

std::optional<DefectEvidence> PartLook::word_of_paste(const std::vector<CheckVerdict>& checks) {
  const bool asked = std::any_of(checks.begin(), checks.end(),
                                 [](const CheckVerdict& v) { return is_of_paste(v.check.characteristic); });
  if (!asked || m_.floor.reason != Reason::none) return std::nullopt;
  DefectEvidence word;
  if (!paste().bridged.empty()) {
    word.word = Defect::bridged;
    word.detail = "its paste joins that of " + paste().bridged;
    return word;
  }
  constexpr double least_area = 0.05;  // of the aperture
  if (!paste().why.empty() || paste().area_mm2 >= least_area * m_.component.body.size_mm.prod())
    return std::nullopt;
  word.detail =
      fmt::format("{:.4f} mm2 are higher than {:g} um", paste().area_mm2, m_.component.paste->threshold_um);
  return word;
}

CheckVerdict PartLook::check(const Check& check, const TopNoise& top) {
  if (is_of_paste(check.characteristic)) return evaluate_paste(check, m_, paste());
  if (check.characteristic == Characteristic::standoff && m_.component.terminals->body_thickness_um)
    return standoff_by_thickness(check, m_, top);
  if (is_of_terminals(check.characteristic)) return evaluate_terminals(check, m_, terminals());
  return evaluate_place(check, seen().place, m_.placement, turn_terms(sources_),
                        sources_.board_from_sensor.rotation().topLeftCorner<2, 2>());
}

}  // namespace datum
