// A panel of 4 x 6 boards in one 3904 x 3904 int16 frame, ten components each, against one board of the same 240 components.
//
//   bench_panel [REPEATS [THREADS]]    frame in memory to verdict: processor time of all threads, and the time that passes: median
//                                      (10 % .. 90 %), and over that of the one board
//
// The panel once as placed, once with [alignment], which finds each of its boards.
#include <fmt/format.h>
#include <time.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstdlib>
#include <stdexcept>
#include <vector>

#include "config/toml_reader.h"
#include "daemon/inspection/board/board_planner.h"
#include "daemon/inspection/board/pipeline.h"
#include "daemon/inspection/recipe/panel_recipe.h"
#include "tests/bench/bench_board.h"

namespace {

using namespace datum;

constexpr int columns = 4, rows = 6;
constexpr double board_x_mm = 19, board_y_mm = 12.5, pitch_x_mm = 19.5, pitch_y_mm = 13;
struct Part {
  double x_mm, y_mm, turn_deg;
};
constexpr Part parts[] = {{3, 2.5, 0}, {7.5, 2.2, 15}, {12, 3, 0},    {16, 2.6, 30}, {3.4, 6.2, 90},
                          {8, 6.6, 0}, {13.2, 6, 45},  {4, 10.1, 10}, {10, 10.2, 0}, {16.4, 9.4, 75}};

std::string head(double x_mm, double y_mm) {
  return fmt::format(
      "schema = 1\nname = \"panel\"\nsensor_serial = \"bench\"\n[board]\nsize_mm = [{}, {}]\ncoordinates = "
      "\"sensor\"\n"
      "origin_mm = [0.0, 0.0, 0.0]\n[floor]\ninner_margin_mm = 0.08\nouter_margin_mm = 0.56\nform = "
      "\"quadratic\"\n"
      "[decision]\nrule = \"14253\"\n[package.box]\nbody_mm = [2.0, 1.2]\nnominal_um = 800.0\ncharacteristic "
      "= \"median\"\ntolerance_um = "
      "100.0\n",
      x_mm, y_mm);
}

std::string component(const std::string& reference, double x_mm, double y_mm, double turn_deg) {
  return fmt::format(
      "[[component]]\nreference = \"{}\"\npackage = \"box\"\ncentre_mm = [{}, {}]\nrotation_deg = {:.1f}\n",
      reference, x_mm, y_mm, turn_deg);
}

Recipe loaded(const std::string& text) {
  config::Problems problems;
  Recipe recipe = recipe_from_text(text, "bench.toml", problems);
  problems.throw_first();
  return recipe;
}

Recipe panel(bool aligned) {
  std::string text = head(board_x_mm, board_y_mm);
  for (std::size_t i = 0; i < std::size(parts); ++i)
    text += component(fmt::format("U{}", i + 1), parts[i].x_mm, parts[i].y_mm, parts[i].turn_deg);
  text += fmt::format(
      "[panel]\nsize_mm = [{}, {}]\ncolumns = {}\nrows = {}\npitch_mm = [{}, {}]\nkeyed_fixture = true\n",
      columns * pitch_x_mm, rows * pitch_y_mm, columns, rows, pitch_x_mm, pitch_y_mm);
  if (aligned) text += "[alignment]\nmax_shift_mm = 0.5\nmax_rotation_deg = 1.0\n";
  return loaded(text);
}

Recipe one_board() {
  std::string text = head(columns * pitch_x_mm, rows * pitch_y_mm);
  for (int k = 0; k < columns * rows; ++k)
    for (std::size_t i = 0; i < std::size(parts); ++i)
      text += component(fmt::format("U{}-{}", i + 1, k), parts[i].x_mm + k % columns * pitch_x_mm,
                        parts[i].y_mm + k / columns * pitch_y_mm, parts[i].turn_deg);
  return loaded(text);
}

HeightFrame frame_of(const Recipe& board) {
  HeightFrame f;
  f.rows = f.cols = bench::side_px;
  f.x = f.y = {bench::pitch_mm, 0};
  f.z = {bench::count_mm, 0};
  f.sensor_serial = f.frame_id = f.source = "bench";
  std::vector<double> um(f.size(), 0.0);
  for (const Component& c : board.components) {
    const double turn = c.body.rotation_deg * M_PI / 180, reach = c.body.size_mm.norm() / 2;
    const auto px = [](double mm) { return static_cast<int>(std::lround(mm / bench::pitch_mm)); };
    for (int row = px(c.body.centre_mm.y() - reach); row <= px(c.body.centre_mm.y() + reach); ++row)
      for (int col = px(c.body.centre_mm.x() - reach); col <= px(c.body.centre_mm.x() + reach); ++col) {
        const double dx = f.x.at(col) - c.body.centre_mm.x(), dy = f.y.at(row) - c.body.centre_mm.y();
        if (std::abs(std::cos(turn) * dx + std::sin(turn) * dy) <= c.body.size_mm.x() / 2 &&
            std::abs(std::cos(turn) * dy - std::sin(turn) * dx) <= c.body.size_mm.y() / 2)
          um[static_cast<std::size_t>(row) * bench::side_px + static_cast<std::size_t>(col)] = 800;
      }
  }
  std::vector<std::int16_t> counts(f.size());
  f.classes.assign(f.size(), PixelClass::ok);
  std::uint64_t state = 1;
  for (std::size_t i = 0; i < counts.size(); ++i) {
    double noise = -6;  // twelve uniform numbers have variance 1
    for (int k = 0; k < 12; ++k) {
      state = state * 6364136223846793005ull + 1442695040888963407ull;
      noise += static_cast<double>(state >> 40) / (1 << 24);
    }
    counts[i] = static_cast<std::int16_t>(std::lround((um[i] + 3 * noise) / 0.25));
    if ((state >> 33) % 50 == 0) f.classes[i] = PixelClass::no_data;
  }
  f.counts = std::move(counts);
  return f;
}

double cpu_ms() {
  timespec t{};
  clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
  return static_cast<double>(t.tv_sec) * 1e3 + static_cast<double>(t.tv_nsec) * 1e-6;
}

struct Times {
  std::vector<double> cpu, passed;
};

Times run(const Recipe& recipe, const HeightFrame& frame, unsigned threads, int repeats) {
  SensorProfile sensor;
  sensor.serial = "bench";
  sensor.noise = {{0.0}, {3.0}};
  sensor.z_min_mm = -5;
  sensor.z_max_mm = 5;
  BoardPlanner planner;
  InspectionInputs in;
  in.recipe = &recipe;
  in.sensor = &sensor;
  in.now_utc_s = 1000;
  in.measured_at = "2026-01-01T00:00:00Z";
  in.planner = &planner;
  Times t;
  for (int i = -2; i < repeats; ++i) {  // two to warm up
    const double cpu_begin = cpu_ms();
    const auto begin = std::chrono::steady_clock::now();
    const BoardVerdict v = inspect(frame, in, cpu_backend(threads));
    const std::chrono::duration<double, std::milli> took = std::chrono::steady_clock::now() - begin;
    if (v.decision != Decision::pass) throw std::runtime_error("the panel did not pass: " + to_json(v));
    if (i < 0) continue;
    t.cpu.push_back(cpu_ms() - cpu_begin);
    t.passed.push_back(took.count());
  }
  for (auto* values : {&t.cpu, &t.passed}) std::sort(values->begin(), values->end());
  return t;
}

double at(const std::vector<double>& sorted, double q) {
  return sorted[static_cast<std::size_t>(q * static_cast<double>(sorted.size() - 1))];
}

void print(const char* name, const Times& t, const Times& peer) {
  const auto text = [](const std::vector<double>& v) {
    return fmt::format("{:7.2f} ({:.2f} .. {:.2f})", at(v, 0.5), at(v, 0.1), at(v, 0.9));
  };
  fmt::print("{:28} {:28} {:28} {:6.2f}\n", name, text(t.cpu), text(t.passed),
             at(t.cpu, 0.5) / at(peer.cpu, 0.5));
}

}  // namespace

int main(int argc, char** argv) {
  const int repeats = argc > 1 ? std::max(1, std::atoi(argv[1])) : 30;
  const unsigned threads = argc > 2 ? static_cast<unsigned>(std::max(1, std::atoi(argv[2]))) : 2;
  const Recipe one = one_board();
  const HeightFrame frame = frame_of(one);
  const Times peer = run(one, frame, threads, repeats);
  fmt::print("{0} x {0} px, {1} components, {2} threads\n{3:28} {4:28} {5:28} {6}\n", bench::side_px,
             one.components.size(), threads, "", "cpu ms", "time ms", "cpu / one board's");
  print("one board", peer, peer);
  print("panel of 4 x 6", run(panel(false), frame, threads, repeats), peer);
  print("panel with [alignment]", run(panel(true), frame, threads, repeats), peer);
}
