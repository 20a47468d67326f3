// A kernel's loops, one object for each instruction set: defined as DATUM_OF_ISA(name) in a source that is compiled for each
// (datum_instruction_sets of cmake/DatumBuild.cmake), and looked up by the set that a backend names.
#pragma once

#include <stdexcept>
#include <string>

#include "gpu/core/backend.h"

#define DATUM_JOINED(name, set) name##_##set
#define DATUM_JOINED_AFTER_EXPANSION(name, set) DATUM_JOINED(name, set)
#define DATUM_OF_ISA(name) DATUM_JOINED_AFTER_EXPANSION(name, DATUM_ISA)

/// The table of `name`; name##_scalar and the others of this processor must be declared. DATUM_WITHOUT_...: sets that a first demo
/// leaves out.
#if defined(DATUM_WITHOUT_SCALAR)
#define DATUM_SCALAR_LOOPS(name) nullptr
#else
#define DATUM_SCALAR_LOOPS(name) &name##_scalar
#endif
#if defined(DATUM_WITHOUT_AVX2)
#define DATUM_AVX2_LOOPS(name) nullptr
#else
#define DATUM_AVX2_LOOPS(name) &name##_avx2
#endif
#if defined(DATUM_WITHOUT_AVX512)
#define DATUM_AVX512_LOOPS(name) nullptr
#else
#define DATUM_AVX512_LOOPS(name) &name##_avx512
#endif
#if defined(__x86_64__)
#define DATUM_ISA_TABLE(name) \
  { DATUM_SCALAR_LOOPS(name), DATUM_AVX2_LOOPS(name), DATUM_AVX512_LOOPS(name), nullptr }
#elif defined(__aarch64__)
#define DATUM_ISA_TABLE(name) \
  { &name##_scalar, nullptr, nullptr, &name##_neon }
#else
#define DATUM_ISA_TABLE(name) \
  { &name##_scalar, nullptr, nullptr, nullptr }
#endif

namespace datum {

/// `table` is in the order of Isa. Throws std::runtime_error naming the kernel where this build has no loops of `isa`.
template <class Loops>
const Loops& loops_of(Isa isa, const Loops* const (&table)[4], const char* kernel) {
  const Loops* const loops = table[static_cast<std::size_t>(isa)];
  if (!loops) throw std::runtime_error(std::string(kernel) + ": this build has no loops for " + name_of(isa));
  return *loops;
}

}  // namespace datum
