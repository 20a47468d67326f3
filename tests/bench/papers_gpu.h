// The device's rows of `datum bench papers`.
#pragma once

#include <cstring>
#include <vector>

#include "tests/bench/gpu_timing.h"
#include "tests/bench/papers_rows.h"

namespace datum::bench {

/// "equal" or "DIFFERENT", which gpu_tables() remembers.
const char* said(bool equal);

template <class T>
bool equal(const std::vector<T>& a, const std::vector<T>& b) {
  return a.size() == b.size() && std::memcmp(a.data(), b.data(), a.size() * sizeof a[0]) == 0;
}

void board_gpu_rows(const Stream& stream);
void ladder_rows(const Stream& stream);
void fft_gpu_tables(const Stream& stream);
void lu_gpu_figures(const Stream& stream, const PapersOptions& options);

}  // namespace datum::bench
