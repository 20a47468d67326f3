#include <fftw3.h>

#include <memory>

#include "tests/bench/fft_peers.h"

namespace datum::bench {

std::function<void()> fftw_rows(Complex* rows, std::size_t points, std::size_t count, unsigned threads) {
  static const bool ready = fftwf_init_threads() != 0;
  if (!ready) return {};
  fftwf_plan_with_nthreads(static_cast<int>(threads));
  const int n = static_cast<int>(points);
  auto* data = reinterpret_cast<fftwf_complex*>(rows);
  const fftwf_plan plan = fftwf_plan_many_dft(1, &n, static_cast<int>(count), data, nullptr, 1, n, data,
                                              nullptr, 1, n, FFTW_FORWARD, FFTW_MEASURE);
  if (!plan) return {};
  const std::shared_ptr<fftwf_plan_s> kept(plan, fftwf_destroy_plan);
  return [kept] { fftwf_execute(kept.get()); };
}

std::string fftw_version() { return fftwf_version; }

}  // namespace datum::bench
