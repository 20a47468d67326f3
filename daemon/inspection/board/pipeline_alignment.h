// Alignment of a board: a shift by correlation of the mask of its parts with the recipe's bodies, or shift and rotation by
// registration (pipeline_registration.cpp).
#pragma once

#include <memory>
#include <optional>
#include <vector>

#include "daemon/inspection/board/pipeline_parts.h"
#include "daemon/inspection/board/site_map.h"
#include "daemon/inspection/registration/board_registration.h"
#include "daemon/inspection/verdict/placement_budget.h"

namespace datum {

class Correlator;  // gpu/phase_correlation/correlator.h

/// Shift of a board from its place along its own axes, or why it is undetermined.
struct BoardShift {
  std::optional<Refusal> why;
  StepRecord
      stage;  // processing step "coarse_alignment" or "registration": settings and numbers, for the verdict
  std::optional<RegisteredPlace> registered;
  std::optional<RegisteredMotion> motion = {};  // of a registration, also of a refused one
  std::string correlated_by = {};               // who correlated; empty: nothing was
};

/// Names of the steps.
inline constexpr const char* coarse_alignment_step = "coarse_alignment";
inline constexpr const char* registration_step = "registration";

/// Why this build aligns no board, which a first demo leaves out (DATUM_OFFLINE); null: it does.
const char* why_no_alignment();

/// The recipe must have an alignment. `view` is that of the recipe's placement. `correlator` null: this process' CPU.
BoardShift board_shift(const Recipe& recipe, const HeightFrame& frame, const BoardView& view,
                       unsigned threads, Correlator* correlator);

/// The same where the recipe allows a rotation, by all looks at the board. Fiducials are looked for in the first one.
BoardShift registered_board(const Recipe& recipe, std::span<const BoardLookAt> looks, unsigned threads);
RegistrationSettings registration_settings(const Recipe& recipe);

/// The motion in a record of the step "registration"; none: another step.
std::optional<PlaneMotion> registered_motion(const StepRecord& stage);

/// The moved placement if one of these steps found a shift or a rotation; otherwise `placement`.
Htm<Board, Sensor> moved(const Htm<Board, Sensor>& placement, const std::vector<StepRecord>& stages);

/// The recipe with its places where one of these steps found the board stretched (PlaneMotion); null: no step did. Bodies, pads and
/// holes keep their size.
std::shared_ptr<const Recipe> stretched_recipe(const Recipe& recipe, const std::vector<StepRecord>& stages);

}  // namespace datum
