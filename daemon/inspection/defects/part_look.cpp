#include "daemon/inspection/defects/part_look.h"

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

CheckVerdict PartLook::check(const Check& check) {
  return evaluate_place(check, seen().place, m_.placement, turn_terms(sources_),
                        sources_.board_from_sensor.rotation().topLeftCorner<2, 2>());
}

}  // namespace datum
