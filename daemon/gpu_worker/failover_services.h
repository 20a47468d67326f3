// Services on the GPU, or on the CPU during a GPU fault: the same bytes.
#pragma once

#include <memory>
#include <mutex>
#include <string>
#include <utility>

#include "daemon/gpu_worker/gpu_services.h"
#include "gpu/diffusion/diffuser.h"
#include "gpu/fringe_phase/fringe_demodulator.h"

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
    cpu(cpu_);
    last_.set(cpu_.describe());
  }

 private:
  const std::shared_ptr<GpuServices> gpu_;
  Cpu cpu_;
  LastDoer last_;
};

class FailoverFinder final : public FailoverService<DistanceFinder, CpuDistanceFinder> {
 public:
  using FailoverService::FailoverService;
  void find(const SearchedModel& model, const ModelPoint* points, std::size_t count,
            const DistanceSettings& settings, ModelDistance* out) override {
    either([&](ServiceClient& gpu) { gpu.find(model.triangles, points, count, settings, out); },
           [&](DistanceFinder& cpu) { cpu.find(model, points, count, settings, out); });
  }
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
  using FailoverService::FailoverService;
  void demodulate(const FringeImages& images, const FringePattern& pattern, const FringeLimits& limits,
                  const HeightModel* model, const FringeMaps& maps) override {
    either([&](ServiceClient& gpu) { gpu.demodulate(images, pattern, limits, model, maps); },
           [&](FringeDemodulator& cpu) { cpu.demodulate(images, pattern, limits, model, maps); });
  }
};

}  // namespace datum
