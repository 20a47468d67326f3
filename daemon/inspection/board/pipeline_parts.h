// What inspecting a board and comparing a surface have in common: who made the verdict, and why there may be none.
#pragma once

#include <optional>
#include <string>

#include "daemon/inspection/board/pipeline.h"

namespace datum {

/// Why a board as a whole, or a component as a whole, can't be measured.
struct Refusal {
  Reason reason = Reason::none;
  std::string detail;
};

/// A verdict that names recipe, calibration, sensor, frame and code, and nothing yet of what was measured.
BoardVerdict identity(const HeightFrame& frame, const InspectionInputs& in, const std::string& backend);

/// A frame that contradicts itself, or is another sensor's than recipe and profile say.
std::optional<Refusal> frame_refusal(const HeightFrame& frame, const InspectionInputs& in);

/// No position, or no calibration that holds now.
std::optional<Refusal> placement_refusal(const HeightFrame& frame, const InspectionInputs& in);

/// Every component INVALID for one reason.
BoardVerdict refused(BoardVerdict v, const Recipe& recipe, const Refusal& why);

}  // namespace datum
