// Services on the GPU, or on the CPU during a GPU fault: the same bytes.
#pragma once

#include <algorithm>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <utility>

#include "daemon/gpu_worker/crossovers.h"
#include "daemon/gpu_worker/gpu_services.h"
#include "gpu/area_share/area_sharer.h"
#include "gpu/diffusion/diffuser.h"
#include "gpu/fourier_profilometry/fringe_demodulator.h"
#include "gpu/lu/system_inverter.h"
#include "gpu/phase_correlation/correlator.h"
#include "gpu/surface_compare/surface_comparer.h"
#include "gpu/surface_match/facet_matcher.h"

namespace datum {

/// Backend of the last service. Thread-safe.
class LastDoer {
 public:
  explicit LastDoer(std::string who) : who_(std::move(who)) {}
  void set(std::string who) {
    const std::lock_guard lock(mutex_);
    who_ = std::move(who);
  }
  std::string get() const {
    const std::lock_guard lock(mutex_);
    return who_;
  }

 private:
  mutable std::mutex mutex_;
  std::string who_;
};

/// A service with the interface Stage: calls `gpu` of a ServiceClient, or `cpu` during a GPU fault.
template <class Stage, class Cpu>
class FailoverService : public Stage {
 public:
  FailoverService(std::shared_ptr<GpuServices> gpu, Backend cpu)
      : gpu_(std::move(gpu)), cpu_(std::move(cpu)), last_(cpu_.describe()) {}
  std::string describe() const override { return last_.get(); }

 protected:
  template <class Gpu, class OnCpu>
  void either(const Gpu& gpu, const OnCpu& cpu) {
    if (std::string who = gpu_->run(gpu); !who.empty()) return last_.set(std::move(who));
    here(cpu, "");
  }
  /// Before the first call; where it can't be done the first call does it.
  template <class Gpu>
  void prepared(const Gpu& gpu) {
    try {
      gpu_->run(gpu);
    } catch (const std::exception&) {  // of this process, such as too little memory
    }
  }
  /// On the CPU; `why` is appended to its name.
  template <class OnCpu>
  void here(const OnCpu& cpu, const std::string& why) {
    cpu(cpu_);
    last_.set(cpu_.describe() + why);
  }

 private:
  const std::shared_ptr<GpuServices> gpu_;
  Cpu cpu_;
  LastDoer last_;
};

class FailoverFinder final : public FailoverService<DistanceFinder, CpuDistanceFinder> {
 public:
  FailoverFinder(std::shared_ptr<GpuServices> gpu, Backend cpu)
      : FailoverService(std::move(gpu), cpu), threads_(cpu.threads) {}
  void prepare(const SearchedModel& model) override {
    prepared([&](ServiceClient& gpu) { gpu.prepare(model.triangles); });
  }
  void find(const SearchedModel& model, const ModelPoint* points, std::size_t count,
            const DistanceSettings& settings, ModelDistance* out) override {
    either([&](ServiceClient& gpu) { gpu.find(model.triangles, points, count, settings, threads_, out); },
           [&](DistanceFinder& cpu) { cpu.find(model, points, count, settings, out); });
  }

 private:
  const unsigned threads_;
};

class FailoverDiffuser final : public FailoverService<Diffuser, CpuDiffuser> {
 public:
  using FailoverService::FailoverService;
  DiffusionRecord diffuse(std::int32_t* counts, const DiffusionGrid& grid,
                          const DiffusionSettings& settings) override {
    DiffusionRecord record;
    either([&](ServiceClient& gpu) { record = gpu.diffuse(counts, grid, settings); },
           [&](Diffuser& cpu) { record = cpu.diffuse(counts, grid, settings); });
    return record;
  }
};

class FailoverDemodulator final : public FailoverService<FringeDemodulator, CpuFringeDemodulator> {
 public:
  FailoverDemodulator(std::shared_ptr<GpuServices> gpu, Backend cpu)
      : FailoverService(std::move(gpu), cpu), threads_(cpu.threads) {}
  unsigned threads() const override { return threads_; }
  void demodulate(const FringeImages& images, const FringePattern& pattern, const FringeLimits& limits,
                  const HeightModel* model, const FringeMaps& maps) override {
    either([&](ServiceClient& gpu) { gpu.demodulate(images, pattern, limits, model, maps); },
           [&](FringeDemodulator& cpu) { cpu.demodulate(images, pattern, limits, model, maps); });
  }
  void demodulate(const FourierProfilometry& profilometry, const FourierImage& image,
                  const FourierMaps& maps) override {
    either([&](ServiceClient& gpu) { gpu.demodulate(profilometry, image, threads_, maps); },
           [&](FringeDemodulator& cpu) { cpu.demodulate(profilometry, image, maps); });
  }

 private:
  const unsigned threads_;
};

/// A size from which on the GPU does a service, and whether it was measured. `Sizes`: one for each kind of order.
template <class Sizes>
class Crossover {
 public:
  /// Fixed, or the default ones until others are measured.
  explicit Crossover(std::optional<Sizes> fixed)
      : sizes_(fixed.value_or(Sizes())), state_(fixed ? State::fixed : State::preset) {}

  /// Measures once, on a GPU that works: measure(client).
  template <class Measure>
  void find(GpuServices& gpu, const Measure& measure) {
    if (!wants()) return;
    gpu.run([&](ServiceClient& client) {
      if (!wants()) return;
      const Sizes found = measure(client);
      const std::lock_guard lock(mutex_);
      sizes_ = found;
      state_ = State::measured;
    });
  }
  Sizes get() const {
    const std::lock_guard lock(mutex_);
    return sizes_;
  }
  /// Appended to a size in the verdict.
  const char* how() const {
    const std::lock_guard lock(mutex_);
    return state_ == State::measured ? ", measured" : "";
  }

 private:
  enum class State : std::uint8_t { fixed, preset, measured };
  bool wants() const {
    const std::lock_guard lock(mutex_);
    return state_ == State::preset;
  }
  mutable std::mutex mutex_;
  Sizes sizes_;
  State state_;
};

class FailoverFacetMatcher final : public FailoverService<FacetMatcher, CpuFacetMatcher> {
 public:
  /// `fixed`: crossovers; none: they are measured before the first model is made ready.
  FailoverFacetMatcher(const std::shared_ptr<GpuServices>& gpu, const Backend& cpu,
                       std::optional<MatchCrossovers> fixed = {})
      : FailoverService(gpu, cpu), gpu_(gpu), backend_(cpu), least_(fixed) {}

  void prepare(const std::shared_ptr<const ModelFacets>& model) override {
    try {
      least_.find(*gpu_, [&](ServiceClient& gpu) { return measure_matching(gpu, backend_); });
    } catch (const std::exception&) {  // of this process, such as too little memory
    }
    prepared([&](ServiceClient& gpu) { gpu.prepare(model); });
  }
  std::string declines(std::size_t size, bool by_surface) const override {
    const std::string why = why_here(size, by_surface);
    return why.empty() ? "" : datum::describe(backend_) + why;
  }
  void match(const std::shared_ptr<const ModelFacets>& model, const ScannedSurface& surface,
             const ScanMatchSettings& settings, FacetDeviation* by_points,
             FacetPierced* by_surface) override {
    at_size(
        surface.point_count + surface.facet_count + model->facet.size(), by_surface != nullptr,
        [&](ServiceClient& gpu) {
          gpu.match(model, surface, settings, backend_.threads, by_points, by_surface);
        },
        [&](FacetMatcher& cpu) { cpu.match(model, surface, settings, by_points, by_surface); });
  }
  void sum(const std::shared_ptr<const ModelFacets>& model, const ScannedSurface& surface,
           const ScanMatchSettings& settings, FacetSums* by_points, FacetSums* by_surface) override {
    at_size(
        surface.point_count + surface.facet_count + model->facet.size(), by_surface != nullptr,
        [&](ServiceClient& gpu) {
          gpu.sum(model, surface, settings, backend_.threads, by_points, by_surface);
        },
        [&](FacetMatcher& cpu) { cpu.sum(model, surface, settings, by_points, by_surface); });
  }

 private:
  /// By the GPU from the crossover on.
  template <class Gpu, class OnCpu>
  void at_size(std::size_t size, bool by_surface, const Gpu& gpu, const OnCpu& cpu) {
    if (const std::string why = why_here(size, by_surface); !why.empty()) return here(cpu, why);
    either(gpu, cpu);
  }
  std::string why_here(std::size_t size, bool by_surface) const {
    const MatchCrossovers crossovers = least_.get();
    const std::size_t least = by_surface ? crossovers.by_surface : crossovers.by_points;
    if (size >= least) return "";
    return " (" + std::to_string(size) + " values; the GPU from " + std::to_string(least) + least_.how() +
           ")";
  }

  const std::shared_ptr<GpuServices> gpu_;
  const Backend backend_;
  Crossover<MatchCrossovers> least_;
};

class FailoverSharer final : public FailoverService<AreaSharer, CpuAreaSharer> {
 public:
  /// `fixed`: points from which on the GPU shares; none: they are measured before the first model is made ready.
  FailoverSharer(const std::shared_ptr<GpuServices>& gpu, const Backend& cpu,
                 std::optional<AreaCrossover> fixed = {})
      : FailoverService(gpu, cpu), gpu_(gpu), backend_(cpu), least_(fixed) {}

  void prepare(const std::shared_ptr<const AreaModel>& model) override {
    try {
      least_.find(*gpu_, [&](ServiceClient& gpu) { return measure_sharing(gpu, backend_); });
    } catch (const std::exception&) {  // of this process, such as too little memory
    }
    prepared([&](ServiceClient& gpu) { gpu.prepare(model); });
  }
  std::string declines(std::size_t points) const override {
    const std::size_t least = least_.get().points;
    if (points >= least && points <= most_points_at_once) return "";
    return datum::describe(backend_) + " (" + std::to_string(points) + " points; the GPU from " +
           std::to_string(least) + " to " + std::to_string(most_points_at_once) + least_.how() + ")";
  }
  void share(const std::shared_ptr<const AreaModel>& model, const JudgedPoints& points,
             const AreaShares& out) override {
    either([&](ServiceClient& gpu) { gpu.share(model, points, backend_.threads, out); },
           [&](AreaSharer& cpu) { cpu.share(model, points, out); });
  }

 private:
  const std::shared_ptr<GpuServices> gpu_;
  const Backend backend_;
  Crossover<AreaCrossover> least_;
};

/// On the GPU alone: where it can't, its caller has other means.
class GpuComparer final : public SurfaceComparer {
 public:
  GpuComparer(std::shared_ptr<GpuServices> gpu, unsigned threads)
      : gpu_(std::move(gpu)), threads_(threads), last_("") {}
  bool takes(const PartShots& part, std::size_t facets) const override {
    const CompareOrder order = order_of(part);
    const bool alike = std::all_of(part.heights, part.heights + part.count,
                                   [&](const ShotHeights& h) { return h.type == order.type; });
    return alike && order.shots > 0 && order.shots <= most_compared_shots &&
           order.pixels <= most_compared_pixels && part.points <= most_points_at_once &&
           order.shots * facets * sizeof(FacetPlane) <= most_plane_bytes;
  }
  bool compare(const ComparedModel& model, const PartToCompare& part, const CompareSettings& settings,
               const ComparedTaken& out) override {
    std::string who =
        gpu_->run([&](ServiceClient& gpu) { gpu.compare(model, part, settings, threads_, out); });
    const bool done = !who.empty();
    if (done) last_.set(std::move(who));
    return done;
  }
  std::string describe() const override { return last_.get(); }

 private:
  const std::shared_ptr<GpuServices> gpu_;
  const unsigned threads_;
  LastDoer last_;
};

class FailoverInverter final : public FailoverService<SystemInverter, CpuSystemInverter> {
 public:
  /// `fixed`: rows from which on the GPU inverts; none: they are measured before the first system.
  FailoverInverter(const std::shared_ptr<GpuServices>& gpu, const Backend& cpu,
                   std::optional<InvertCrossover> fixed = {})
      : FailoverService(gpu, cpu), gpu_(gpu), backend_(cpu), least_(fixed) {}

  std::int32_t invert(const SystemToInvert& system) override {
    std::int32_t info = 0;
    const auto on_cpu = [&](SystemInverter& cpu) { info = cpu.invert(system); };
    least_.find(*gpu_, [&](ServiceClient& gpu) { return measure_inverting(gpu, backend_); });
    const std::size_t least = least_.get().rows;
    if (system.n < least || system.n > most_system_rows) {
      here(on_cpu, " (" + std::to_string(system.n) + " rows; the GPU from " + std::to_string(least) + " to " +
                       std::to_string(most_system_rows) + least_.how() + ")");
    } else {
      either([&](ServiceClient& gpu) { info = gpu.invert(system, backend_); }, on_cpu);
    }
    return info;
  }

 private:
  const std::shared_ptr<GpuServices> gpu_;
  const Backend backend_;
  Crossover<InvertCrossover> least_;
};

class FailoverCorrelator final : public FailoverService<Correlator, CpuCorrelator> {
 public:
  /// `fixed`: values from which on the GPU correlates; none: they are measured before the first image.
  FailoverCorrelator(const std::shared_ptr<GpuServices>& gpu, const Backend& cpu,
                     std::optional<CorrelationCrossover> fixed = {})
      : FailoverService(gpu, cpu), gpu_(gpu), backend_(cpu), least_(fixed) {}

  CorrelationShift find(const CorrelationImages& images, const CorrelationSettings& settings) override {
    CorrelationShift shift;
    const auto on_cpu = [&](Correlator& cpu) { shift = cpu.find(images, settings); };
    least_.find(*gpu_, [&](ServiceClient& gpu) { return measure_correlating(gpu, backend_); });
    const std::size_t least = least_.get().values;
    if (images.size() < least)
      here(on_cpu, " (" + std::to_string(images.size()) + " values; the GPU from " + std::to_string(least) +
                       least_.how() + ")");
    else
      either([&](ServiceClient& gpu) { shift = gpu.correlate(images, settings); }, on_cpu);
    return shift;
  }

 private:
  const std::shared_ptr<GpuServices> gpu_;
  const Backend backend_;
  Crossover<CorrelationCrossover> least_;
};

}  // namespace datum
