#include "daemon/controller/controller_watch.h"

#include <fmt/format.h>

#include <cmath>
#include <memory>

#include "daemon/controller/controller_text.h"
#include "daemon/controller/state_reader.h"
#include "daemon/gpu_worker/gpu_state_client.h"

namespace datum {
namespace {

std::optional<double> known(double value) { return std::isnan(value) ? std::nullopt : std::optional(value); }

}  // namespace

void add_gpu(ControllerState& state, const GpuSample& sample) {
  if (!sample.present) {
    state.gpu_absent = get_text(sample.absent);
    return;
  }
  GpuState& gpu = state.gpu.emplace();
  gpu.device = get_text(sample.device);
  if (sample.devices > 1) gpu.device += fmt::format(", first of {}", sample.devices);
  gpu.by = "nvml";
  gpu.clock_mhz = known(sample.clock_mhz);
  gpu.maximum_clock_mhz = known(sample.maximum_clock_mhz);
  gpu.memory_clock_mhz = known(sample.memory_clock_mhz);
  gpu.power_w = known(sample.power_w);
  gpu.power_limit_w = known(sample.power_limit_w);
  gpu.temperature_degc = known(sample.temperature_degc);
  gpu.memory_bytes = known(sample.memory_bytes);
  gpu.memory_free_bytes = known(sample.memory_free_bytes);
  // The other bits of nvmlClocksThrottleReasons are idle states and application settings.
  static constexpr std::pair<std::uint64_t, const char*> reasons[]{{0x04, "gpu: power limit"},
                                                                   {0x08, "gpu: hardware slowdown"},
                                                                   {0x20, "gpu: heat (software)"},
                                                                   {0x40, "gpu: heat (hardware)"},
                                                                   {0x80, "gpu: power brake"}};
  for (const auto& [bit, name] : reasons)
    if (sample.slowed_by & bit) state.throttled_by.push_back(name);
}

ControllerWatch::ControllerWatch(std::function<ControllerState()> sample, Log log,
                                 std::chrono::milliseconds period)
    : sample_(std::move(sample)), log_(std::move(log)), period_(period), thread_([this] { work(); }) {}

ControllerWatch::~ControllerWatch() {
  {
    const std::lock_guard lock(mutex_);
    stopping_ = true;
  }
  wake_.notify_all();
  thread_.join();
}

std::optional<ControllerState> ControllerWatch::newest() const {
  const std::lock_guard lock(mutex_);
  std::optional<ControllerState> state = newest_;
  if (state) state->age_ms = std::chrono::duration<double, std::milli>(Clock::now() - sampled_).count();
  return state;
}

void ControllerWatch::work() {
  ThrottleNews news;
  for (;;) {
    ControllerState state = sample_();
    const auto now = Clock::now();
    if (const auto line = news.hear(state, now)) log_(line->warning, line->text);
    std::unique_lock lock(mutex_);
    newest_ = std::move(state);
    sampled_ = now;
    if (wake_.wait_for(lock, period_, [this] { return stopping_; })) return;
  }
}

std::function<ControllerState()> controller_sampler(bool gpu) {
  const auto reader = std::make_shared<StateReader>();
  const auto link = gpu ? std::make_shared<GpuStateClient>() : nullptr;
  return [reader, link] {
    ControllerState state = reader->read();
    if (state.gpu) return state;
    if (!link) {
      state.gpu_absent = "not asked: boards are measured on the CPU";
    } else if (const auto sample = link->newest(GpuStateClient::Clock::now())) {
      add_gpu(state, *sample);
    } else {
      state.gpu_absent = link->why_not();
    }
    return state;
  };
}

}  // namespace datum
