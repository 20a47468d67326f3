// `datumctl verify`: how well a sensor or a calibration does, from frames and an artefact, and whether stored results are
// as they were written (verify_results.h). Needs no daemon.
#pragma once

#include <CLI/CLI.hpp>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace datum {

struct ResultsCheck {
  std::string store, config = "/etc/datumd/datumd.toml";
  std::vector<std::string> held;                // LINK:SHA256
  std::vector<std::string> public_keys, heads;  // files
  bool frames = false;
  std::uint64_t from = 0;  // sequence
};

struct VerifyOptions {
  std::string step;  // name of the subcommand that was given
  std::string sensor, frame, drawing, calibration;
  std::vector<std::string> snapshots;  // FRAME@X,Y,Z: file, and the stage's reading in mm
  std::string nominal;                 // NX,NY,NZ,OFFSET in mm; empty: none
  std::string area;                    // X0,X1,Y0,Y1 in mm, sensor coordinates; empty: the whole frame
  bool discard_worst = false;
  double position_u_um = 0;     // of one reading of the stage, each axis
  double squareness_u_rad = 0;  // each pair of axes
  double scale_u_ppm = 0;       // each axis
  std::optional<double> temperature_degc;
  std::int64_t now_utc_s = 0;
  ResultsCheck results;
};

/// As the exit status of `show`: what was found is good, not good, not enough to say, no measurement; or good as far as it goes,
/// and something was not told at all.
enum class Found : int { good = 0, not_good = 1, not_enough = 2, invalid = 3, bad_input = 4, untold = 10 };

struct Verified {
  Found found = Found::good;
  std::string text;  // for the operator: figures in um, and what made them
};

CLI::App* add_verify(CLI::App& app, VerifyOptions& options);

/// Goes through the step that was given, prints what was found, on stderr why it was refused. Exit status.
int verify(const VerifyOptions& options);

/// Do snapshots agree where they overlap (check_registration)? good: all that overlap do; not_good: a shift
/// beyond what calibration and stage explain, a wrong convention, a contradiction; not_enough: they do not hang
/// together by overlaps; untold: they agree, but no overlap tells a shift along some axis, or one is as good where a
/// convention is mistaken though the stage has moved (a flat plate, a part that repeats itself). Throws CalibrationError, FrameError, config::ConfigError, std::invalid_argument for
/// arguments.
Verified verify_overlap(const VerifyOptions& options);

/// PF and PS of each sphere of the drawing, SD of each pair (verification.h), in um. Throws FitRefused where
/// they are not found, else as above.
Verified verify_spheres(const VerifyOptions& options);

/// F in um of all pixels of class ok in the area. Throws as above.
Verified verify_flatness(const VerifyOptions& options);

/// Flatness, profile and parallel planes of a list of points (point_planes.h). Throws FitRefused, std::invalid_argument.
Verified verify_points(const VerifyOptions& options);

/// As many numbers as wanted, split by commas; throws std::invalid_argument with `what` and what is wanted.
std::vector<double> numbers_of(const std::string& text, std::size_t wanted, const std::string& what);

}  // namespace datum
