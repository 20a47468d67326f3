// Selection of the backend for boards and services, once at start: a working GPU with the CPU in reserve, or the CPU.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <string>

#include "daemon/gpu_worker/backend_settings.h"
#include "gpu/area_share/area_sharer.h"
#include "gpu/board/board_measurer.h"
#include "gpu/core/early_frame.h"
#include "gpu/diffusion/diffuser.h"
#include "gpu/fourier_profilometry/fringe_demodulator.h"
#include "gpu/lu/system_inverter.h"
#include "gpu/model_distance/distance_finder.h"
#include "gpu/phase_correlation/correlator.h"
#include "gpu/surface_compare/surface_comparer.h"
#include "gpu/surface_match/facet_matcher.h"

namespace datum {

struct BackendChoice {
  std::unique_ptr<BoardMeasurer> measurer;
  std::unique_ptr<DistanceFinder> finder;  // distances to surfaces
  std::unique_ptr<FacetMatcher> matcher;   // facet maps of surfaces
  std::unique_ptr<AreaSharer> sharer;      // areas of a surface's points; null: shared where they are judged
  std::unique_ptr<SurfaceComparer> comparer;  // of whole parts in one order; null: by finder and sharer
  std::unique_ptr<Diffuser> diffuser;
  std::unique_ptr<SystemInverter> inverter;  // systems of warped boards
  std::unique_ptr<Correlator> correlator;    // shifts of boards
  std::shared_ptr<FringeDemodulator> demodulator;
  std::shared_ptr<EarlyPixels> early;  // takes boards' frames while they are read; null: nobody
  std::string why;                     // one line for the log: the choice and the detected devices
  std::function<std::string()> fault;  // "" while the chosen backend works, else its fault
  // Number of restarts of datumd-gpu by kind of work; empty without a GPU.
  std::function<std::map<std::string, std::uint64_t>()> worker_restarts;
};

/// False in a first demo without CUDA: then `finder`, `matcher`, `sharer`, `correlator` and `demodulator` are null, since what uses them is left out too.
bool has_gpu_worker();

/// How long a board may wait for the preparation of the GPU; boards of a cell do not wait.
enum class Timeout { of_a_cell, of_one_frame };

/// Waits until the GPU has been examined, which takes seconds for an idle driver. `report` receives one line per fault
/// and per recovery. Throws RefusedError where settings.kind demands a GPU that can't be used.
/// `reserve` measures where no GPU does; null: this process' CPU.
BackendChoice choose_backend(const BackendSettings& settings, Timeout timeout,
                             const std::function<void(bool fault, const std::string& text)>& report,
                             std::unique_ptr<BoardMeasurer> reserve = nullptr);

}  // namespace datum
