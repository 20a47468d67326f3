// A surface recipe from snapshots to verdict, frames in memory: the demo's part in seven snapshots of 440 x 440 pixels, and
// the part of 1.19 million facets (bench_part.h).
//
//   bench_surface [REPEATS [THREADS [FACETS]]]     one table: median and spread, 1 thread and all threads; user CPU time beside
//   bench_surface --gpu [REPEATS [THREADS]]        the large part alone: on the CPU, with datumd-gpu, which is beside this program, but for the
//                                                  areas of points, and with it for all
//
// Peer: Embree's point query (libembree-dev) for the distances of the same points alone, which is the first step of these.
#include <fmt/format.h>
#include <sys/resource.h>

#include <Eigen/Geometry>
#include <algorithm>
#include <array>
#include <chrono>
#include <cstdlib>
#include <string_view>
#include <thread>

#include "config/toml_reader.h"
#include "daemon/gpu_worker/backend_choice.h"
#include "daemon/inspection/surface/pipeline_surface.h"
#include "daemon/system/memory.h"
#include "tests/bench/bench_part.h"
#include "tests/fresh_folder.h"
#include "tests/virtual_cell/virtual_part_cell.h"
#ifdef DATUM_BENCH_EMBREE
#include "tests/bench/peer_embree.h"
#endif

namespace datum::bench {
namespace {

/// As the demo puts it down: 0.3 mm and 2 mrad off its place.
VirtualPartCell displaced_cell(const std::filesystem::path& config) {
  VirtualPartCell cell = load_part_cell(config / "twins/surface.toml", config / "calibrations/demo.toml");
  cell.sensor.left_handed = false;
  Eigen::Matrix4d off = Eigen::Matrix4d::Identity();
  off.topLeftCorner<3, 3>() = Eigen::AngleAxisd(0.002, Eigen::Vector3d::UnitZ()).toRotationMatrix();
  off.topRightCorner<3, 1>() << 0.2, -0.2, 0.1;
  cell.machine_from_part = cell.machine_from_part * off;
  return cell;
}

struct Part {
  std::vector<HeightFrame> frames;
  std::vector<SurfaceFrame> surface;
};

Part part_of(const VirtualPartCell& cell, const std::string& defects) {
  const std::vector<PartFacet> facets = part_facets(cell.shape, parse_defects(defects));
  Part part;
  for (std::size_t i = 0; i < cell.positions_mm.size(); ++i)
    part.frames.push_back(snapshot_of(cell, facets, {i, 1 + i, 1 + i, 0}));
  for (std::size_t i = 0; i < part.frames.size(); ++i) {
    SurfaceFrame& f = part.surface.emplace_back();
    f.frame = &part.frames[i];
    f.pose.used = true;
    Eigen::Map<Eigen::Vector3d>(f.pose.q_mm.data()) = cell.positions_mm[i];
  }
  return part;
}

/// The demo's recipe beside the part's model.
Recipe demo_recipe(const testing::FreshFolder& folder, const std::filesystem::path& config,
                   const VirtualPartCell& cell) {
  write_stl(folder.path() / "demo-part.stl", part_facets(cell.shape, {}));
  std::filesystem::copy_file(config / "recipes/demo-part.toml", folder.path() / "demo-part.toml");
  return load_recipe(folder.path() / "demo-part.toml");
}

/// What config/sensors/virtual.toml says.
SensorProfile demo_sensor() {
  SensorProfile s;
  s.serial = "VS3D-0001";
  s.z_min_mm = -8;
  s.z_max_mm = 8;
  s.scale_uncertainty_ppm = 100;
  s.linearity_um = 0.3;
  s.noise = {{0.0}, {3.36}};
  return s;
}

double user_ms() {
  rusage usage{};
  getrusage(RUSAGE_SELF, &usage);
  return 1e3 * static_cast<double>(usage.ru_utime.tv_sec) +
         1e-3 * static_cast<double>(usage.ru_utime.tv_usec);
}

struct Times {
  double load_ms = 0;  // of the model, where it was not
  std::vector<double> wall_ms, user_ms;
  std::array<std::vector<double>, 4> step_ms;  // up to the end of each InspectionStep, and of all
  BoardVerdict verdict;
  std::shared_ptr<const SurfaceMap> map;
};

Times run(const Part& part, InspectionInputs in, SurfaceModels& models, unsigned threads, int repeats) {
  using Clock = std::chrono::steady_clock;
  const Backend backend = cpu_backend(threads);
  Times t;
  const auto begin_load = Clock::now();
  models.of(*in.recipe, threads);
  t.load_ms = std::chrono::duration<double, std::milli>(Clock::now() - begin_load).count();
  for (int i = -1; i < repeats; ++i) {  // one to warm up
    const auto begin = Clock::now();
    const double user = user_ms();
    auto last = begin;
    const auto step = [&](std::size_t k) {
      const auto now = Clock::now();
      if (i >= 0) t.step_ms[k].push_back(std::chrono::duration<double, std::milli>(now - last).count());
      last = now;
    };
    in.step_ended = [&](InspectionStep ended) { step(static_cast<std::size_t>(ended)); };
    SurfaceInspection inspection = inspect_surface(part.surface, in, models, backend);
    step(3);
    const double wall = std::chrono::duration<double, std::milli>(Clock::now() - begin).count();
    if (i >= 0) {
      t.wall_ms.push_back(wall);
      t.user_ms.push_back(user_ms() - user);
    }
    t.verdict = std::move(inspection.verdict);
    t.map = std::move(inspection.map);
  }
  return t;
}

std::string summary(std::vector<double> v) {
  std::sort(v.begin(), v.end());
  const auto at = [&](double q) {
    return v[static_cast<std::size_t>(q * static_cast<double>(v.size() - 1))];
  };
  return fmt::format("{:8.1f} ({:.1f} .. {:.1f})", at(0.5), at(0.1), at(0.9));
}

/// So that what made it faster is seen to have changed no verdict.
std::string digest_of(BoardVerdict v) {
  v.code.clear();
  v.backend.clear();
  return config::sha256_hex(to_json(v)).substr(0, 12);
}

void peer_row([[maybe_unused]] const SurfaceMap& map, [[maybe_unused]] unsigned threads,
              [[maybe_unused]] int repeats) {
#ifdef DATUM_BENCH_EMBREE
  std::vector<double> ms;
  for (int i = -1; i < repeats; ++i) {
    const EmbreeResult r = embree_distances(*map.model, {map.points.begin(), map.points.end()}, threads);
    if (i >= 0) ms.push_back(1e3 * (r.build_s + r.query_s));
  }
  fmt::print("{:<30} {:<30} distances of {} points from {} facets alone\n",
             fmt::format("Embree x{}", threads), summary(ms), map.points.size(), map.model->corner.size());
#else
  fmt::print("Embree: not installed (libembree-dev)\n");
#endif
}

enum class Gpu { none, but_areas, all };

/// Of the large part: its recipe's own checks.
void bench_large(int repeats, unsigned only_threads, std::size_t facets, Gpu use = Gpu::none) {
  const testing::FreshFolder folder;
  const Recipe recipe = load_recipe(write_part_recipe(folder.path(), "bench", facets));
  SensorProfile sensor;
  sensor.serial = "bench";
  sensor.z_min_mm = -30;
  sensor.z_max_mm = 30;
  sensor.scale_uncertainty_ppm = 100;
  sensor.linearity_um = 0.3;
  sensor.noise = {{0.0}, {3.0}};
  InspectionInputs in;
  in.recipe = &recipe;
  in.sensor = &sensor;
  Part part;
  part.frames.push_back(make_part_frame());
  part.surface.push_back({&part.frames.front(), {}});
  fmt::print("truncated cone, {} x {} pixels, {} of them with heights\n", part_side_px, part_side_px,
             part.frames.front().count_of(PixelClass::ok));
  SurfaceModels models;
  const unsigned all = std::max(1u, std::thread::hardware_concurrency());
  for (const unsigned threads : {1u, all}) {
    if (only_threads > 0 && threads != only_threads) continue;
    BackendChoice gpu;
    if (use != Gpu::none) {
      gpu = choose_backend({BackendSettings::Kind::cuda, threads}, Timeout::of_one_frame,
                           [](bool, const std::string& text) { fmt::print("{}\n", text); });
      in.finder = gpu.finder.get();
      in.matcher = gpu.matcher.get();
      in.sharer = use == Gpu::all ? gpu.sharer.get() : nullptr;
      in.comparer = use == Gpu::all ? gpu.comparer.get() : nullptr;
    }
    const Times t = run(part, in, models, threads, repeats);
    fmt::print("{:<30} {:<30} {:<30} {} {}; model in {:.0f} ms, {} MiB\n", fmt::format("cone x{}", threads),
               summary(t.wall_ms), summary(t.user_ms), name_of(t.verdict.decision), digest_of(t.verdict),
               t.load_ms, models.of(recipe, threads)->bytes() >> 20);
    const auto median = [&](std::size_t k) {
      std::vector<double> v = t.step_ms[k];
      std::nth_element(v.begin(), v.begin() + static_cast<std::ptrdiff_t>(v.size() / 2), v.end());
      return v[v.size() / 2];
    };
    fmt::print(
        "  points {:.1f}, distances and judgement {:.1f}, areas, form and facets {:.1f}, checks {:.1f} by "
        "{}\n",
        median(0), median(1), median(2), median(3), t.verdict.backend);
    if (t.verdict.decision != Decision::pass) fmt::print("{}\n", to_json(t.verdict));
  }
}

void bench(int repeats) {
  const std::filesystem::path config = std::filesystem::path(DATUM_SOURCE_DIR) / "config";
  const testing::FreshFolder folder;
  const VirtualPartCell cell = displaced_cell(config);
  const Recipe recipe = demo_recipe(folder, config, cell);
  const SensorProfile sensor = demo_sensor();
  InspectionInputs in;
  in.recipe = &recipe;
  in.sensor = &sensor;
  in.calibration = &cell.calibration;
  in.now_utc_s = cell.calibration.made_utc_s + 1;
  SurfaceModels models;
  fmt::print("demo-part, {} snapshots of {} x {} pixels in memory; ms, median (10 % .. 90 %) of {}\n",
             cell.positions_mm.size(), cell.view.rows, cell.view.cols, repeats);
  fmt::print("{:<30} {:<30} {:<30} verdict, its hash\n", "part, backend", "snapshots to verdict",
             "user CPU time");
  const unsigned all = std::max(1u, std::thread::hardware_concurrency());
  for (const char* defects : {"good", "dent=600,hole=0.12:-0.08"}) {
    const Part part = part_of(cell, defects);
    for (const unsigned threads : {1u, all}) {
      const Times t = run(part, in, models, threads, repeats);
      fmt::print("{:<30} {:<30} {:<30} {} {}\n", fmt::format("{} x{}", defects, threads), summary(t.wall_ms),
                 summary(t.user_ms), name_of(t.verdict.decision), digest_of(t.verdict));
      if (t.map) peer_row(*t.map, threads, repeats);
    }
  }
}

}  // namespace
}  // namespace datum::bench

int main(int argc, char** argv) {
  datum::keep_freed_memory();  // as the daemon does
  if (argc > 1 && std::string_view(argv[1]) == "--gpu") {
    const int repeats = argc > 2 ? std::atoi(argv[2]) : 11;
    const unsigned threads =
        argc > 3 ? static_cast<unsigned>(std::atoi(argv[3])) : std::thread::hardware_concurrency();
    using datum::bench::Gpu;
    for (const Gpu use : {Gpu::none, Gpu::but_areas, Gpu::all})
      datum::bench::bench_large(repeats, threads, datum::bench::cone_facets, use);
    return 0;
  }
  const int repeats = argc > 1 ? std::max(1, std::atoi(argv[1])) : 11;
  const unsigned threads = argc > 2 ? static_cast<unsigned>(std::atoi(argv[2])) : 0;
  if (threads == 0) datum::bench::bench(repeats);
  datum::bench::bench_large(
      repeats, threads, argc > 3 ? static_cast<std::size_t>(std::atoll(argv[3])) : datum::bench::cone_facets);
  return 0;
}
