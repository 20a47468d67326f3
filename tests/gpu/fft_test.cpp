// Fourier transforms against one of 128 bits, against their own promises, and every instruction set against every other.
#include "gpu/fft/fft.h"

#include <gtest/gtest.h>
#include <mpfr.h>

#include <cmath>
#include <stdexcept>

#include "gpu/fft/fft_plan.h"
#include "tests/gpu/fft_scenes.h"

namespace datum {
namespace {

using namespace testing;

/// Numbers of 128 bits.
class Wide {
 public:
  explicit Wide(std::size_t count) : v_(count) {
    for (auto& x : v_) mpfr_init2(x.number, 128);
  }
  ~Wide() {
    for (auto& x : v_) mpfr_clear(x.number);
  }
  Wide(const Wide&) = delete;
  Wide& operator=(const Wide&) = delete;
  mpfr_ptr operator[](std::size_t i) { return v_[i].number; }

 private:
  struct Number {
    mpfr_t number;
  };
  std::vector<Number> v_;
};

/// The textbook's transform of radix 2, in place.
class WideTransform {
 public:
  template <class Word>
  explicit WideTransform(const std::vector<std::complex<Word>>& in)
      : n_(in.size()), re_(n_), im_(n_), cos_(n_ / 2), sin_(n_ / 2), t_(5) {
    for (std::size_t i = 0, reversed = 0; i < n_; ++i) {
      mpfr_set_d(re_[reversed], in[i].real(), MPFR_RNDN);
      mpfr_set_d(im_[reversed], in[i].imag(), MPFR_RNDN);
      std::size_t bit = n_ / 2;
      for (; reversed & bit; bit /= 2) reversed ^= bit;
      reversed |= bit;
    }
    mpfr_const_pi(t_[0], MPFR_RNDN);
    for (std::size_t k = 0; k < n_ / 2; ++k) {
      mpfr_mul_ui(t_[1], t_[0], 2 * k, MPFR_RNDN);
      mpfr_div_ui(t_[1], t_[1], n_, MPFR_RNDN);
      mpfr_sin_cos(sin_[k], cos_[k], t_[1], MPFR_RNDN);
    }
    for (std::size_t half = 1; half < n_; half *= 2)
      for (std::size_t base = 0; base < n_; base += 2 * half)
        for (std::size_t k = 0; k < half; ++k) butterfly(base + k, base + k + half, k * (n_ / 2 / half));
  }

  /// |out - this| / |this|, over the first out.size() bins.
  template <class Word>
  double error(const std::vector<std::complex<Word>>& out) {
    double off = 0, all = 0;
    for (std::size_t k = 0; k < out.size(); ++k) {
      mpfr_sub_d(t_[0], re_[k], out[k].real(), MPFR_RNDN);
      mpfr_sub_d(t_[1], im_[k], out[k].imag(), MPFR_RNDN);
      off += std::pow(mpfr_get_d(t_[0], MPFR_RNDN), 2) + std::pow(mpfr_get_d(t_[1], MPFR_RNDN), 2);
      all += std::pow(mpfr_get_d(re_[k], MPFR_RNDN), 2) + std::pow(mpfr_get_d(im_[k], MPFR_RNDN), 2);
    }
    return std::sqrt(off / all);
  }

 private:
  void butterfly(std::size_t a, std::size_t b, std::size_t k) {
    mpfr_fmma(t_[0], re_[b], cos_[k], im_[b], sin_[k], MPFR_RNDN);  // (re + i im)(cos - i sin)
    mpfr_fmms(t_[1], im_[b], cos_[k], re_[b], sin_[k], MPFR_RNDN);
    mpfr_sub(re_[b], re_[a], t_[0], MPFR_RNDN);
    mpfr_sub(im_[b], im_[a], t_[1], MPFR_RNDN);
    mpfr_add(re_[a], re_[a], t_[0], MPFR_RNDN);
    mpfr_add(im_[a], im_[a], t_[1], MPFR_RNDN);
  }

  std::size_t n_;
  Wide re_, im_, cos_, sin_, t_;
};

/// The promise of fft.h.
template <class Word>
constexpr double promised = sizeof(Word) == 4 ? 3e-7 : 1e-15;

template <class Word>
class FftOf : public ::testing::Test {};
using BothWords = ::testing::Types<float, double>;
TYPED_TEST_SUITE(FftOf, BothWords);

// As the two nearest numbers: the same on every processor, whatever its long double and its library's sines are.
template <class Word>
void expect_nearest_roots(std::size_t n, std::size_t step) {
  Wide t(4);
  mpfr_const_pi(t[0], MPFR_RNDN);
  for (std::size_t k = 0; k < n; k += step) {
    mpfr_mul_ui(t[1], t[0], 2 * k, MPFR_RNDN);
    mpfr_div_ui(t[1], t[1], n, MPFR_RNDN);
    mpfr_sin_cos(t[2], t[3], t[1], MPFR_RNDN);
    const fft::Root<Word> w = fft::root_of<Word>(k, n);
    const bool on_axis = k % (n / 4) == 0;  // where 128 bits of pi leave what is no 0
    const auto nearest = [](mpfr_ptr v) {
      return static_cast<Word>(sizeof(Word) == 4 ? mpfr_get_flt(v, MPFR_RNDN) : mpfr_get_d(v, MPFR_RNDN));
    };
    ASSERT_EQ(w.re, on_axis ? std::round(nearest(t[3])) : nearest(t[3])) << k << " of " << n;
    ASSERT_EQ(-w.im, on_axis ? std::round(nearest(t[2])) : nearest(t[2])) << k << " of " << n;
  }
}

TEST(Fft, RootsOfUnityAreRoundedToNearest) {
  for (const std::size_t n : {8u, 16u, 256u, 4096u}) {
    expect_nearest_roots<float>(n, 1);
    expect_nearest_roots<double>(n, 1);
  }
  expect_nearest_roots<float>(32768, 7);
  expect_nearest_roots<double>(32768, 7);
}

TYPED_TEST(FftOf, IsWithinItsPromiseOfAHundredAndTwentyEightBits) {
  using Complex = std::complex<TypeParam>;
  for (std::size_t points = 16; points <= 16384; points *= 2) {
    const Fft<TypeParam> fft(points);
    std::vector<Complex> x = complex_noise<TypeParam>(points, points), out(points);
    fft.forward(x.data(), 1, cpu_backend(1), out.data());
    EXPECT_LE(WideTransform(x).error(out), promised<TypeParam>) << points;
    // The inverse is the forward transform of the values backwards, divided by their number.
    fft.inverse(x.data(), 1, cpu_backend(1), out.data());
    for (Complex& v : out) v *= static_cast<TypeParam>(points);
    std::reverse(x.begin() + 1, x.end());
    EXPECT_LE(WideTransform(x).error(out), promised<TypeParam>) << points;
    const auto reals = noise<TypeParam>(points, points + 1);
    std::vector<Complex> bins(fft.real_bins());
    fft.forward_real(reals.data(), 1, cpu_backend(1), bins.data());
    EXPECT_LE(WideTransform(std::vector<Complex>(reals.begin(), reals.end())).error(bins),
              promised<TypeParam>)
        << points;
  }
}

TYPED_TEST(FftOf, GivesTheSameBytesByEveryInstructionSetAndNumberOfThreads) {
  const Isa best = best_isa();
  for (std::size_t points = 16; points <= 16384; points *= 4)
    for (const std::size_t rows : {1u, 7u, 19u}) {  // fewer than lanes, and one group and a bit
      Backend backend = cpu_backend(3);
      const auto expected = transformed<TypeParam>(points, rows, points, backend);
      backend.threads = 1;
      for (const Isa isa : {Isa::scalar, Isa::avx2, Isa::avx512, Isa::neon}) {
        const bool carried = isa == Isa::scalar || isa == best || (best == Isa::avx512 && isa == Isa::avx2);
        if (!carried) continue;
        backend.isa = isa;
        EXPECT_TRUE(same_bytes(transformed<TypeParam>(points, rows, points, backend), expected))
            << points << ' ' << rows << ' ' << name_of(isa);
      }
    }
}

TYPED_TEST(FftOf, ARowDoesNotDependOnItsNeighbours) {
  const std::size_t points = 512, rows = 21;
  const Fft<TypeParam> fft(points);
  const auto in = complex_noise<TypeParam>(points * rows, 5);
  std::vector<std::complex<TypeParam>> all(in.size()), one(points);
  fft.forward(in.data(), rows, cpu_backend(1), all.data());
  for (std::size_t r = 0; r < rows; ++r) {
    fft.forward(in.data() + r * points, 1, cpu_backend(1), one.data());
    EXPECT_TRUE(std::equal(one.begin(), one.end(), all.begin() + static_cast<std::ptrdiff_t>(r * points)))
        << r;
  }
}

TYPED_TEST(FftOf, AnImpulseHasAllFrequenciesAndATurnOne) {
  using Complex = std::complex<TypeParam>;
  for (std::size_t points = 16; points <= 16384; points *= 2) {
    const Fft<TypeParam> fft(points);
    std::vector<Complex> x(points), out(points);
    x[0] = {3, -2};  // only added to zeros and turned by root 0: exact
    fft.forward(x.data(), 1, cpu_backend(1), out.data());
    EXPECT_EQ(out, std::vector<Complex>(points, Complex{3, -2})) << points;
    const double k = 3;  // exp(+2 pi i k x / n) is at bin k, not n - k
    for (std::size_t i = 0; i < points; ++i) {
      const double angle =
          2 * 3.14159265358979323846 * k * static_cast<double>(i) / static_cast<double>(points);
      x[i] = {static_cast<TypeParam>(std::cos(angle)), static_cast<TypeParam>(std::sin(angle))};
    }
    fft.forward(x.data(), 1, cpu_backend(1), out.data());
    // |out| is n; what the rounded samples and the transform are off by is below the promise of all of it, n sqrt(n) / sqrt(n).
    const double off = 2 * promised<TypeParam> * static_cast<double>(points);
    for (std::size_t i = 0; i < points; ++i)
      EXPECT_NEAR(std::abs(out[i] - Complex(i == 3 ? static_cast<TypeParam>(points) : 0)), 0, off)
          << points << ' ' << i;
  }
}

TYPED_TEST(FftOf, KeepsLinearityParsevalAndTheInverse) {
  using Complex = std::complex<TypeParam>;
  for (std::size_t points = 16; points <= 16384; points *= 2) {
    const Fft<TypeParam> fft(points);
    const auto a = complex_noise<TypeParam>(points, 1);
    std::vector<Complex> doubled(a), fa(points), fd(points), back(points);
    for (Complex& v : doubled) v *= TypeParam(-4);  // powers of two pass through every rounding
    fft.forward(a.data(), 1, cpu_backend(1), fa.data());
    fft.forward(doubled.data(), 1, cpu_backend(1), fd.data());
    long double in = 0, out = 0, off = 0;  // n sums in double would be off by n 2^-53
    fft.inverse(fa.data(), 1, cpu_backend(1), back.data());
    for (std::size_t i = 0; i < points; ++i) {
      EXPECT_EQ(fd[i], fa[i] * TypeParam(-4));
      in += std::norm(std::complex<double>(a[i]));
      out += std::norm(std::complex<double>(fa[i]));
      off += std::norm(std::complex<double>(a[i]) - std::complex<double>(back[i]));
    }
    // Two transforms, each within the promise; energies go with the square, so twice one.
    EXPECT_LE(static_cast<double>(std::sqrt(off / in)), 2 * promised<TypeParam>) << points;
    EXPECT_NEAR(static_cast<double>(out / in) / static_cast<double>(points), 1, 2 * promised<TypeParam>)
        << points;
  }
}

TYPED_TEST(FftOf, RealRowsComeBack) {
  using Complex = std::complex<TypeParam>;
  for (std::size_t points = 16; points <= 16384; points *= 2) {
    const Fft<TypeParam> fft(points);
    const auto in = noise<TypeParam>(points, 3);
    std::vector<Complex> bins(fft.real_bins());
    std::vector<TypeParam> back(points);
    fft.forward_real(in.data(), 1, cpu_backend(1), bins.data());
    EXPECT_EQ(bins.front().imag(), 0);
    EXPECT_EQ(bins.back().imag(), 0);
    fft.inverse_real(bins.data(), 1, cpu_backend(1), back.data());
    double all = 0, off = 0;
    for (std::size_t i = 0; i < points; ++i) {
      all += std::pow(in[i], 2);
      off += std::pow(in[i] - back[i], 2);
    }
    EXPECT_LE(std::sqrt(off / all), 2 * promised<TypeParam>) << points;
  }
}

TYPED_TEST(FftOf, RefusesOtherLengths) {
  for (const std::size_t points :
       {std::size_t{0}, std::size_t{8}, std::size_t{24}, std::size_t{1000}, std::size_t{32768}})
    EXPECT_THROW(Fft<TypeParam>{points}, std::invalid_argument) << points;
}

}  // namespace
}  // namespace datum
