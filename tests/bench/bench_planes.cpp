// One table in one run: 400 planes of 40,000 points, the paper's simulated data (section IV), t = 1, p =
// 0.999.
//
// usage: bench_planes [PLANES [REPETITIONS]], or bench_planes --gpu [--quick | --board] (gpu_table.h). All rows of one
// inlier ratio take turns, so that a busy machine hits them alike; times are medians with the extremes beside
// them.
#include <time.h>

#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <functional>

#include "gpu/core/parallel_for.h"
#include "tests/bench/gpu_table.h"
#include "tests/bench/paper_ransac.h"
#include "tests/bench/peers.h"
#include "tests/gpu/plane_fit_scene.h"

namespace datum::bench {
namespace {

using namespace datum::testing;

constexpr TruePlane truth{-0.1, 0.1, 3};

struct Data {
  std::vector<Scene> scenes;
  std::vector<PlanePoints> points;
  std::vector<std::vector<Xyz>> structures;
  std::vector<double> least;  // corner error of least squares on the true inliers
};

Data make_data(std::size_t planes, double inliers, unsigned threads) {
  Data d;
  d.scenes.resize(planes);
  d.structures.resize(planes);
  d.least.resize(planes);
  parallel_for(threads, planes, [&](std::size_t i, unsigned) {
    const Scene& s = d.scenes[i] = paper_scene(truth, inliers, i + 1);
    for (std::size_t k = 0; k < s.x.size(); ++k) d.structures[i].push_back({s.x[k], s.y[k], s.z[k]});
    d.least[i] = corner_error(least_squares(s, [&](std::size_t k) { return s.floor[k]; }), truth, 200, 200);
  });
  for (const Scene& s : d.scenes) d.points.push_back(s.points());
  return d;
}

struct Row {
  std::string name;
  unsigned threads;
  std::function<void(const Data&, std::vector<PaperPlane>&)> run;
  std::vector<double> ms, cpu_ms;
  std::vector<PaperPlane> planes;
};

Row backend_row(FitMode mode, unsigned threads) {
  const Backend backend = cpu_backend(threads);
  const std::string name =
      std::string(mode == FitMode::exact ? "datumd exact, " : "datumd screened, ") + name_of(backend.isa);
  const auto run = [mode, backend](const Data& d, std::vector<PaperPlane>& planes) {
    std::vector<PlaneFit> fits(d.points.size());
    fit_planes(d.points.data(), d.points.size(), paper_settings(mode), backend, fits.data());
    for (std::size_t i = 0; i < fits.size(); ++i) planes[i] = {fits[i].a, fits[i].b, fits[i].c};
  };
  return Row{name, threads, run, {}, {}, {}};
}

/// A row of a method that fits one plane at a time, spread over the planes.
template <class FitOne>
Row peer_row(std::string name, unsigned threads, FitOne fit_one) {
  const auto run = [threads, fit_one](const Data& d, std::vector<PaperPlane>& planes) {
    parallel_for(threads, planes.size(), [&](std::size_t i, unsigned) { planes[i] = fit_one(d, i); });
  };
  return Row{std::move(name), threads, run, {}, {}, {}};
}

std::vector<Row> all_rows(unsigned cores) {
  const auto arrays = [](const Data& d, std::size_t i) {
    const PlanePoints& p = d.points[i];
    return paper_ransac(p.x, p.y, p.z, p.size, 1, 0.999, static_cast<std::uint32_t>(i + 1));
  };
  const auto structures = [](const Data& d, std::size_t i) {
    return paper_ransac(d.structures[i].data(), d.structures[i].size(), 1, 0.999,
                        static_cast<std::uint32_t>(i + 1));
  };
  std::vector<Row> rows;
  for (const unsigned threads : {1u, cores}) {
    rows.push_back(peer_row("paper, plain C++, arrays", threads, arrays));
    rows.push_back(peer_row("paper, plain C++, structures", threads, structures));
    for (const Peer& peer : peers())
      rows.push_back(peer_row(peer.name, threads, [fit = peer.fit](const Data& d, std::size_t i) {
        return fit(d.structures[i]);
      }));
    rows.push_back(backend_row(FitMode::exact, threads));
    rows.push_back(backend_row(FitMode::screened, threads));
    if (cores == 1) break;
  }
  return rows;
}

double cpu_now_ms() {  // of all threads: unlike the clock's, no time of other programs is in it
  timespec t{};
  clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
  return static_cast<double>(t.tv_sec) * 1e3 + static_cast<double>(t.tv_nsec) * 1e-6;
}

void print(const std::vector<Row>& rows, const Data& data, double inliers) {
  double plain = 1e300;  // the faster of the two layouts on one thread
  for (const Row& r : rows)
    if (r.name.rfind("paper", 0) == 0 && r.threads == 1) plain = std::min(plain, median(r.ms));
  for (const Row& r : rows) {
    std::vector<double> errors;
    for (const PaperPlane& p : r.planes) errors.push_back(corner_error(p, truth, 200, 200));
    const auto [least, most] = std::minmax_element(r.ms.begin(), r.ms.end());
    std::printf("%5.1f  %-32s %7u %9.1f %8.1f..%-8.1f %8.1f %8.2f %12.4f %8.4f %9.2f\n", inliers,
                r.name.c_str(), r.threads, median(r.ms), *least, *most, median(r.cpu_ms),
                plain / median(r.ms), median(errors), *std::max_element(errors.begin(), errors.end()),
                median(errors) / median(data.least));
  }
}

void run(std::size_t planes, int repetitions) {
  const unsigned cores = cpu_backend().threads;
  std::printf("%zu planes x 40000 points; %s\n", planes, cpu_backend().why.c_str());
  std::printf("%5s  %-32s %7s %9s %18s %8s %8s %12s %8s %9s\n", "ratio", "method", "threads", "ms",
              "least..most", "CPU ms", "speed-up", "corner error", "most", "of LSQ's");
  for (const double inliers : {0.5, 0.7, 0.9}) {
    const Data data = make_data(planes, inliers, cores);
    std::vector<Row> rows = all_rows(cores);
    for (int repetition = -1; repetition < repetitions; ++repetition) {  // the first warms up
      for (Row& row : rows) {
        row.planes.resize(planes);
        const auto begin = std::chrono::steady_clock::now();
        const double cpu_begin = cpu_now_ms();
        row.run(data, row.planes);
        const double cpu = cpu_now_ms() - cpu_begin;
        const std::chrono::duration<double, std::milli> took = std::chrono::steady_clock::now() - begin;
        if (repetition < 0) continue;
        row.ms.push_back(took.count());
        row.cpu_ms.push_back(cpu);
      }
    }
    print(rows, data, inliers);
  }
  std::puts(
      "speed-up: against the faster plain C++ on one thread. corner error: worst corner, median over the "
      "planes.");
}

}  // namespace
}  // namespace datum::bench

int main(int argc, char** argv) {
  if (argc > 1 && std::strcmp(argv[1], "--gpu") == 0) return datum::bench::gpu_table(argc - 2, argv + 2);
  const long planes = argc > 1 ? std::atol(argv[1]) : 400, repetitions = argc > 2 ? std::atol(argv[2]) : 7;
  if (argc > 3 || planes < 1 || repetitions < 1) {
    std::fputs(
        "usage: bench_planes [PLANES [REPETITIONS]], both 1 or more\n       bench_planes --gpu [--quick]\n",
        stderr);
    return 2;
  }
  datum::bench::run(static_cast<std::size_t>(planes), static_cast<int>(repetitions));
}
