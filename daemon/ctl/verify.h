// `datumctl verify`: verification of a sensor or a calibration from frames and an artefact, and of stored results
// (verify_results.h). Needs no daemon.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace CLI {
class App;
}  // namespace CLI

namespace datum {

struct ResultsCheck {
  std::string store, config = "/etc/datumd/datumd.toml";
  std::vector<std::string> held;                // LINK:SHA256
  std::vector<std::string> public_keys, heads;  // files
  bool frames = false;
  std::uint64_t from = 0;  // sequence number
};

struct VerifyOptions {
  std::string step;  // name of the chosen subcommand
  std::string sensor, frame, drawing, calibration;
  std::vector<std::string> snapshots;  // FRAME@X,Y,Z: file, and stage position in mm
  std::string nominal;                 // NX,NY,NZ,OFFSET in mm; empty: none
  std::string area;                    // X0,X1,Y0,Y1 in mm, sensor coordinates; empty: the whole frame
  bool discard_worst = false;
  double position_u_um = 0;     // standard uncertainty of a stage position, per axis
  double squareness_u_rad = 0;  // standard uncertainty per pair of axes
  double scale_u_ppm = 0;       // standard uncertainty per axis
  std::optional<double> temperature_degc;
  std::int64_t now_utc_s = 0;
  ResultsCheck results;
};

/// Exit status as of `show`: good, not good, insufficient evidence, no measurement; untold: good as far as tested, but a
/// part could not be tested.
enum class Found : int { good = 0, not_good = 1, not_enough = 2, invalid = 3, bad_input = 4, untold = 10 };

struct Verified {
  Found found = Found::good;
  std::string text;  // for the operator: values in um, and their inputs
};

CLI::App* add_verify(CLI::App& app, VerifyOptions& options);

/// Executes the chosen step, prints its result, and on stderr the reason of a refusal. Returns the exit status.
int verify(const VerifyOptions& options);

/// Compares snapshots where they overlap (check_registration). good: all overlaps agree. not_good: a shift beyond the
/// uncertainties of calibration and stage, a wrong convention, or a contradiction. not_enough: the overlaps do not
/// connect all snapshots. untold: they agree, but no overlap determines a shift along some axis, or a mistaken convention
/// fits equally well although the stage moved (a flat plate, a periodic part). Throws CalibrationError, FrameError,
/// config::ConfigError, and std::invalid_argument for arguments.
Verified verify_overlap(const VerifyOptions& options);

/// PF and PS of each sphere of the drawing, SD of each pair (verification.h), in um. Throws FitRefused where they are not
/// found, else as above.
Verified verify_spheres(const VerifyOptions& options);

/// F in um of all pixels of class ok in the area. Throws as above.
Verified verify_flatness(const VerifyOptions& options);

/// Flatness, profile and parallel planes of a list of points (point_planes.h). Throws FitRefused, std::invalid_argument.
Verified verify_points(const VerifyOptions& options);

/// Exactly `wanted` numbers separated by commas; throws std::invalid_argument that names `what`.
std::vector<double> numbers_of(const std::string& text, std::size_t wanted, const std::string& what);

}  // namespace datum
