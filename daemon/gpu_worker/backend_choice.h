// Who measures boards and runs the stages beside that, chosen once at start: the GPU where there is one that works, with
// the CPU in reserve, or the CPU.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <string>

#include "daemon/gpu_worker/backend_settings.h"
#include "gpu/board/board_measurer.h"
#include "gpu/diffusion/diffuser.h"
#include "gpu/fringe_phase/fringe_demodulator.h"
#include "gpu/model_distance/distance_finder.h"

namespace datum {

struct BackendChoice {
  std::unique_ptr<BoardMeasurer> measurer;
  std::unique_ptr<DistanceFinder> finder;  // of surfaces
  std::unique_ptr<Diffuser> diffuser;
  std::shared_ptr<FringeDemodulator> demodulator;
  std::string why;                     // one line for the log: what was chosen, and what was found
  std::function<std::string()> fault;  // "" while the chosen one measures, else why it does not
  // How often a datumd-gpu had to be started anew, by its work; empty without a GPU.
  std::function<std::map<std::string, std::uint64_t>()> worker_restarts;
};

/// How long a board may wait until the GPU is prepared for it; a cell's boards are not held up.
enum class Timeout { of_a_cell, of_one_frame };

/// Waits until the GPU has been looked at, seconds where its driver was not in use. `report` gets a line of
/// each fault and each return. Throws RefusedError where settings.kind demands a GPU that can't be used.
BackendChoice choose_backend(const BackendSettings& settings, Timeout timeout,
                             const std::function<void(bool fault, const std::string& text)>& report);

}  // namespace datum
