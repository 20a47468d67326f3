// What golden boards teach of a recipe, as `datumctl recipe teach` and `datumctl recipe confirm` do it.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace datum {

struct TeachOptions {
  std::vector<std::string> frames;
  std::string recipe, output, sensor, calibration, config = "/etc/datumd/datumd.toml";
  std::string design, side = "top", turn = "vertical";
  std::optional<double> temperature_degc;
  std::optional<double>
      bodies_above_um;  // what is higher and no component is proposed as one; none: not looked for
  bool ring = false;    // the ring's margins are tried
  unsigned threads = 0;
  std::int64_t utc_s = 0;
};

/// Writes the proposal file and prints what differs. Exit status 0: nothing differs, 1: a board is not golden and nothing was
/// written, 10: written, and something differs. Throws config::ConfigError, FrameError, CalibrationError, std::invalid_argument.
int teach_recipe(const TeachOptions& options);

struct ConfirmOptions {
  std::string proposal, recipe, output, by;
  std::vector<std::string> only;
  bool ring = false;
  std::int64_t utc_s = 0;
};

/// Writes the recipe (in its place, or to `output`) and notes the confirmation in the proposal file. Exit status 0.
int confirm_proposal(const ConfirmOptions& options);

}  // namespace datum
