#include "drivers/virtual/twin_file.h"

namespace datum {

void read_twin_view(config::TomlTable table, TwinView* view, TwinSensor* sensor) {
  view->rows = static_cast<int>(table.integer("rows", 1, 16384));
  view->cols = static_cast<int>(table.integer("cols", 1, 16384));
  const double pitch = table.number("pitch_mm", config::positive);
  const std::vector<double> origin = table.numbers("origin_mm", 2);
  view->x = {pitch, origin[0]};
  view->y = {pitch, origin[1]};
  view->shadow_slope = table.number("shadow_slope", {0, 10});
  sensor->z.scale_mm = table.number("count_um", config::positive) * 1e-3;
  sensor->z.offset_mm = table.number("z_offset_mm");
  sensor->left_handed = table.choice<bool>("handedness", {{"right", false}, {"left", true}});
  table.finish();
}

TwinNoise read_twin_noise(config::TomlTable table) {
  TwinNoise n;
  n.white_um = table.number("white_um", config::not_negative);
  n.correlated_um = table.number("correlated_um", config::not_negative);
  n.correlation_px = static_cast<int>(table.integer("correlation_px", 1, 64));
  n.dropout_ratio = table.number("dropout_ratio", {0, 0.1});
  n.speckle_ratio = table.number("speckle_ratio", {0, 0.1});
  n.speckle_um = table.number("speckle_um", config::not_negative);
  n.outlier_ratio = table.number("outlier_ratio", {0, 0.1});
  n.outlier_um = table.number("outlier_um", config::not_negative);
  n.linearity_um = table.number("linearity_um", config::not_negative);
  table.finish();
  return n;
}

}  // namespace datum
