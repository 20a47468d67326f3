// Loops that the compiler vectorises, once for any machine, once for AVX2 and once for AVX-512. Same operations
// and no contraction, so the same bits; only the time differs.
#pragma once

#include "gpu/core/backend.h"

namespace datum {

#if defined(__x86_64__) && defined(__GNUC__)
template <class Loop>
__attribute__((target("avx2,fma"), noinline)) void run_with_avx2(const Loop& loop) {
  loop();
}
template <class Loop>
__attribute__((target("avx512f,fma,avx512bw,avx512dq,avx512vl,prefer-vector-width=512"), noinline)) void
run_with_avx512(const Loop& loop) {
  loop();
}
#endif

/// Runs loop(), a lambda marked DATUM_VECTOR_LOOP, with the instructions of `isa`.
#define DATUM_VECTOR_LOOP __attribute__((always_inline))
template <class Loop>
inline void vector_loop(Isa isa, const Loop& loop) {
#if defined(__x86_64__) && defined(__GNUC__)
  if (isa == Isa::avx512) return run_with_avx512(loop);
  if (isa == Isa::avx2) return run_with_avx2(loop);
#endif
  (void)isa;
  loop();
}

}  // namespace datum
