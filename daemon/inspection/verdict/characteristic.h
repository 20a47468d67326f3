// Characteristics of a component (daemon/inspection/METROLOGY.md, S6) with the standard uncertainty of each
// (S9).
#pragma once

#include "daemon/inspection/board/body_evidence.h"
#include "daemon/inspection/board/floor.h"
#include "daemon/inspection/board/frame_noise.h"
#include "daemon/inspection/verdict/placement_budget.h"
#include "daemon/inspection/verdict/verdict.h"
#include "gpu/component_height/component_height.h"

namespace datum {

/// Inputs of a check's evaluation.
struct Measured {
  const Recipe& recipe;
  const SensorProfile& sensor;
  const HeightFrame& frame;
  const Component& component;
  const Site& site;
  const Floor& floor;
  const HeightStatistics& heights;
  const BodyEvidence& body;
  const FrameNoise& noise;
  std::vector<PlacementTerm> placement = {};  // of its region in the frame
};

/// Quantities that the kernel must compute for a component's checks.
HeightDemand demand_of(const Component& component);
/// Ranks required by the component's checks.
WantedRanks wanted_ranks(const Component& component);

struct TopNoise;  // daemon/inspection/board/top_noise.h

/// Value, u and budget of one check, without a decision; INVALID with its reason where there is no value.
/// `top`: top_noise_of(m).
CheckVerdict evaluate(const Check& check, const Measured& m, const TopNoise& top);

}  // namespace datum
