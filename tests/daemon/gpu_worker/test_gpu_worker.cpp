// A GPU worker without a GPU: the product's worker with a CPU measurer, and all faults of a device or a worker.
// DATUM_TEST_WORKER selects one.
#include <fcntl.h>
#include <signal.h>
#include <sys/prctl.h>
#include <unistd.h>

#include <cstdlib>
#include <cstring>
#include <string>
#include <vector>

#include "daemon/gpu_worker/gpu_wire.h"
#include "daemon/gpu_worker/gpu_worker.h"
#include "gpu/board/cpu_board.h"
#include "gpu/board/frame_bands.h"
#include "gpu/core/gpu_error.h"

namespace {

using namespace datum;

/// Of a ring that was measured before its frame was whole (early_frames_test.cpp).
constexpr std::uint32_t early_mark = 0xEA21;

std::string mode() {
  const char* text = std::getenv("DATUM_TEST_WORKER");
  return text ? text : "well";
}

/// Hangs for ever.
[[noreturn]] void hang() {
  for (;;) ::pause();
}

/// Effect of the fault on the second order; `result`: its first record.
template <class Record>
void go_wrong(int done, Record* result) {
  if (done < 2) return;
  if (mode() == "fault") throw GpuError("CUDA: kernel: an illegal memory access was encountered", true);
  if (mode() == "hang") hang();
  if (mode() == "killed") ::raise(SIGKILL);
  if (mode() == "stopped") ::raise(SIGSTOP);
  if (mode() == "exits") ::_exit(3);
  if (mode() == "garbage-records") std::memset(static_cast<void*>(result), 0xAB, sizeof *result);
}

/// Tells a test that reads DATUM_TEST_REPORTS what the worker does.
void report(char what) {
  const char* const fifo = std::getenv("DATUM_TEST_REPORTS");
  if (!fifo) return;
  static const int to = ::open(fifo, O_WRONLY);
  if (::write(to, &what, 1) != 1) ::_exit(4);
}

/// Bands are measured when they arrive; in the mode "marks" their records say so by a count that no measurement gives.
class TestMeasurer : public SlotMeasurer {
 public:
  explicit TestMeasurer(const SlotMemory& memory) : memory_(memory), progress_(memory.slots) {}

  void prepare(const BoardPlan& plan, std::int32_t pitch) override {
    if (mode() == "out-of-memory") throw GpuError("CUDA: device memory: out of memory", false);
    if (mode() == "prepare-hangs") hang();
    const char* const fifo = std::getenv("DATUM_TEST_FIFO");
    if (fifo && mode() == "prepare-slow") ::close(::open(fifo, O_RDONLY));
    sites_.assign(plan.sites, plan.sites + plan.site_count);
    runs_.assign(plan.runs, plan.runs + plan.run_count);
    sides_.assign(plan.run_side, plan.run_side + plan.run_count);
    plan_ = plan;
    plan_.sites = sites_.data();
    plan_.runs = runs_.data();
    plan_.run_side = sides_.data();
    pitch_ = pitch;
    bands_ = frame_bands(plan_);
    early_.assign(static_cast<std::size_t>(memory_.slots), std::vector<SiteRecord>(plan.site_count));
    ready_ = 0;
    progress_.reset();
  }

  bool prepare_band() override {
    if (mode() == "band-fault") report('f');
    if (mode() == "band-fault")
      throw GpuError("CUDA: kernel: an illegal memory access was encountered", true);
    if (mode() == "no-bands") return false;
    if (ready_ < bands_.size()) ++ready_;
    if (ready_ == bands_.size()) report('p');
    return ready_ < bands_.size();
  }

  void arrived(SlotFrame frame, std::uint32_t bands) override {
    const std::uint32_t now = progress_.begin(frame.slot, frame.number, bands & all_bands(ready_));
    for (std::size_t k = 0; k < bands_.size(); ++k) {
      if (!(now >> k & 1)) continue;
      measure_band(bands_[k], frame.slot);
      if (mode() == "killed-early" || mode() == "arrival-fault") report('f');
      if (mode() == "killed-early") ::raise(SIGKILL);
      if (mode() == "arrival-fault")
        throw GpuError("CUDA: launch of a board: unspecified launch failure", true);
      report('b');
    }
  }

  std::uint32_t measured(SlotFrame frame, std::uint32_t bands, SiteRecord* records) override {
    const std::uint32_t done = progress_.begun(frame.slot, frame.number) & bands;
    for (std::size_t k = 0; k < bands_.size(); ++k)
      if (done >> k & 1)
        for (const std::uint32_t site : bands_[k].sites)
          records[site] = early_[static_cast<std::size_t>(frame.slot)][site];
    return done;
  }

  void settle() override {}

  void measure(SlotFrame frame, SiteRecord* records, int) override {
    ++boards_;
    const int slot = frame.slot;
    const char* at = begin_of(slot);
    if (mode() == "no-records") return;
    if (mode() == "repeats" && !first_.empty()) {  // costs only the transfer
      std::memcpy(static_cast<void*>(records), first_.data(), first_.size() * sizeof(SiteRecord));
      return;
    }
    measure_board(plan_, {at, nullptr, pitch_}, cpu_backend(1), records);
    const std::uint32_t begun = progress_.begun(slot, frame.number);
    for (std::size_t k = 0; frame.number != 0 && k < bands_.size(); ++k)
      if (begun >> k & 1)
        for (const std::uint32_t site : bands_[k].sites)
          records[site] = early_[static_cast<std::size_t>(slot)][site];
    if (mode() == "repeats") first_.assign(records, records + plan_.site_count);
    go_wrong(boards_, records);
  }

  std::string describe() const override { return "test device"; }

 private:
  const char* begin_of(int slot) const {
    return static_cast<const char*>(memory_.base) + memory_.slot_bytes * static_cast<unsigned>(slot);
  }
  void measure_band(const FrameBand& band, int slot) {
    std::vector<SitePlan> sites;
    for (const std::uint32_t i : band.sites) sites.push_back(sites_[i]);
    BoardPlan part = plan_;
    part.sites = sites.data();
    part.site_count = static_cast<std::uint32_t>(sites.size());
    std::vector<SiteRecord> records(sites.size());
    measure_board(part, {begin_of(slot), nullptr, pitch_}, cpu_backend(1), records.data());
    for (std::size_t i = 0; i < sites.size(); ++i) {
      if (mode() == "marks") records[i].ring.on_floor = early_mark;
      early_[static_cast<std::size_t>(slot)][band.sites[i]] = records[i];
    }
  }

  SlotMemory memory_;
  BandProgress progress_;
  std::vector<FrameBand> bands_;
  std::vector<std::vector<SiteRecord>> early_;  // by slot, of bands that arrived
  std::size_t ready_ = 0;
  BoardPlan plan_;
  std::vector<SitePlan> sites_;
  std::vector<PixelRun> runs_;
  std::vector<std::uint8_t> sides_;
  std::vector<SiteRecord> first_;
  std::int32_t pitch_ = 0;
  int boards_ = 0;
};

class TestSearch : public DeviceSearch {
 public:
  explicit TestSearch(const TriangleModel& model) {
    model_.triangles = std::make_shared<TriangleModel>(model);
    model_.search = std::make_shared<ModelSearch>(model_.triangles);
    if (mode() == "out-of-memory") throw GpuError("CUDA: device memory: out of memory", false);
    if (mode() == "prepare-hangs") hang();
  }
  void find(const ModelPoint* points, std::size_t count, const DistanceSettings& settings,
            ModelDistance* out) override {
    if (mode() == "no-records") return;
    model_.search->find(points, count, settings, cpu_backend(1), out);
    go_wrong(++surfaces_, out);
  }
  const SearchedModel& model() const { return model_; }

 private:
  SearchedModel model_;
  static inline int surfaces_ = 0;
};

class TestMatch : public DeviceMatch {
 public:
  explicit TestMatch(const ModelFacets& model) : model_(model) {
    if (mode() == "out-of-memory") throw GpuError("CUDA: device memory: out of memory", false);
    if (mode() == "prepare-hangs") hang();
  }
  void match(const ScannedSurface& surface, const ScanMatchSettings& settings, FacetDeviation* by_points,
             FacetPierced* by_surface) override {
    if (mode() == "no-records" || (mode() == "one-scan" && scans_ > 0)) return;
    match_scan(model_, surface, settings, cpu_backend(1), by_points, by_surface);
    go_wrong(++scans_, by_points);
  }
  void sum(const ScannedSurface& surface, const ScanMatchSettings& settings, FacetSums* by_points,
           FacetSums* by_surface) override {
    if (mode() == "no-records" || (mode() == "one-scan" && scans_ > 0)) return;
    sum_scan(model_, surface, settings, cpu_backend(1), by_points, by_surface);
    go_wrong(++scans_, by_points);
  }

  const ModelFacets& model() const { return model_; }

 private:
  const ModelFacets model_;
  static inline int scans_ = 0;
};

class TestAreas : public DeviceAreas {
 public:
  explicit TestAreas(const AreaModel& model) : model_(std::make_shared<const AreaModel>(model)) {
    if (mode() == "out-of-memory") throw GpuError("CUDA: device memory: out of memory", false);
    if (mode() == "prepare-hangs") hang();
  }
  void share(const JudgedPoints& points, const AreaShares& out) override {
    if (mode() == "no-records") return;
    share_areas(*model_, points, cpu_backend(1), out);
    go_wrong(++parts_, out.area_mm2);
  }
  const std::shared_ptr<const AreaModel>& model() const { return model_; }

 private:
  const std::shared_ptr<const AreaModel> model_;
  static inline int parts_ = 0;
};

class TestCompare : public DeviceCompare {
 public:
  explicit TestCompare(const ComparedModel& model) : model_(model) {}
  void take(const ShotRays* rays, std::size_t shots) override {
    rays_.clear();
    for (std::size_t s = 0; s < shots; ++s) {
      Rays& to = rays_.emplace_back();
      to.view = rays[s];
      to.facet.assign(rays[s].facet, rays[s].facet + rays[s].pixels());
      to.z_mm.assign(rays[s].z_mm, rays[s].z_mm + rays[s].pixels());
      to.is_away.assign(rays[s].is_away, rays[s].is_away + rays[s].pixels());
    }
  }
  void compare(const PartShots& part, const CompareSettings& settings, const ComparedPoints& out) override {
    if (mode() == "no-records") return;
    std::vector<ShotRays> rays;
    for (Rays& r : rays_) {
      r.view.facet = r.facet.data();
      r.view.z_mm = r.z_mm.data();
      r.view.is_away = r.is_away.data();
      rays.push_back(r.view);
    }
    PartShots whole = part;
    whole.rays = rays.data();
    compare_shots(model_, whole, settings, cpu_backend(1), out);
    points_ = points_of(whole, 1);
    last_rays_ = rays;
    first_.assign(
        part.first, part.first + [&] {
          std::size_t rows = 1;
          for (const ShotRays& r : rays) rows += static_cast<std::size_t>(r.rows);
          return rows;
        }());
    go_wrong(++parts_, out.judgements);
  }
  void sum(DeviceMatch& facets, const MatchOfPoints& how, FacetSums* out) override {
    if (mode() == "no-records") return;
    const PartShots part{last_rays_.data(), nullptr, last_rays_.size(), first_.data(), points_.size()};
    sum_compared(static_cast<TestMatch&>(facets).model(), points_, part, how, out);
    go_wrong(++sums_, out);
  }

 private:
  struct Rays {
    ShotRays view;
    std::vector<std::uint32_t> facet;
    std::vector<double> z_mm;
    std::vector<std::uint8_t> is_away;
  };
  const ComparedModel model_;
  std::vector<Rays> rays_;
  std::vector<ModelPoint> points_;  // of the last part
  std::vector<ShotRays> last_rays_;
  std::vector<std::uint32_t> first_;
  static inline int parts_ = 0, sums_ = 0;
};

std::unique_ptr<DeviceCompare> compare_here(DeviceSearch& search, DeviceAreas& areas) {
  return std::make_unique<TestCompare>(
      ComparedModel{static_cast<TestSearch&>(search).model(), static_cast<TestAreas&>(areas).model()});
}

DiffusionRecord diffuse_here(std::int32_t* counts, const DiffusionGrid& grid,
                             const DiffusionSettings& settings) {
  static int maps = 0;
  if (mode() == "out-of-memory") throw GpuError("CUDA: device memory: out of memory", false);
  if (mode() == "prepare-hangs") hang();
  const DiffusionRecord record = diffuse(counts, grid, settings, cpu_backend(1));
  if (mode() == "no-records") std::memset(counts, 0, grid.size() * sizeof *counts);
  go_wrong(++maps, counts);
  return record;
}

void demodulate_here(const FringeImages& images, const FringePattern& pattern, const FringeLimits& limits,
                     const HeightModel* model, const FringeMaps& maps) {
  static int sets = 0;
  if (mode() == "out-of-memory") throw GpuError("CUDA: device memory: out of memory", false);
  if (mode() == "prepare-hangs") hang();
  if (mode() == "no-records") return;
  demodulate(images, pattern, limits, model, cpu_backend(1), maps);
  go_wrong(++sets, maps.classes);
}

std::int32_t invert_here(const SystemToInvert& system) {
  static int systems = 0;
  if (mode() == "out-of-memory") throw GpuError("CUDA: device memory: out of memory", false);
  if (mode() == "prepare-hangs") hang();
  if (mode() == "no-records") return 0;
  const std::int32_t info = invert_system(system, cpu_backend(1));
  go_wrong(++systems, system.factors + 1);
  return info;
}

void single_shot_here(const FourierSettings& settings, const FourierImage& image, const FourierMaps& maps) {
  static int images = 0;
  if (mode() == "out-of-memory") throw GpuError("CUDA: device memory: out of memory", false);
  if (mode() == "prepare-hangs") hang();
  if (mode() == "no-records") return;
  FourierProfilometry(image.width, settings).demodulate(image, cpu_backend(1), maps);
  go_wrong(++images, maps.phase_rad);
}

CorrelationShift correlate_here(const CorrelationImages& images, const CorrelationSettings& settings) {
  static int boards = 0;
  if (mode() == "out-of-memory") throw GpuError("CUDA: device memory: out of memory", false);
  if (mode() == "prepare-hangs") hang();
  if (mode() == "no-records") return {};
  CorrelationShift shift = CpuCorrelator(cpu_backend(1)).find(images, settings);
  go_wrong(++boards, &shift);
  return shift;
}

CudaDevice probe() {
  CudaDevice device;
  device.usable = mode() != "unusable";
  device.why = device.usable ? "a test device" : "no CUDA device: none is listed";
  device.name = "test device";
  return device;
}

/// A worker that sends the product's greeting and then answers every packet with meaningless bytes.
int babble() {
  Greeting greeting;
  greeting.identity = wire_identity();
  greeting.usable = 1;
  send_packet(gpu_worker_fd, &greeting, sizeof greeting);
  char heard[sizeof(PrepareOrder)];
  int fd = -1;
  const char nonsense[77] = "nonsense";
  while (receive_packet(gpu_worker_fd, heard, sizeof heard, &fd, true) > 0)
    send_packet(gpu_worker_fd, nonsense, sizeof nonsense);
  return 0;
}

}  // namespace

int main() {
  if (mode() == "dies") return 7;
  if (mode() == "silent" || mode() == "garbage-greeting" || mode() == "other-code" || mode() == "babbles")
    ::prctl(PR_SET_PDEATHSIG, SIGKILL);  // the product's worker, which does this, is not running
  if (mode() == "silent") hang();
  if (mode() == "babbles") return babble();
  if (mode() == "garbage-greeting") {
    const std::string nonsense(sizeof(Greeting), '?');
    send_packet(gpu_worker_fd, nonsense.data(), nonsense.size());
    hang();
  }
  if (mode() == "other-code") {
    Greeting greeting;
    greeting.identity = wire_identity();
    put_text(greeting.identity.code, "0.0.9 stale");
    send_packet(gpu_worker_fd, &greeting, sizeof greeting);
    hang();
  }
  return run_gpu_worker(gpu_worker_fd,
                        {probe,
                         [](const SlotMemory& memory) { return std::make_unique<TestMeasurer>(memory); },
                         {[](const TriangleModel& model) { return std::make_unique<TestSearch>(model); },
                          diffuse_here,
                          demodulate_here,
                          [](const ModelFacets& model) { return std::make_unique<TestMatch>(model); },
                          {},
                          invert_here,
                          [](const AreaModel& model) { return std::make_unique<TestAreas>(model); },
                          compare_here,
                          single_shot_here,
                          correlate_here}});
}
