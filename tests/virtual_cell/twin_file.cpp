#include "tests/virtual_cell/twin_file.h"

#include <utility>

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

namespace {

/// [noise.world]: the default of each key has no effect.
TwinWorld read_twin_world(config::TomlTable table) {
  constexpr config::Range share{0, 0.5};
  TwinWorld w;
  if (const double um = table.number_or("smooth_um", 0, config::not_negative); um > 0)
    w.smooth = {{um, table.number("smooth_kernel_px", {0.5, 200})}};
  if (const double um = table.number_or("drift_um", 0, config::not_negative); um > 0)
    w.smooth.push_back({um, table.number("drift_kernel_px", {0.5, 200})});
  w.row_um = table.number_or("row_um", 0, config::not_negative);
  w.column_um = table.number_or("column_um", 0, config::not_negative);
  w.body_noise = table.number_or("body_noise", 1, {0, 100});
  w.missing_ratio = table.number_or("missing_ratio", 0, share);
  w.missing_blob_ratio = table.number_or("missing_blob_ratio", 0, share);
  w.spike_ratio = table.number_or("spike_ratio", 0, share);
  w.spike_um = table.number_or("spike_um", 0, config::not_negative);
  w.spike_px = static_cast<int>(table.integer_or("spike_px", w.spike_px, 1, 64));
  w.highest_um = table.number_if("highest_um");
  table.finish();
  return w;
}

}  // namespace

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
  if (auto world = table.table_if("world")) n.world = read_twin_world(std::move(*world));
  table.finish();
  return n;
}

}  // namespace datum
