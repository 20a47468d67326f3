// Common steps of inspecting a board and comparing a surface: identity of the verdict, and refusals.
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

/// A verdict with recipe, calibration, sensor, frame and code, without measurements.
BoardVerdict identity(const HeightFrame& frame, const InspectionInputs& in, const std::string& backend);

/// Refusal of an inconsistent frame, or one from another sensor than in recipe and profile.
std::optional<Refusal> frame_refusal(const HeightFrame& frame, const InspectionInputs& in);

/// Refusal without position or valid calibration.
std::optional<Refusal> placement_refusal(const HeightFrame& frame, const InspectionInputs& in);

/// A panel's board from its own verdict.
PanelBoard panel_board(const std::string& name, const BoardVerdict& v);

/// Every component INVALID for one reason, and every board of a panel.
BoardVerdict refused(BoardVerdict v, const Recipe& recipe, const Refusal& why);

}  // namespace datum
