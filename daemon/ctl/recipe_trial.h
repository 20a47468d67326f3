// A recipe tried on kept frames: stored results measured again by it, beside the daemon.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "daemon/configuration/daemon_config.h"
#include "daemon/inspection/recipe/recipe.h"
#include "daemon/store/result_store.h"

namespace datum {

struct TriedBoard {
  BoardVerdict then;
  std::optional<BoardVerdict> now;  // none: it could not be measured
  std::string why;                  // then
  double ms = 0;                    // to read and to measure it
};

/// The newest `most` results of `of` that measured a frame, newest first. Calibration, position and sensor profile are those of
/// then. On the CPU. Throws StoreError, config::ConfigError.
std::vector<TriedBoard> try_recipe(const Recipe& recipe, const std::string& of, std::uint64_t most,
                                   const DaemonConfig& config, ResultStore& store);

/// Components whose floor was refused, or lay outside of the frame, with the reason; the others' floor is good.
struct RefusedFloors {
  std::string reference, reason;
  int boards = 0;
};
struct FloorShare {
  int components = 0, good = 0;        // over all boards
  std::vector<RefusedFloors> refused;  // most frequent first
};
FloorShare floor_share(const std::vector<TriedBoard>& boards);

/// "C3 FAIL -> PASS (median 918.2 um, 900 to 1080)" for each component whose decision changed, or that one recipe lacks.
std::vector<std::string> changed_components(const BoardVerdict& then, const BoardVerdict& now);

}  // namespace datum
