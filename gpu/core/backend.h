// Which machine does the arithmetic. Every backend and instruction set gives the same bytes; only the time
// differs.
#pragma once

#include <string>

namespace datum {

enum class BackendKind { cpu, cuda };
enum class Isa { scalar, avx2, avx512, neon };
const char* name_of(BackendKind kind);
const char* name_of(Isa isa);

struct Backend {
  BackendKind kind = BackendKind::cpu;
  Isa isa = Isa::scalar;
  unsigned threads = 1;
  std::string why;  // one line for the log: what was found and why this was chosen
};

/// "cpu avx512 x2": kind, instruction set, threads; what a verdict says of it.
std::string describe(const Backend& backend);

/// Best instruction set of this CPU that this build carries. Throws std::runtime_error on an x86 without FMA.
Isa best_isa();
/// CPU backend with the best instruction set; threads = 0 means one per core.
Backend cpu_backend(unsigned threads = 0);

}  // namespace datum
