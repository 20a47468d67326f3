// LAPACK's getrf from OpenBLAS.
#include <openblas_config.h>

#include <cblas.h>
#include <unistd.h>

#include <cstdlib>
#include <string>

#include "gpu/core/backend.h"
#include "tests/bench/lu_rows.h"

extern "C" {
void sgetrf_(const int* m, const int* n, float* a, const int* lda, int* ipiv, int* info);
void dgetrf_(const int* m, const int* n, double* a, const int* lda, int* ipiv, int* info);
}

namespace datum::bench {

template <>
bool openblas_factor(float* a, int n, int* pivots) {
  int info = 0;
  sgetrf_(&n, &n, a, &n, pivots, &info);
  return true;
}

template <>
bool openblas_factor(double* a, int n, int* pivots) {
  int info = 0;
  dgetrf_(&n, &n, a, &n, pivots, &info);
  return true;
}

std::string openblas_name() { return std::string(openblas_get_config()) + " " + openblas_get_corename(); }
void openblas_threads(int threads) { openblas_set_num_threads(threads); }

void openblas_at_its_best(char** argv) {
  if (std::getenv("OPENBLAS_CORETYPE") || std::string(openblas_get_corename()) != "Prescott") return;
  if (best_isa() == Isa::avx512) {
    setenv("OPENBLAS_CORETYPE", "SkylakeX", 1);
  } else if (best_isa() == Isa::avx2) {
    setenv("OPENBLAS_CORETYPE", "Haswell", 1);
  } else {
    return;
  }
  execv("/proc/self/exe", argv);
}

}  // namespace datum::bench
