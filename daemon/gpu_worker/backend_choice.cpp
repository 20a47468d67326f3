#include "daemon/gpu_worker/backend_choice.h"

#include <chrono>

#include "daemon/gpu_worker/failover_measurer.h"
#include "daemon/gpu_worker/failover_services.h"
#include "drivers/link_error.h"
#include "gpu/board/cpu_board.h"
#include "gpu/core/gpu_error.h"

namespace datum {
namespace {

using Kind = BackendSettings::Kind;

/// A client of a usable GPU; else null, with the reason.
std::unique_ptr<GpuClient> usable_gpu(const Backend& cpu, std::string& why) {
  GpuClientSettings settings;
  settings.staging = cpu;
  auto link = std::make_unique<GpuClient>(settings);
  try {
    link->start();
    const Greeting* greeting = link->greeting(GpuClient::Clock::now() + 2 * settings.start_timeout);
    why = get_text(greeting->why);
    return greeting->usable ? std::move(link) : nullptr;
  } catch (const GpuError& error) {
    why = error.what();
    return nullptr;
  }
}

std::chrono::nanoseconds monotonic() { return std::chrono::steady_clock::now().time_since_epoch(); }

}  // namespace

bool has_gpu_worker() { return true; }

BackendChoice choose_backend(const BackendSettings& settings, Timeout timeout,
                             const std::function<void(bool fault, const std::string& text)>& report,
                             std::unique_ptr<BoardMeasurer> reserve) {
  const Backend cpu = cpu_backend(settings.threads);
  BackendChoice choice;
  choice.measurer = reserve ? std::move(reserve) : std::make_unique<CpuBoardMeasurer>(cpu);
  choice.finder = std::make_unique<CpuDistanceFinder>(cpu);
  choice.matcher = std::make_unique<CpuFacetMatcher>(cpu);
  choice.diffuser = std::make_unique<CpuDiffuser>(cpu);
  choice.inverter = std::make_unique<CpuSystemInverter>(cpu);
  choice.correlator = std::make_unique<CpuCorrelator>(cpu);
  choice.demodulator = std::make_unique<CpuFringeDemodulator>(cpu);
  choice.why = cpu.why + "; as configured";
  choice.fault = [] { return std::string(); };
  choice.worker_restarts = [] { return std::map<std::string, std::uint64_t>(); };
  if (settings.kind == Kind::cpu) return choice;

  std::string why;
  std::unique_ptr<GpuClient> gpu = usable_gpu(cpu, why);
  if (!gpu && settings.kind == Kind::cuda)
    throw RefusedError("backend.kind = \"cuda\", but there is no usable GPU: " + why +
                       "; allowed: \"auto\", \"cpu\"");
  choice.why = cpu.why + "; " + why;
  if (!gpu) return choice;

  FailoverSettings failover;
  if (timeout == Timeout::of_one_frame) failover.plan_timeout = std::chrono::minutes(2);
  choice.early = gpu->early();
  auto measurer = std::make_unique<FailoverMeasurer>(std::move(gpu), std::move(choice.measurer), monotonic,
                                                     report, failover);
  // Scanning a part takes seconds: its first service may wait for the worker's start like a single frame.
  auto stages = std::make_shared<GpuServices>(
      std::make_unique<ServiceClient>(ServiceClientSettings{}),
      timeout == Timeout::of_one_frame ? std::chrono::seconds(120) : std::chrono::seconds(2), monotonic,
      report);
  choice.fault = [boards = measurer.get(), stages] {
    const std::string of_boards = boards->fault();
    return of_boards.empty() ? stages->fault() : of_boards;
  };
  choice.worker_restarts = [boards = measurer.get(), stages] {
    return std::map<std::string, std::uint64_t>{{"boards", boards->restarts()},
                                                {"stages", stages->restarts()}};
  };
  choice.measurer = std::move(measurer);
  choice.finder = std::make_unique<FailoverFinder>(stages, cpu);
  // A single frame is not worth a measurement of what the next ones gain.
  const bool once = timeout == Timeout::of_one_frame;
  choice.matcher = std::make_unique<FailoverFacetMatcher>(
      stages, cpu, once ? std::optional(MatchCrossovers()) : std::nullopt);
  choice.sharer =
      std::make_unique<FailoverSharer>(stages, cpu, once ? std::optional(AreaCrossover()) : std::nullopt);
  choice.comparer = std::make_unique<GpuComparer>(stages, cpu.threads);
  choice.diffuser = std::make_unique<FailoverDiffuser>(stages, cpu);
  choice.inverter =
      std::make_unique<FailoverInverter>(stages, cpu, once ? std::optional(InvertCrossover()) : std::nullopt);
  choice.correlator = std::make_unique<FailoverCorrelator>(
      stages, cpu, once ? std::optional(CorrelationCrossover()) : std::nullopt);
  choice.demodulator = std::make_unique<FailoverDemodulator>(stages, cpu);
  choice.why = "cuda " + why + "; in reserve: " + cpu.why;
  return choice;
}

}  // namespace datum
