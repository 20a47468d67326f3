// How a cell is calibrated: the [calibration] table of its configuration.
#pragma once

#include <array>
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

namespace datum {

/// Positions of a rotary head; the sensor is calibrated at each of them.
struct HeadSettings {
  struct Position {
    std::string name;
    std::array<double, 3> angles_deg{};  // A, B, C
  };
  double tolerance_deg =
      0;  // how far each angle may lie from the position's, and later from the calibration's
  double u_turn_mdeg = 0, u_shift_um = 0;  // standard uncertainties of returning to a position
  std::vector<Position> positions;
};

struct CalibrateSettings {
  std::filesystem::path artefacts;  // folder of drawings, one TOML file each
  double probe_radius_mm = 0;       // of the tip, as calibrated
  double probe_u_radius_um = 0;     // standard uncertainty of that radius
  double probe_u_touch_um = 0;      // and of one touch: repeatability and scales
  /// U (k = 2) up to which the touched faces must tell that radius themselves; else somebody has to state how it was checked.
  double probe_radius_limit_um = 5;
  std::string probe_checked_by;             // ring gauge or sphere, certificate, date; empty: not stated
  std::array<double, 3> outwards{0, 0, 1};  // roughly out of the artefact's plate, machine coordinates
  std::array<double, 3> squareness_rad{};   // of the machine's axes: xy, xz, yz, by a ball bar
  std::array<double, 3> scale_ppm{};        // what its scales lack
  std::array<double, 3> u_squareness_rad{}, u_scale_ppm{};  // their standard uncertainties
  std::optional<HeadSettings> head;                         // none: it can't be turned
  std::array<double, 3> u_position_um{};                    // and that of a reading of the scales at rest
  int touch_timeout_ms = 60'000;                            // an operator walks the probe there
  int valid_days = 180;                                     // of a calibration that is made here
  double temperature_window_k = 2;  // it holds so far above and below the temperature that it was made at
  double max_residual_um = 50;      // of any face; above it nothing is accepted
  /// A verification finds a drift where it is beyond its own uncertainty (k = 2) and beyond one of these, of the
  /// artefact's place in machine coordinates.
  double drift_limit_um = 20;
  double drift_limit_mdeg =
      10;  // U of a turn with the drawn angled slot of 120 mm, 6 touches a face: 7.6 mdeg
};

}  // namespace datum
