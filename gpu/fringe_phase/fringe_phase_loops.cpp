// The CPU loop, written once for every lane type and compiled once for each instruction set.
#include <cstring>

#include "gpu/core/isa_table.h"
#include "gpu/core/simd.h"
#include "gpu/fringe_phase/fringe_phase_kernels.h"

namespace datum::fringe {
namespace {

/// The coefficients of S::width pixels from `col` on.
template <class S>
inline Coefficients<S> coefficients(const RowCells& row, std::uint32_t col) {
  const std::uint32_t cell = 1u << row.shift;
  const float per_cell = 1.f / static_cast<float>(cell);
  typename S::F v[7];
  if (cell % S::width == 0 && col % S::width == 0) {  // one cell for all lanes
    const float* c = row.cells + std::size_t{16} * (col >> row.shift);
    float part[S::width];
    for (std::uint32_t lane = 0; lane < S::width; ++lane)
      part[lane] = static_cast<float>(col % cell + lane) * per_cell;
    for (int i = 0; i < 7; ++i) v[i] = S::fma(S::load(part), S::set(c[8 + i]), S::set(c[i]));
  } else {
    float left[7][S::width], step[7][S::width], part[S::width];
    for (std::uint32_t lane = 0; lane < S::width; ++lane) {
      const float* c = row.cells + std::size_t{16} * ((col + lane) >> row.shift);
      part[lane] = static_cast<float>((col + lane) % cell) * per_cell;
      for (int i = 0; i < 7; ++i) {
        left[i][lane] = c[i];
        step[i][lane] = c[8 + i];
      }
    }
    for (int i = 0; i < 7; ++i) v[i] = S::fma(S::load(part), S::load(step[i]), S::load(left[i]));
  }
  return {v[0], v[1], {v[2], v[3], v[4], v[5]}, v[6]};
}

template <class S>
inline void write_lanes(std::int32_t* to, typename S::F v) {
  const auto bits = S::bits(v);
  std::memcpy(to, &bits, sizeof bits);
}

/// Largest rms of the samples about their sine among the periods.
template <class S, int P, class T>
inline typename S::F residual_of(const Rows& rows, std::size_t at, const Sums<S>* sums) {
  typename S::F worst = S::set(0.f);
  for (std::uint32_t i = 0; i < P; ++i) {
    typename S::F sum = S::set(0.f);
    for (std::uint32_t k = 0; k < rows.job->steps; ++k) {
      const T* image = static_cast<const T*>(rows.images[i * rows.job->steps + k]);
      sum = add_residual<S>(*rows.job, k, S::load(image + at), sums[i], sum);
    }
    worst = S::max(worst, sum);
  }
  return root<S>(worst * S::set(rows.job->per_freedom));
}

/// S::width pixels from column `col` of a row on.
template <class S, int P, class T, bool extras>
inline void measure(const Rows& rows, std::uint32_t row, std::uint32_t col, const RowCells& cells) {
  const Job& job = *rows.job;
  const std::size_t at = std::size_t{row} * rows.width + col;
  Sums<S> sums[P];
  auto saturated = S::none();
  for (std::uint32_t i = 0; i < P; ++i) {
    sums[i] = {S::set(0.f), S::set(0.f), S::set(0.f)};
    const void* const* images = rows.images + std::size_t{i} * job.steps;
    for (std::uint32_t k = 0; k < job.steps; ++k)
      add_sample<S>(job, k, S::load(static_cast<const T*>(images[k]) + at), &sums[i], &saturated);
  }
  const Pixel<S> pixel = pixel_of<S, P, extras>(job, sums, saturated);
  const FringeMaps& maps = rows.maps;
  S::store(maps.column_px + at, pixel.column);
  auto kind = pixel.kind;
  if (cells.cells) {
    const Height<S> z = height_of<S>(job, coefficients<S>(cells, col), pixel, extras && maps.height_sigma_um);
    kind = z.kind;
    if (maps.height) write_lanes<S>(maps.height + at, z.counts);
    if (extras && maps.height_sigma_um) S::store(maps.height_sigma_um + at, z.sigma_um);
  }
  S::store_bytes(reinterpret_cast<std::uint8_t*>(maps.classes) + at, kind);
  if (!extras) return;
  if (maps.sigma_px) S::store(maps.sigma_px + at, pixel.sigma);
  if (maps.modulation) S::store(maps.modulation + at, pixel.modulation);
  if (maps.mean) S::store(maps.mean + at, pixel.mean);
  if (maps.residual) S::store(maps.residual + at, residual_of<S, P, T>(rows, at, sums));
}

struct OnePixel : SimdScalar {
  DATUM_HD void store_bytes(std::uint8_t* p, F v) { *p = static_cast<std::uint8_t>(bits_of(v)); }
};

/// A row that is no whole number of lanes ends with lanes that overlap those before: the same pixels, the same bytes.
template <class S, int P, class T, bool extras>
void measure_row(const Rows& rows, std::uint32_t row, const RowCells& cells) {
  constexpr std::uint32_t lanes = S::width;
  std::uint32_t col = 0;
  for (; col + lanes <= rows.width; col += lanes) measure<S, P, T, extras>(rows, row, col, cells);
  if (col < rows.width && rows.width >= lanes)
    measure<S, P, T, extras>(rows, row, rows.width - lanes, cells);
  else
    for (; col < rows.width; ++col) measure<OnePixel, P, T, extras>(rows, row, col, cells);
}

template <class S, int P>
void measure_row_with(const Rows& rows, std::uint32_t row, const RowCells& cells) {
  const bool extras = wants_extras(rows.maps);
  if (rows.type == SampleType::u8)
    extras ? measure_row<S, P, std::uint8_t, true>(rows, row, cells)
           : measure_row<S, P, std::uint8_t, false>(rows, row, cells);
  else
    extras ? measure_row<S, P, std::uint16_t, true>(rows, row, cells)
           : measure_row<S, P, std::uint16_t, false>(rows, row, cells);
}

template <class S>
void measure_any_row(const Rows& rows, std::uint32_t row, const RowCells& cells) {
  switch (rows.job->periods) {
    case 1:
      return measure_row_with<S, 1>(rows, row, cells);
    case 2:
      return measure_row_with<S, 2>(rows, row, cells);
    default:
      return measure_row_with<S, 3>(rows, row, cells);
  }
}

#if defined(DATUM_ISA_AVX512)
struct Pixels : Simd {
  DATUM_HD void store_bytes(std::uint8_t* p, F v) {
    _mm_storeu_si128(reinterpret_cast<__m128i*>(p), _mm512_cvtepi32_epi8(_mm512_castps_si512(v)));
  }
};
#elif defined(DATUM_ISA_AVX2)
struct Pixels : Simd {
  DATUM_HD void store_bytes(std::uint8_t* p, F v) {
    const __m256i numbers = _mm256_castps_si256(v);
    const __m128i words =
        _mm_packus_epi32(_mm256_castsi256_si128(numbers), _mm256_extracti128_si256(numbers, 1));
    _mm_storel_epi64(reinterpret_cast<__m128i*>(p), _mm_packus_epi16(words, words));
  }
};
#elif defined(DATUM_ISA_NEON)
struct Pixels : Simd {
  DATUM_HD void store_bytes(std::uint8_t* p, F v) {
    const uint16x4_t words = vmovn_u32(vreinterpretq_u32_f32(v));
    const std::uint64_t bytes = vget_lane_u64(vreinterpret_u64_u8(vmovn_u16(vcombine_u16(words, words))), 0);
    std::memcpy(p, &bytes, 4);
  }
};
#else
using Pixels = OnePixel;
#endif

}  // namespace

extern const MeasureRow DATUM_OF_ISA(measure_row);
const MeasureRow DATUM_OF_ISA(measure_row) = measure_any_row<Pixels>;

}  // namespace datum::fringe
