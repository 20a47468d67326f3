#include "tests/bench/fft_peers.h"

namespace datum::bench {

std::function<void()> fftw_rows(Complex*, std::size_t, std::size_t, unsigned) { return {}; }
std::string fftw_version() { return "no FFTW (libfftw3-dev)"; }

}  // namespace datum::bench
