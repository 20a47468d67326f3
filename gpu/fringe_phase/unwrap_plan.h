// How periods are unwrapped: which of their combinations tells the column without ambiguity, and which lie between it
// and the periods themselves. C++17.
//
// A combination sum c_i f_i of phases f_i in turns (whole c_i) is a phase of its own, of the period
// 1 / (sum c_i / T_i): f_1 - f_2 has the beat T1 T2 / (T2 - T1), a coarse period alone is one with c = 1.
// The first level's period covers the projector's width; each level's order comes from the level before it.
#pragma once

#include <cstdint>

#include "gpu/fringe_phase/fringe_phase.h"

namespace datum {

struct UnwrapLevel {
  float factor[most_periods] = {0, 0, 0};  // c_i
  float period_px = 0;
  float per_px = 0;  // 1 / period_px
};

struct UnwrapPlan {
  std::uint32_t levels = 0;  // before the periods themselves
  UnwrapLevel level[2];
  /// Standard deviation of a period's phase, rad, at which a wrong order is an event of five sigma.
  double noise_limit_rad = 0;
  /// At the edges of the first level's period noise leads to the other edge: columns nearer to an edge than this, in px,
  /// are class unwrap. Depends on agreement_px; 0 where the period is longer than the width by twice as much.
  double edge_px = 0;
};

/// Of all plans of one or two levels with |c_i| <= 3 the one that bears most noise. Throws std::invalid_argument where no
/// combination covers width_px: the message says how far the periods reach.
UnwrapPlan plan_unwrapping(const FringePattern& pattern, float agreement_px);

}  // namespace datum
