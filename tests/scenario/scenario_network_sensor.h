// The profile of a virtual network sensor, and its true scene.
#pragma once

namespace datum::scenario::network_sensor {

inline constexpr const char* profile = R"(schema = 1
serial = "67890"
model = "virtual"
handedness = "left"
z_min_mm = -8.0
z_max_mm = 8.0
scale_uncertainty_ppm = 100.0
linearity_um = 0.3
[noise]
z_mm = [0.0]
sigma_um = [3.0]
)";

inline constexpr const char* twin = R"(schema = 1
[view]
rows = 200
cols = 200
pitch_mm = 0.05
origin_mm = [0.0, 0.0]
shadow_slope = 0.0
count_um = 0.5
z_offset_mm = 1.0
handedness = "left"
[noise]
white_um = 3.0
correlated_um = 0.0
correlation_px = 1
dropout_ratio = 0.001
speckle_ratio = 0.0
speckle_um = 0.0
outlier_ratio = 0.0
outlier_um = 0.0
linearity_um = 0.0
[spread]
bow_um = 0.0
twist_um = 0.0
height_um = 1.0
tilt_mdeg = 0.0
place_mm = 0.0
scale_ppm = 0.0
[pads]
height_um = 0.0
share = 0.1
)";

}  // namespace datum::scenario::network_sensor
