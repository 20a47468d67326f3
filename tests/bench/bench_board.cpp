#include "tests/bench/bench_board.h"

#include <fmt/format.h>

#include <cmath>
#include <cstdint>
#include <vector>

namespace datum::bench {

namespace {

constexpr int across = 8;
constexpr double cell_mm = side_px * pitch_mm / across;
// Rings of about 19,500 pixels, as on the board of the multi-plane paper; bodies of 200 x 150 pixels.
constexpr double body_x_mm = 4.0, body_y_mm = 3.0;

}  // namespace

Recipe make_recipe() {
  Recipe r;
  r.name = "bench";
  r.sha256 = "bench";
  r.board_size_mm = {side_px * pitch_mm, side_px * pitch_mm};
  r.in_machine_coordinates = false;
  r.sensor_serial = "bench";
  r.floor.inner_margin_mm = 0.08;
  r.floor.outer_margin_mm = 0.56;
  r.floor.form = FloorForm::quadratic;
  for (int i = 0; i < components; ++i) {
    Component c;
    c.reference = fmt::format("U{}", i + 1);
    c.package = "box";
    c.body = {
        {(i % across + 0.5) * cell_mm, (i / across + 0.5) * cell_mm}, {body_x_mm, body_y_mm}, (i % 3) * 15.0};
    c.nominal_height_um = 800;
    for (Characteristic what : {Characteristic::median, Characteristic::tilt, Characteristic::presence}) {
      Check check;
      check.characteristic = what;
      if (what != Characteristic::tilt) check.lower = what == Characteristic::median ? 700 : 900;
      if (what != Characteristic::presence) check.upper = what == Characteristic::median ? 900 : 2000;
      c.checks.push_back(check);
    }
    r.components.push_back(c);
  }
  return r;
}

std::string recipe_text(const std::string& sensor_serial) {
  const Recipe r = make_recipe();
  std::string text = fmt::format(
      "schema = 1\nname = \"{}\"\nsensor_serial = \"{}\"\n[board]\nsize_mm = [{}, {}]\ncoordinates = "
      "\"sensor\"\norigin_mm = [0.0, 0.0, 0.0]\n[floor]\ninner_margin_mm = {}\nouter_margin_mm = {}\nform = "
      "\"quadratic\"\n[body]\n[decision]\nrule = \"14253\"\n[package.box]\nbody_mm = [{:.1f}, {:.1f}]\n"
      "nominal_um = 800.0\ncharacteristic = \"median\"\ntolerance_um = 100.0\ncheck = [{{ characteristic = "
      "\"tilt\", upper_mdeg = 2000.0 }}, {{ characteristic = \"presence\", lower_permille = 900.0 }}]\n",
      r.name, sensor_serial, r.board_size_mm.x(), r.board_size_mm.y(), r.floor.inner_margin_mm,
      r.floor.outer_margin_mm, body_x_mm, body_y_mm);
  for (const Component& c : r.components)
    text += fmt::format(
        "[[component]]\nreference = \"{}\"\npackage = \"box\"\ncentre_mm = [{}, {}]\nrotation_deg = {:.1f}\n",
        c.reference, c.body.centre_mm.x(), c.body.centre_mm.y(), c.body.rotation_deg);
  return text;
}

HeightFrame make_frame(const Recipe& recipe) {
  HeightFrame f;
  f.rows = f.cols = side_px;
  f.x = f.y = {pitch_mm, 0};
  f.z = {count_mm, 0};
  f.sensor_serial = f.frame_id = f.source = "bench";
  std::vector<std::int16_t> counts(f.size());
  f.classes.assign(f.size(), PixelClass::ok);
  std::uint64_t state = 1;
  for (int row = 0; row < side_px; ++row) {
    for (int col = 0; col < side_px; ++col) {
      const double x = f.x.at(col), y = f.y.at(row);
      const int cell = static_cast<int>(y / cell_mm) * across + static_cast<int>(x / cell_mm);
      double um = 0.6 * x - 0.4 * y + 0.01 * (x - 40) * (x - 40);
      if (cell < components) {
        const BoardRect& body = recipe.components[static_cast<std::size_t>(cell)].body;
        const double angle = body.rotation_deg * M_PI / 180, dx = x - body.centre_mm.x(),
                     dy = y - body.centre_mm.y();
        if (std::abs(std::cos(angle) * dx + std::sin(angle) * dy) <= body_x_mm / 2 &&
            std::abs(-std::sin(angle) * dx + std::cos(angle) * dy) <= body_y_mm / 2)
          um += 800;
      }
      double noise = -6;  // twelve uniform numbers have variance 1
      for (int k = 0; k < 12; ++k) {
        state = state * 6364136223846793005ull + 1442695040888963407ull;
        noise += static_cast<double>(state >> 40) / (1 << 24);
      }
      const std::size_t i = static_cast<std::size_t>(row) * side_px + static_cast<std::size_t>(col);
      counts[i] = static_cast<std::int16_t>(std::lround((um + 3 * noise) / 0.25));
      if ((state >> 33) % 50 == 0) f.classes[i] = PixelClass::no_data;
    }
  }
  f.counts = std::move(counts);
  return f;
}

}  // namespace datum::bench
