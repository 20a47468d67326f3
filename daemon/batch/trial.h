// Stored results measured again by another recipe, calibration or code, and compared; beside the daemon.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "daemon/configuration/daemon_config.h"
#include "daemon/inspection/recipe/recipe.h"
#include "daemon/store/result_store.h"

namespace datum {

/// Whether a result measured a frame, and so can be measured again.
bool has_measurement(const BoardVerdict& result);

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

/// "C3 FAIL -> PASS (median 918.2 um, 900 to 1080)" for each component whose decision changed, or that one recipe lacks.
std::vector<std::string> changed_components(const BoardVerdict& then, const BoardVerdict& now);

/// The same check of both; null: one of them lacks it.
struct MatchedCheck {
  const std::string* reference;
  const CheckVerdict* then;
  const CheckVerdict* now;
};
/// By reference, characteristic and parameter, in the order of `now`, then those that only `then` has.
std::vector<MatchedCheck> matched_checks(const BoardVerdict& then, const BoardVerdict& now);

}  // namespace datum
