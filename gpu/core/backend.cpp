#include "gpu/core/backend.h"

#include <stdexcept>
#include <thread>

namespace datum {

const char* name_of(BackendKind kind) { return kind == BackendKind::cpu ? "cpu" : "cuda"; }

const char* name_of(Isa isa) {
  switch (isa) {
    case Isa::scalar:
      return "scalar";
    case Isa::avx2:
      return "avx2";
    case Isa::avx512:
      return "avx512";
    case Isa::neon:
      return "neon";
  }
  return "unknown";
}

std::string describe(const Backend& backend) {
  return std::string(name_of(backend.kind)) + " " + name_of(backend.isa) + " x" +
         std::to_string(backend.threads);
}

Isa best_isa() {
#if defined(__x86_64__)
  __builtin_cpu_init();
  if (!__builtin_cpu_supports("fma"))
    throw std::runtime_error(
        "this processor has no FMA instructions; datumd needs an x86-64 with AVX2 and FMA (2013 or newer)");
  if (__builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512bw") &&
      __builtin_cpu_supports("avx512dq") && __builtin_cpu_supports("avx512vl"))
    return Isa::avx512;
  return __builtin_cpu_supports("avx2") ? Isa::avx2 : Isa::scalar;
#elif defined(__aarch64__)
  return Isa::neon;
#else
  return Isa::scalar;
#endif
}

Backend cpu_backend(unsigned threads) {
  Backend backend;
  backend.kind = BackendKind::cpu;
  backend.isa = best_isa();
  const unsigned cores = std::thread::hardware_concurrency();
  backend.threads = threads ? threads : (cores ? cores : 1);
  backend.why = std::string("cpu ") + name_of(backend.isa) + " x" + std::to_string(backend.threads) +
                ": best instruction set of this processor, " +
                (threads ? "threads as configured" : "one thread per core");
  return backend;
}

}  // namespace datum
