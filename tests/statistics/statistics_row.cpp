#include "tests/statistics/statistics_row.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

namespace datum::statistics {
namespace {

constexpr double sensor_um = 3.36;  // of the noise rows
constexpr double floor_um = 5;      // of the floor rows

double root_of_squares(double a, double b) { return std::sqrt(a * a + b * b); }

Row white_row(const std::string& name) {
  Row r;
  r.name = name;
  r.noise.white_um = sensor_um;
  r.profile_sigma_um = root_of_squares(sensor_um, r.lsb_um / std::sqrt(12.0));
  return r;
}

Row kernel_row(const std::string& name, double white_um, double smooth_um, double kernel_px) {
  Row r = white_row(name);
  r.noise.white_um = white_um;
  r.noise.world.smooth = {{smooth_um, kernel_px}};
  r.profile_sigma_um = root_of_squares(white_um, smooth_um);
  return r;
}

/// Every error of the twin's sensor has a term in the budget: noise, scale, linearity, position.
Row production_row() {
  Row r;
  r.name = "production";
  r.production = r.bowed = true;
  r.noise.white_um = 3;
  r.noise.correlated_um = 1.5;
  r.noise.correlation_px = 4;
  r.noise.dropout_ratio = 0.01;
  r.noise.speckle_ratio = 0.004;
  r.noise.speckle_um = 40;
  r.noise.outlier_ratio = 0.002;
  r.noise.linearity_um = 0.1;
  r.profile_sigma_um = std::sqrt(3.0 * 3.0 + 1.5 * 1.5 + 0.25 * 0.25 / 12);
  r.shadow_slope = 0.25;
  r.wanted.invalid_most = 0.01;
  r.wanted.bias_um = 0.2;
  r.wanted.outside_least = 0.015;  // gross outliers on few tops make U of their means large: not 4.6 %
  return r;
}

void add_noise_rows(std::vector<Row>& rows) {
  rows.push_back(production_row());
  rows.push_back(white_row("white"));
  rows.back().wanted.invalid_most = 0.01;
  for (int px : {2, 5, 10, 20})
    rows.push_back(kernel_row(fmt::format("correlated {} px", px), 0, sensor_um, px));
  for (double um : {0.5, 1.5}) {
    Row r = white_row(fmt::format("row offsets {} um", um));
    r.noise.world.row_um = um;
    r.profile_sigma_um = root_of_squares(sensor_um, um);
    rows.push_back(r);
    r.name = fmt::format("column offsets {} um", um);
    std::swap(r.noise.world.row_um, r.noise.world.column_um);
    rows.push_back(r);
  }
  for (int px : {20, 50, 100})
    for (double um : {0.5, 1.0})
      rows.push_back(kernel_row(fmt::format("low frequency {} px {} um", px, um), sensor_um, um, px));
  for (double um : {0.0, 0.5, 1.0}) {
    Row r = white_row(fmt::format("LSB 5 um noise {} um", um));
    r.noise.white_um = um;
    r.lsb_um = 5;
    r.profile_sigma_um = root_of_squares(um, r.lsb_um / std::sqrt(12.0));
    rows.push_back(r);
    r.name += " level";
    r.level_view = true;
    rows.push_back(r);
  }
}

void add_body_rows(std::vector<Row>& rows) {
  for (int times : {2, 4}) {
    Row r = white_row(fmt::format("top noisier x{}", times));
    r.noise.world.body_noise = times;
    rows.push_back(r);
  }
  rows.push_back(white_row("missing at random 20 %"));
  rows.back().noise.world.missing_ratio = 0.2;
  rows.push_back(white_row("missing in blobs 20 %"));
  rows.back().noise.world.missing_blob_ratio = 0.2;
  rows.push_back(white_row("high side out of range"));
  rows.back().clipped = rows.back().level_view = true;
  rows.push_back(rows.back());
  rows.back().name = "high side without data";
  rows.back().noise.world.above = PixelClass::no_data;
  rows.push_back(white_row("dark side 0 to 80 %"));
  rows.back().dark = true;
  for (int px : {2, 4}) {
    Row r = white_row(fmt::format("spikes within {} px of walls", px));
    r.noise.world.spike_ratio = 0.3;
    r.noise.world.spike_um = 100;
    r.noise.world.spike_px = px;
    r.shadow_slope = 0.25;
    rows.push_back(r);
  }
  for (double factor : {0.7, 1.4, 2.0, 4.0}) {
    Row r = white_row(fmt::format("profile sigma x{}", factor));
    r.profile_sigma_um *= factor;
    rows.push_back(r);
  }
}

void add_carrier_rows(std::vector<Row>& rows) {
  rows.push_back(white_row("bow and twist"));
  rows.back().bowed = true;
  rows.push_back(white_row("ring of three sides"));
  rows.back().three_sides = true;
  rows.push_back(white_row("ring of three sides, bow"));
  rows.back().three_sides = rows.back().bowed = true;
  rows.push_back(white_row("carrier step 35 um"));
  rows.back().level = Level::step;
}

/// Noise of 5 um, a tenth of the ring's pixels gross outliers.
Row floor_row(const std::string& name, Level level, double step_um) {
  Row r;
  r.name = name;
  r.floors = true;
  r.noise.white_um = floor_um;
  r.noise.outlier_ratio = 0.1;
  r.noise.world.body_outliers = 0;
  r.profile_sigma_um = floor_um;
  r.level = level;
  r.step_um = step_um;
  return r;
}

/// Must be accepted, with a small error.
Row good_floor_row(const std::string& name, Level level) {
  Row r = floor_row("floor " + name, level, 35);
  r.wanted.invalid_most = 0.05;
  r.wanted.bias_um = 0.3;
  return r;
}

void add_floor_rows(std::vector<Row>& rows) {
  rows.push_back(good_floor_row("plain", Level::none));
  rows.push_back(good_floor_row("side", Level::side));
  rows.push_back(good_floor_row("sector", Level::sector));
  rows.push_back(good_floor_row("stripes", Level::stripes));
  for (Level level : {Level::side, Level::sector}) {
    const std::string where = name_of(level);
    rows.push_back(good_floor_row(where + ", missing at random 20 %", level));
    rows.back().noise.world.missing_ratio = 0.2;
    rows.push_back(good_floor_row(where + ", missing in blobs 20 %", level));
    rows.back().noise.world.missing_blob_ratio = 0.2;
    rows.push_back(good_floor_row(where + ", correlated 2 px", level));
    rows.back().noise.white_um = 0;
    rows.back().noise.world.smooth = {{floor_um, 2}};
    rows.back().wanted.bias_um = 2;
  }
  rows.push_back(good_floor_row("two levels", Level::two_levels));
  rows.push_back(good_floor_row("ramp", Level::ramp));
}

void add_step_rows(std::vector<Row>& rows) {
  for (Level level : {Level::side, Level::sector, Level::stripes, Level::two_levels, Level::ramp, Level::half,
                      Level::uneven})
    for (int um : {2, 5, 10, 20, 35, 75, 150, 300, 1000}) {
      Row r = floor_row(fmt::format("step {} {} um", name_of(level), um), level, um);
      // At this noise the step between halves of an 0805's ring is known to 0.7 um: a step of 5 um is detected on most
      // boards, one of 2 um is not, and U covers half of it.
      if (level == Level::half || level == Level::uneven)
        r.wanted.invalid_least = um < 5 ? 0 : um == 5 ? 0.9 : 0.99;
      rows.push_back(r);
    }
}

void add_setting_rows(std::vector<Row>& rows) {
  for (Level level : {Level::side, Level::sector}) {
    const auto add = [&](const std::string& what, double profile_factor, std::optional<double> refit,
                         std::optional<double> rms) {
      Row r = floor_row(fmt::format("{}, {} 35 um", what, name_of(level)), level, 35);
      r.profile_sigma_um *= profile_factor;
      r.refit_threshold_sigmas = refit;
      r.max_rms_sigmas = rms;
      rows.push_back(r);
    };
    for (double factor : {0.7, 1.4, 2.0, 4.0})
      add(fmt::format("profile sigma x{}", factor), factor, std::nullopt, std::nullopt);
    add("refit_threshold_sigmas 2.0", 1, 2.0, std::nullopt);
    add("refit_threshold_sigmas 2.4", 1, 2.4, std::nullopt);
    add("max_rms_sigmas 1.6", 1, std::nullopt, 1.6);
  }
}

void add_real_rows(std::vector<Row>& rows) {
  const auto add = [&](const std::string& name, Real real, Level level) {
    Row r;
    r.name = "real board, " + name;
    r.real = real;
    r.level = level;
    rows.push_back(r);
  };
  add("left dies within 8 um", Real::left_dies, Level::none);
  rows.back().wanted.invalid_most = rows.back().wanted.outside = 0;
  add("right dies", Real::right_dies, Level::none);
  rows.back().wanted.outside = 0;
  for (Level level : {Level::side, Level::sector, Level::two_levels, Level::half})
    add(fmt::format("{} 35 um", name_of(level)), Real::stepped, level);
  rows.back().wanted.invalid_least = 0.99;  // half of the ring
}

void add_warp_rows(std::vector<Row>& rows) {
  const auto add = [&](const std::string& name, WarpForm form, double um) -> Row& {
    Row r = white_row("warp " + name);
    r.warp = form;
    r.form_um = um;
    rows.push_back(r);
    return rows.back();
  };
  // a curvature bound of such boards: 0.2 um/mm^2 for a bow of 60 um over 48 mm, a few times that at most
  add("plain", WarpForm::bent, 0).max_curvature_um_per_mm2 = 0.5;
  add("twist", WarpForm::twist, 160).max_curvature_um_per_mm2 = 0.5;
  add("V-score", WarpForm::fold, 144);
  for (int um : {60, 150}) add(fmt::format("dome {} um", um), WarpForm::dome, um);
  for (int um : {5, 430}) add(fmt::format("bump {} um between patches", um), WarpForm::bump, um);
  Row& correlated = add("correlated 10 px", WarpForm::bent, 0);
  correlated.max_curvature_um_per_mm2 = 0.5;
  correlated.noise.white_um = 0;
  correlated.noise.world.smooth = {{sensor_um, 10}};

  Row& calm = add("placed and filtered", WarpForm::bent, 0);
  calm.max_curvature_um_per_mm2 = 0.5;
  calm.composed = true;
  Row hostile = calm;
  hostile.name += ", hostile";
  hostile.noise.world.smooth = {{1.5, 2}};
  hostile.noise.world.row_um = hostile.noise.world.column_um = 0.5;
  hostile.noise.world.missing_ratio = 0.05;
  hostile.noise.world.missing_blob_ratio = 0.1;
  hostile.noise.world.spike_ratio = 0.3;
  hostile.noise.world.spike_um = 50;
  hostile.noise.outlier_ratio = 0.01;
  hostile.profile_sigma_um = root_of_squares(root_of_squares(hostile.profile_sigma_um, 1.5), 0.7);
  rows.push_back(hostile);
  Row coarse = hostile;
  coarse.name += ", LSB 5 um";
  coarse.noise.white_um = 1;
  coarse.lsb_um = 5;
  coarse.profile_sigma_um =
      root_of_squares(root_of_squares(1, 1.5), root_of_squares(0.7, 5 / std::sqrt(12.0)));
  rows.push_back(coarse);
}

void add_hole_rows(std::vector<Row>& rows) {
  for (double mm : {0.0, 0.06, 0.1, 0.2, 0.3, 0.4, 0.5}) {
    Row r = white_row(fmt::format("hole, chamfer {} mm", mm));
    r.chamfer_mm = mm;
    r.wanted.invalid_most = 0.05;
    rows.push_back(r);
  }
  rows.push_back(rows.back());
  rows.back().name = "hole, chamfer 0.5 mm unseen in part";
  rows.back().slope_unseen = true;
  rows.back().wanted = {};
}

}  // namespace

const char* name_of(Column c) {
  constexpr std::array<const char*, column_count> names{"mean",  "median",   "percentile", "maximum",
                                                        "tilt",  "presence", "quadratic",  "bow",
                                                        "twist", "fallback", "hole r",     "hole xy"};
  return names[static_cast<std::size_t>(c)];
}

const char* name_of(Level level) {
  constexpr std::array<const char*, 9> names{"none",  "side",       "sector", "stripes", "half",
                                             "51:49", "two levels", "ramp",   "step"};
  return names[static_cast<std::size_t>(level)];
}

const std::vector<Body>& bodies() {
  static const std::vector<Body> all{
      {"1 px", 0.15, 0.15, 100, 0, 1},  {"3 px", 0.25, 0.15, 100, 0, 1},  {"01005", 0.4, 0.2, 200, 14000, 1},
      {"0201", 0.6, 0.3, 300, 4500, 1}, {"0402", 1.0, 0.5, 350, 2000, 2}, {"0805", 2.0, 1.25, 550, 500, 2},
      {"5x5", 5, 5, 900, 300, 2},       {"10x10", 10, 10, 1200, 200, 2},  {"14x14", 14, 14, 1400, 200, 2}};
  return all;
}

double region_pixels(const Body& body) {
  return (body.x_mm / pitch_mm - 2 * body.erode_px) * (body.y_mm / pitch_mm - 2 * body.erode_px);
}

Wanted wanted_in(const Row& row, const Body& body, Column column) {
  // A quadratic fit is valid on a ring with a second level, but need not be accepted.
  if (row.floors && column == Column::quadratic) return {};
  Wanted wanted = row.wanted;
  // A maximum needs a patch of 3 x 3 pixels, and one to three pixels show no noise.
  const double rows_of_pixels = std::min(body.x_mm, body.y_mm) / pitch_mm - 2 * body.erode_px;
  if (region_pixels(body) < 4 || (column == Column::maximum && rows_of_pixels < 3)) wanted.invalid_most = 1;
  return wanted;
}

std::vector<Row> all_rows() {
  std::vector<Row> rows;
  add_noise_rows(rows);
  add_body_rows(rows);
  add_carrier_rows(rows);
  add_floor_rows(rows);
  add_step_rows(rows);
  add_setting_rows(rows);
  add_real_rows(rows);
  add_warp_rows(rows);
  add_hole_rows(rows);
  return rows;
}

}  // namespace datum::statistics
