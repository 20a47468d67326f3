// Pages of a large store: processor time and wall clock of each page of datumd-view, beside their limits.
//
//   bench_pages [--results 1000000] [--lot 1000] [--components 500] [--folder FOLDER]
//
// It writes a store through its own API: RESULTS boards of one component over a year, then LOT boards of COMPONENTS components with two
// checks each; then the index of the pages is made. With --folder the store stays, and the next run measures it again.
#include <fmt/format.h>
#include <sys/resource.h>
#include <time.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <chrono>
#include <functional>

#include "config/utc_time.h"
#include "daemon/view/result_index.h"
#include "daemon/view/result_reader.h"
#include "daemon/view/view_pages.h"
#include "gpu/core/philox.h"
#include "tests/fresh_folder.h"

namespace {

using namespace datum;
namespace fs = std::filesystem;

constexpr std::int64_t year_s = 365 * 86'400, begin_s = 1'735'689'600;  // 2025-01-01
constexpr std::size_t batch = 1000;

struct Options {
  std::uint64_t results = 1'000'000, lot = 1000;
  int components = 500;
  std::string folder;
};

/// Numbers with the digits of measured ones.
double noise(std::uint64_t n) {
  const PhiloxBlock r =
      philox({{static_cast<std::uint32_t>(n), static_cast<std::uint32_t>(n >> 32), 0, 0}}, 1);
  return (r.word[0] + r.word[1] * 0x1p-32) * 0x1p-32 - 0.5;
}

CheckVerdict check_of(Characteristic what, double nominal, double lower, double upper, std::uint64_t seed) {
  CheckVerdict c;
  c.check = {what, 0, nominal, lower, upper};
  c.value = (lower + upper) / 2 + noise(seed) * (upper - lower) * 0.8;
  c.u = 1.1 + noise(seed + 1);
  c.p_conform = 0.999 + noise(seed + 2) * 1e-3;
  c.capability = 12 + noise(seed + 3);
  c.decision = c.decision_simple = noise(seed + 4) > 0.498 ? Decision::fail : Decision::pass;
  for (const char* term :
       {"top_noise", "floor", "scale", "linearity", "form", "quantisation", "edge", "reproducibility"})
    c.budget.push_back({term, 0.4 + noise(seed += 7)});
  return c;
}

ComponentVerdict component_of(int i, std::uint64_t seed) {
  ComponentVerdict c;
  c.reference = fmt::format("C{}", i + 1);
  c.package = fmt::format("P{}", i % 12);
  FloorEvidence& f = c.floor;
  for (double* v :
       {&f.a, &f.b, &f.c_um, &f.centre_x_mm, &f.centre_y_mm, &f.sigma_um, &f.rms_um, &f.inlier_ratio,
        &f.second_floor, &f.effective_n, &f.tilt_deg, &f.form_um, &f.u_form_um, &f.noise_um, &f.between_um})
    *v = noise(++seed) * 10;
  f.side_inliers = {412, 398, 405, 411};
  f.pixels = 1800;
  f.valid = 1790;
  f.inliers = 1626;
  c.body_pixels = c.body_valid = 640;
  c.checks = {check_of(Characteristic::median, 800, 720, 880, seed + 100),
              check_of(Characteristic::tilt, 0, 0, 800, seed + 200)};
  c.decision = std::max(c.checks[0].decision, c.checks[1].decision);
  return c;
}

BoardVerdict board_of(std::uint64_t n, std::int64_t s, const char* recipe, int components) {
  BoardVerdict v;
  v.measured_at = iso8601_from_utc(s);
  v.unit_id = fmt::format("SN{:08}", n);
  v.recipe = recipe;
  v.recipe_sha256 = std::string(64, 'a');
  v.calibration = "cal-2025";
  v.calibration_sha256 = std::string(64, 'b');
  v.sensor_serial = "SN-1";
  v.frame_id = fmt::format("{:08}", n);
  v.frame_sha256 = fmt::format("{:064x}", n);
  v.code = "bench";
  v.backend = "cpu";
  v.decision = Decision::pass;
  for (int i = 0; i < components; ++i) {
    v.components.push_back(component_of(i, n * 1'000'003 + static_cast<std::uint64_t>(i) * 911));
    v.decision = std::max(v.decision, v.components.back().decision);
  }
  return v;
}

void write_store(const fs::path& file, const Options& o) {
  ResultStore store(file);
  std::size_t bytes = 0;
  for (std::uint64_t from = 0; from < o.results + o.lot;) {
    const bool full = from >= o.results;
    const std::uint64_t to =
        full ? std::min(from + 10, o.results + o.lot) : std::min(from + batch, o.results);
    std::vector<BoardVerdict> boards;
    for (std::uint64_t n = from; n < to; ++n)
      boards.push_back(board_of(
          n + 1,
          begin_s + static_cast<std::int64_t>(n) * year_s / static_cast<std::int64_t>(o.results + o.lot),
          full ? "mainboard" : "small", full ? o.components : 1));
    std::vector<BoardVerdict*> all;
    for (BoardVerdict& v : boards) all.push_back(&v);
    store.store(all);
    if (to == o.results + o.lot) bytes = to_json(boards.back()).size();
    from = to;
  }
  fmt::print("{} results of one component, {} of {} components ({} bytes each)\n", o.results, o.lot,
             o.components, bytes);
}

double cpu_s() {
  timespec t{};
  clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
  return static_cast<double>(t.tv_sec) + 1e-9 * static_cast<double>(t.tv_nsec);
}

struct Cost {
  double cpu_s = 0, wall_s = 0;
};
Cost cost_of(const std::function<void()>& run) {
  const double cpu = cpu_s();
  const auto wall = std::chrono::steady_clock::now();
  run();
  return {cpu_s() - cpu, std::chrono::duration<double>(std::chrono::steady_clock::now() - wall).count()};
}

/// Median of some runs, and whether its processor time keeps the limit.
bool row(const ViewPages& pages, const char* name, const PageRequest& request, double limit_s) {
  constexpr int runs = 9;
  std::vector<double> cpu, wall;
  std::size_t bytes = 0;
  for (int i = 0; i < runs; ++i) {
    PageAnswer answer;
    const Cost cost = cost_of([&] { answer = pages.answer(request); });
    if (answer.status != 200) {
      fmt::print("{:<34} answered {}\n", name, answer.status);
      return false;
    }
    cpu.push_back(cost.cpu_s);
    wall.push_back(cost.wall_s);
    bytes = answer.body.size();
  }
  std::sort(cpu.begin(), cpu.end());
  std::sort(wall.begin(), wall.end());
  const bool kept = cpu[runs / 2] <= limit_s;
  fmt::print("{:<34} {:>8.1f} {:>8.1f} {:>8.1f} {:>8.0f} {:>9} {}\n", name, 1e3 * cpu[runs / 2],
             1e3 * wall[runs / 2], 1e3 * wall.back(), 1e3 * limit_s, bytes, kept ? "" : "TOO LONG");
  return kept;
}

}  // namespace

int main(int argc, char** argv) {
  CLI::App app{"bench_pages: pages of datumd-view over a large store"};
  Options o;
  app.add_option("--results", o.results, "boards of one component")->capture_default_str();
  app.add_option("--lot", o.lot, "boards of a lot")->capture_default_str();
  app.add_option("--components", o.components, "of each board of the lot")->capture_default_str();
  app.add_option("--folder", o.folder, "keeps the store there, or measures the one that is there");
  CLI11_PARSE(app, argc, argv);
  testing::FreshFolder fresh;
  const fs::path folder = o.folder.empty() ? fresh.path() : fs::path(o.folder);
  fs::create_directories(folder);
  const fs::path store = folder / "results.db", index = folder / "view.db";
  if (!fs::exists(store)) {
    const Cost cost = cost_of([&] { write_store(store, o); });
    fmt::print("written in {:.1f} s of processor time, {:.1f} s\n", cost.cpu_s, cost.wall_s);
  }
  std::size_t taken = 0;
  const Cost made = cost_of([&] {
    ResultIndex writer(index, ResultIndex::Access::writing);
    for (std::size_t n = batch; n == batch;) {
      ResultReader reader(store, std::chrono::hours(1));
      taken += n = writer.take(reader, batch);
    }
  });
  fmt::print("index: {} results in {:.1f} s of processor time, {:.1f} s; {:.0f} MB beside {:.0f} MB\n\n",
             taken, made.cpu_s, made.wall_s, 1e-6 * static_cast<double>(fs::file_size(index)),
             1e-6 * static_cast<double>(fs::file_size(store)));
  const ViewPages pages({store, folder / "pictures", index, [] { return LiveState{"no daemon", {}}; }});
  const auto last = std::to_string(o.results + o.lot), lot = std::to_string(o.lot);
  fmt::print("{:<34} {:>8} {:>8} {:>8} {:>8} {:>9}\n", "page", "CPU ms", "wall ms", "longest", "limit",
             "bytes");
  bool kept = row(pages, "board of one component", {"/board/1", {}}, 0.05);
  kept = row(pages, "board of all components", {"/board/" + last, {}}, 0.05) && kept;
  kept = row(pages, "newest boards", {"/", {}}, 0.05) && kept;
  kept = row(pages, "search", {"/search", {{"unit", "SN0000100"}}}, 0.05) && kept;
  kept = row(pages, "lot", {"/lot", {{"recipe", "mainboard"}, {"most", lot}}}, 1) && kept;
  kept = row(pages, "component over a year",
             {"/component", {{"recipe", "small"}, {"reference", "C1"}, {"what", "median"}}}, 0.2) &&
         kept;
  kept = row(pages, "component of full boards",
             {"/component", {{"recipe", "mainboard"}, {"reference", "C250"}, {"what", "median"}}}, 0.2) &&
         kept;
  return kept ? 0 : 1;
}
