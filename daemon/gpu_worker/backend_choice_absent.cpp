// The choice of a first demo without CUDA, which leaves the GPU's process and its client out: the CPU.
#include "daemon/gpu_worker/backend_choice.h"
#include "drivers/link_error.h"
#include "gpu/board/cpu_board.h"

namespace datum {

bool has_gpu_worker() { return false; }

BackendChoice choose_backend(const BackendSettings& settings, Timeout,
                             const std::function<void(bool fault, const std::string& text)>&,
                             std::unique_ptr<BoardMeasurer> reserve) {
  constexpr const char* absent =
      "a first demo without CUDA is built without datumd-gpu; ./datum test or install builds it";
  if (settings.kind == BackendSettings::Kind::cuda)
    throw RefusedError(std::string("backend.kind = \"cuda\", but there is no usable GPU: ") + absent +
                       "; allowed: \"auto\", \"cpu\"");
  const Backend cpu = cpu_backend(settings.threads);
  BackendChoice choice;
  choice.measurer = reserve ? std::move(reserve) : std::make_unique<CpuBoardMeasurer>(cpu);
  choice.diffuser = std::make_unique<CpuDiffuser>(cpu);
  choice.inverter = std::make_unique<CpuSystemInverter>(cpu);
  choice.why =
      cpu.why + "; " + (settings.kind == BackendSettings::Kind::cpu ? std::string("as configured") : absent);
  choice.fault = [] { return std::string(); };
  choice.worker_restarts = [] { return std::map<std::string, std::uint64_t>(); };
  return choice;
}

}  // namespace datum
