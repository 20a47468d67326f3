// The whole inspection of a 3904 x 3904 int16 frame with 58 components, frame in memory to verdict stored.
//
//   bench_inspect [REPEATS]     one table: median and spread of each step, 1 thread and all threads
#include <fmt/format.h>
#include <stdlib.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <filesystem>
#include <thread>
#include <vector>

#include "daemon/inspection/board/pipeline.h"
#include "daemon/store/result_store.h"
#include "daemon/system/memory.h"

namespace {

using namespace datum;

constexpr int side_px = 3904, components = 58, across = 8;
constexpr double pitch_mm = 0.02, cell_mm = side_px * pitch_mm / across;
// Rings of about 19,500 pixels, as on the board of the multi-plane paper; bodies of 200 x 150 pixels.
constexpr double body_x_mm = 4.0, body_y_mm = 3.0;

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

/// Bowed and tilted board, boxes of 800 um, noise of 3 um, 2 % of the pixels without a height.
HeightFrame make_frame(const Recipe& recipe) {
  HeightFrame f;
  f.rows = f.cols = side_px;
  f.x = f.y = {pitch_mm, 0};
  f.z = {0.00025, 0};
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

struct Times {
  std::vector<double> inspect_ms, store_ms, total_ms;
};

Times run(const HeightFrame& frame, const InspectionInputs& inputs, unsigned threads, int repeats) {
  using Clock = std::chrono::steady_clock;
  const auto ms = [](Clock::duration d) { return std::chrono::duration<double, std::milli>(d).count(); };
  std::string folder = std::filesystem::temp_directory_path() / "bench_inspect.XXXXXX";
  if (!mkdtemp(folder.data())) throw std::runtime_error("no temporary folder");
  Times t;
  {
    ResultStore store(std::filesystem::path(folder) / "results.db");
    const Backend backend = cpu_backend(threads);
    for (int i = -3; i < repeats; ++i) {  // three to warm up
      const auto begin = Clock::now();
      BoardVerdict verdict = inspect(frame, inputs, backend);
      const auto measured = Clock::now();
      store.store(verdict);
      const auto stored = Clock::now();
      if (verdict.decision != Decision::pass)
        throw std::runtime_error("the board did not pass: " + to_json(verdict));
      if (i < 0) continue;
      t.inspect_ms.push_back(ms(measured - begin));
      t.store_ms.push_back(ms(stored - measured));
      t.total_ms.push_back(ms(stored - begin));
    }
  }
  std::filesystem::remove_all(folder);
  return t;
}

std::string summary(std::vector<double> v) {
  std::sort(v.begin(), v.end());
  const auto at = [&](double q) {
    return v[static_cast<std::size_t>(q * static_cast<double>(v.size() - 1))];
  };
  return fmt::format("{:7.2f} ({:.2f} .. {:.2f})", at(0.5), at(0.1), at(0.9));
}

}  // namespace

int main(int argc, char** argv) {
  keep_freed_memory();  // as the daemon does
  const int repeats = argc > 1 ? std::max(1, std::atoi(argv[1])) : 31;
  const Recipe recipe = make_recipe();
  const HeightFrame frame = make_frame(recipe);
  SensorProfile sensor;
  sensor.serial = "bench";
  sensor.noise = {{0.0}, {3.0}};
  InspectionInputs inputs;
  inputs.recipe = &recipe;
  inputs.sensor = &sensor;
  fmt::print("{} x {} int16 frame in memory, {} components; ms, median (10 % .. 90 %) of {}\n", side_px,
             side_px, components, repeats);
  fmt::print("{:<22} {:<26} {:<26} {}\n", "backend", "inspect", "store (durable)", "frame to stored");
  for (unsigned threads : {1u, std::max(1u, std::thread::hardware_concurrency())}) {
    const Times t = run(frame, inputs, threads, repeats);
    fmt::print("{:<22} {:<26} {:<26} {}\n", fmt::format("{} x{}", name_of(best_isa()), threads),
               summary(t.inspect_ms), summary(t.store_ms), summary(t.total_ms));
  }
  return 0;
}
