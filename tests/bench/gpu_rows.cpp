#include "tests/bench/gpu_rows.h"

#include <algorithm>
#include <cstdio>
#include <memory>

#include "tests/bench/paper_kernels.h"

namespace datum::bench {
namespace {

using namespace datum::testing;
using cuda::check;

// Assumed per point, counted in the machine code of prototypes: a hypothesis counted on a point, and the
// pass that classifies a point and adds it to the sums.
constexpr double instructions_per_score = 5.3, instructions_per_sum = 34;
constexpr double subset_points = 1024;

const char* name_of(FitMode mode) { return mode == FitMode::exact ? "exact" : "screened"; }

PlaneFitSettings settings_of(const Workload& w, FitMode mode) {
  PlaneFitSettings s = w.settings;
  s.mode = mode;
  return s;
}

struct Reference {
  std::vector<Scene> scenes;  // of a map
  std::vector<PlanePoints> planes;
  std::vector<PlaneFit> fits[2];  // by FitMode
};

std::vector<PlaneFit> fit_on_cpu(const std::vector<PlanePoints>& planes, const PlaneFitSettings& settings) {
  std::vector<PlaneFit> fits(planes.size());
  fit_planes(planes.data(), planes.size(), settings, cpu_backend(), fits.data());
  return fits;
}

Reference reference_of_points(const Workload& w) {
  Reference r;
  r.planes = w.planes;
  for (const FitMode mode : {FitMode::exact, FitMode::screened})
    r.fits[static_cast<int>(mode)] = fit_on_cpu(r.planes, settings_of(w, mode));
  return r;
}

BoardPlan plan_of(const Workload& w, FitMode mode) {
  BoardPlan plan = w.map->plan();
  plan.mode = mode;
  return plan;
}

/// All sites of a workload have the thresholds of the first.
Reference reference_of_map(const Workload& w) {
  Reference r;
  const BoardPlan plan = w.map->plan();
  r.scenes.resize(plan.site_count);
  parallel_for(cpu_backend().threads, plan.site_count, [&](std::size_t i, unsigned) {
    r.scenes[i] = ring_points(plan, static_cast<std::uint32_t>(i), w.map->view());
  });
  for (const Scene& s : r.scenes) r.planes.push_back(s.points());
  for (const FitMode mode : {FitMode::exact, FitMode::screened})
    r.fits[static_cast<int>(mode)] =
        fit_on_cpu(r.planes, testing::settings_of(plan_of(w, mode), plan.sites[0]));
  return r;
}

Demand demand_of(const Workload& w, const std::vector<PlaneFit>& fits, FitMode mode, double bytes_per_point) {
  Demand d;
  for (std::size_t i = 0; i < fits.size(); ++i) {
    const double n = w.planes[i].size;
    const double counted = mode == FitMode::exact ? n : std::min(n, subset_points);
    d.bytes += n * bytes_per_point;
    d.instructions += instructions_per_score * fits[i].hypotheses * counted + instructions_per_sum * n;
  }
  return d;
}

void take_errors(const Workload& w, std::size_t i, double a, double b, double c, Row* row) {
  const PlanePoints& p = w.planes[i];
  row->corner_errors.push_back(corner_error(PaperPlane{a, b, c}, w.truth[i], p.half_x, p.half_y));
}

void take_fits(const Workload& w, const std::vector<PlaneFit>& fits, Row* row) {
  for (std::size_t i = 0; i < fits.size(); ++i) {
    take_errors(w, i, fits[i].a, fits[i].b, fits[i].c, row);
    row->hypotheses += fits[i].hypotheses / static_cast<double>(fits.size());
  }
}

void take_fits(const Workload& w, const std::vector<BaselineFit>& fits, Row* row) {
  for (std::size_t i = 0; i < fits.size(); ++i) {
    take_errors(w, i, fits[i].plane.a, fits[i].plane.b, fits[i].plane.c, row);
    row->hypotheses += fits[i].hypotheses / static_cast<double>(fits.size());
  }
}

/// What the device left in its memory, against the CPU backend.
void compare(const Workload& w, const std::vector<PlaneFit>& of_cpu, const Stream& stream,
             CudaPlaneFit* fitter, Row* row) {
  std::vector<PlaneFit> fits(of_cpu.size());
  std::vector<std::uint8_t> needs_cpu(fits.size());
  fitter->fetch(stream, fits.data(), needs_cpu.data());
  take_fits(w, fits, row);
  std::size_t differ = 0, left = 0;
  for (std::size_t i = 0; i < fits.size(); ++i) {
    left += needs_cpu[i];
    differ += !needs_cpu[i] && bytes_of(fits[i]) != bytes_of(of_cpu[i]);
  }
  row->bytes = differ ? "DIFFER in " + std::to_string(differ) + " planes" : "equal";
  if (left) row->bytes += ", " + std::to_string(left) + " left to the CPU";
}

void add_point_rows(const Workload& w, const Reference& cpu, const Stream& stream, Fitters* fitters,
                    std::vector<Row>* rows) {
  for (const FitMode mode : {FitMode::exact, FitMode::screened}) {
    CudaPlaneFit* fitter = &fitters->points[static_cast<int>(mode)];
    const std::vector<PlaneFit>* of_cpu = &cpu.fits[static_cast<int>(mode)];
    fitter->prepare(w.planes.data(), w.planes.size(), settings_of(w, mode));
    fitter->upload(stream);
    fitter->launch(stream);  // what is done once, at the first launch, is no part of a graph
    stream.finish();
    const auto graph = std::make_shared<Replay>(stream, [&](CudaStream s) { fitter->launch(s); });
    const auto finish = [=, &w, &stream](Row* row) { compare(w, *of_cpu, stream, fitter, row); };
    Row kernels;
    kernels.name = std::string("datumd ") + name_of(mode) + ", points";
    kernels.samples_per_round = 10;
    kernels.sample = [graph] { return graph->device_us(); };
    kernels.finish = finish;
    kernels.demand = demand_of(w, *of_cpu, mode, 12);
    rows->push_back(kernels);

    Row all = kernels;
    all.name += ", with transfer";
    all.samples_per_round = 3;
    all.demand.uploaded = 12.0 * static_cast<double>(w.points);
    const auto fits = std::make_shared<std::vector<PlaneFit>>(w.planes.size());
    all.sample = [=, &stream] {
      return wall_us([&] {
        fitter->upload(stream);
        graph->launch();
        fitter->fetch(stream, fits->data());
      });
    };
    rows->push_back(all);
  }
}

void add_map_rows(const Workload& w, const Reference& cpu, const Stream& stream, Fitters* fitters,
                  std::vector<Row>* rows) {
  const std::size_t bytes = w.map->bytes();
  fitters->frame.reserve(bytes);
  unsigned char* const frame = fitters->frame.get();
  check(cudaMemcpy(frame, w.frame.get(), bytes, cudaMemcpyHostToDevice), "frame");
  void* mapped = nullptr;
  check(cudaHostGetDevicePointer(&mapped, w.frame.get(), 0), "mapped frame");
  for (const FitMode mode : {FitMode::exact, FitMode::screened}) {
    CudaPlaneFit* fitter = &fitters->map[static_cast<int>(mode)];
    const std::vector<PlaneFit>* of_cpu = &cpu.fits[static_cast<int>(mode)];
    fitter->prepare(plan_of(w, mode), w.map->pitch);
    fitter->launch(stream, frame);
    stream.finish();
    const auto graph = std::make_shared<Replay>(stream, [&](CudaStream s) { fitter->launch(s, frame); });
    const auto in_place = std::make_shared<Replay>(stream, [&](CudaStream s) { fitter->launch(s, mapped); });
    const auto fits = std::make_shared<std::vector<PlaneFit>>(w.planes.size());
    const auto needs_cpu = std::make_shared<std::vector<std::uint8_t>>(w.planes.size());
    Row kernels;
    kernels.name = std::string("datumd ") + name_of(mode) + ", int16 map";
    kernels.samples_per_round = 10;
    kernels.sample = [graph] { return graph->device_us(); };
    kernels.finish = [=, &w, &stream](Row* row) { compare(w, *of_cpu, stream, fitter, row); };
    kernels.demand = demand_of(w, *of_cpu, mode, 2);
    rows->push_back(kernels);

    Row upload = kernels;
    upload.name += ", whole frame uploaded";
    upload.samples_per_round = 5;
    upload.demand.uploaded = static_cast<double>(bytes);
    upload.sample = [=, &w, &stream] {
      return wall_us([&] {
        check(cudaMemcpyAsync(frame, w.frame.get(), bytes, cudaMemcpyHostToDevice, stream), "frame");
        graph->launch();
        fitter->fetch(stream, fits->data(), needs_cpu->data());
      });
    };
    rows->push_back(upload);
    if (mode == FitMode::exact) continue;  // it reads the points more than once

    Row read = kernels;
    read.name += ", read over PCIe";
    read.samples_per_round = 5;
    read.demand.uploaded = 2.0 * static_cast<double>(w.points);
    read.sample = [=, &stream] {
      return wall_us([&] {
        in_place->launch();
        fitter->fetch(stream, fits->data(), needs_cpu->data());
      });
    };
    rows->push_back(read);
  }
}

void add_baseline_rows(const Workload& w, const Stream& stream, const std::shared_ptr<Baselines>& baselines,
                       std::vector<Row>* rows) {
  baselines->paper(stream);
  stream.finish();
  const auto graph = std::make_shared<Replay>(stream, [&](CudaStream s) { baselines->paper(s); });
  Row paper;
  paper.name = "the paper's three kernels";
  paper.samples_per_round = 4;
  paper.sample = [graph] { return graph->device_us(); };
  paper.is_paper = true;
  paper.finish = [=, &w](Row* row) { take_fits(w, baselines->paper_fits(), row); };
  rows->push_back(paper);

  Row simple;
  simple.name = "one thread per point, host's rule";
  const auto fits = std::make_shared<std::vector<BaselineFit>>();
  simple.sample = [=, &stream] { return wall_us([&] { *fits = baselines->point_per_thread(stream); }); };
  simple.finish = [=, &w](Row* row) { take_fits(w, *fits, row); };
  rows->push_back(simple);
}

void add_cpu_rows(const Workload& w, std::vector<Row>* rows) {
  const Backend backend = cpu_backend();
  for (const FitMode mode : {FitMode::exact, FitMode::screened}) {
    Row row;
    row.name = describe(backend) + " " + name_of(mode);
    const auto fits = std::make_shared<std::vector<PlaneFit>>();
    row.sample = [=, &w] { return wall_us([&] { *fits = fit_on_cpu(w.planes, settings_of(w, mode)); }); };
    row.finish = [=, &w](Row* r) { take_fits(w, *fits, r); };
    rows->push_back(row);
  }
}

void print(const Row& row, double paper_us, const Ceilings& ceilings) {
  const Spread s = spread_of(row.us);
  std::printf("%-50s %9.1f %9.1f %9.1f %8.2f", row.name.c_str(), s.median, s.p10, s.p90, paper_us / s.median);
  const double floor_us = row.demand.floor_us(ceilings);
  if (floor_us > 0) {
    std::printf(" %8.1f %5.0f%%", floor_us, 100 * floor_us / s.median);
  } else {
    std::printf(" %8s %6s", "", "");
  }
  std::printf(" %6.1f %8.4f %8.4f  %s\n", row.hypotheses, median(row.corner_errors),
              *std::max_element(row.corner_errors.begin(), row.corner_errors.end()), row.bytes.c_str());
}

}  // namespace

double Demand::floor_us(const Ceilings& c) const {
  if (uploaded > 0) return uploaded / (c.upload_gb_s * 1e3);
  return std::max(bytes / (c.read_gb_s * 1e3), instructions / c.scoring_per_s * 1e6);
}

bool run_workload(const Workload& w, const Ceilings& ceilings, int rounds, const Stream& stream,
                  Fitters* fitters) {
  const Reference of_points = reference_of_points(w);
  const Reference of_map = w.map ? reference_of_map(w) : Reference{};
  const auto baselines = std::make_shared<Baselines>(w.planes, w.paper_t, 0.999);
  std::vector<Row> rows;
  add_point_rows(w, of_points, stream, fitters, &rows);
  if (w.map) add_map_rows(w, of_map, stream, fitters, &rows);
  add_baseline_rows(w, stream, baselines, &rows);
  add_cpu_rows(w, &rows);

  double paper_us = 0;
  for (int round = -1; round < rounds; ++round)
    for (Row& row : rows)
      for (int i = 0; i < (round < 0 ? 1 : row.samples_per_round); ++i) {
        const double us = row.sample();
        if (round >= 0) row.us.push_back(us);
      }
  bool equal = true;
  for (Row& row : rows) {
    row.sample();  // leaves this row's results on the device
    row.finish(&row);
    equal = equal && row.bytes.rfind("DIFFER", 0) != 0;
    if (row.is_paper) paper_us = spread_of(row.us).median;
  }
  std::printf("\n%s\n", w.name.c_str());
  for (const Row& row : rows) print(row, paper_us, ceilings);
  std::fflush(stdout);
  return equal;
}

}  // namespace datum::bench
