#include "gpu/fft/fft.h"

#include <algorithm>
#include <cstddef>
#include <memory>
#include <stdexcept>
#include <string>
#include <vector>

#include "gpu/core/isa_table.h"
#include "gpu/core/parallel_for.h"
#include "gpu/fft/fft_kernels.h"

namespace datum {

using namespace fft;

namespace fft {

extern const Kernels<float> float_scalar, float_avx2, float_avx512, float_neon;
extern const Kernels<double> double_scalar, double_avx2, double_avx512, double_neon;

template <>
const Kernels<float>& kernels<float>(Isa isa) {
  return loops_of<Kernels<float>>(isa, DATUM_ISA_TABLE(float), "Fourier transform");
}

template <>
const Kernels<double>& kernels<double>(Isa isa) {
  return loops_of<Kernels<double>>(isa, DATUM_ISA_TABLE(double), "Fourier transform");
}

}  // namespace fft

namespace {

/// Scratch memory of one thread, on a line of the cache.
template <class Word>
class Scratch {
 public:
  Word* of(std::size_t count) {
    std::size_t space = count * sizeof(Word) + 64;
    if (space > size_) {
      memory_ = std::make_unique_for_overwrite<std::byte[]>(space);
      size_ = space;
    }
    void* at = memory_.get();
    return static_cast<Word*>(std::align(64, count * sizeof(Word), at, space));
  }

 private:
  std::unique_ptr<std::byte[]> memory_;
  std::size_t size_ = 0;
};

template <class Word>
void transform(Rows<Word> all, const Backend& backend) {
  const Kernels<Word>& loops = kernels<Word>(backend.isa);
  const std::size_t threads = backend.threads > 0 ? backend.threads : 1;
  std::size_t side_by_side = loops.width;
  const bool one_by_one = loops.one_by_one(all);
  if (one_by_one) side_by_side = std::clamp(all.count / (4 * threads), std::size_t{1}, side_by_side);
  const std::size_t size = one_by_one ? 4 * all.plan->points : work_size(loops, all.plan->points);
  const std::size_t groups = (all.count + side_by_side - 1) / side_by_side;
  std::vector<Scratch<Word>> scratch(threads);
  parallel_for(backend.threads, groups, [&](std::size_t g, unsigned slot) {
    Rows<Word> some = all;
    some.in += g * side_by_side * all.in_stride;
    some.out += g * side_by_side * all.out_stride;
    some.count = std::min(side_by_side, all.count - g * side_by_side);
    loops.transform(some, scratch[slot].of(size));
  });
}

std::size_t checked(std::size_t points) {
  if (points < 16 || points > 16384 || (points & (points - 1)) != 0)
    throw std::invalid_argument("a Fourier transform has 16 to 16384 points, a power of two, not " +
                                std::to_string(points));
  return points;
}

}  // namespace

template <class Word>
struct Fft<Word>::Plans {
  Plan<Word> whole, half;
};

template <class Word>
Fft<Word>::Fft(std::size_t points)
    : plans_(new Plans{plan_of<Word>(checked(points)), plan_of<Word>(checked(points) / 2)}) {}
template <class Word>
Fft<Word>::~Fft() = default;
template <class Word>
Fft<Word>::Fft(Fft&&) noexcept = default;
template <class Word>
Fft<Word>& Fft<Word>::operator=(Fft&&) noexcept = default;

template <class Word>
std::size_t Fft<Word>::points() const {
  return plans_->whole.points;
}
template <class Word>
const Plan<Word>& Fft<Word>::plan() const {
  return plans_->whole;
}
template <class Word>
const Plan<Word>& Fft<Word>::real_plan() const {
  return plans_->half;
}

template <class Word>
void Fft<Word>::forward(const Complex* in, std::size_t rows, const Backend& backend, Complex* out) const {
  const std::size_t stride = 2 * points();
  transform<Word>({&plan(), Kind::forward, reinterpret_cast<const Word*>(in), stride,
                   reinterpret_cast<Word*>(out), stride, rows},
                  backend);
}
template <class Word>
void Fft<Word>::inverse(const Complex* in, std::size_t rows, const Backend& backend, Complex* out) const {
  const std::size_t stride = 2 * points();
  transform<Word>({&plan(), Kind::inverse, reinterpret_cast<const Word*>(in), stride,
                   reinterpret_cast<Word*>(out), stride, rows},
                  backend);
}
template <class Word>
void Fft<Word>::forward_real(const Word* in, std::size_t rows, const Backend& backend, Complex* out) const {
  transform<Word>(
      {&real_plan(), Kind::forward_real, in, points(), reinterpret_cast<Word*>(out), 2 * real_bins(), rows},
      backend);
}
template <class Word>
void Fft<Word>::inverse_real(const Complex* in, std::size_t rows, const Backend& backend, Word* out) const {
  transform<Word>({&real_plan(), Kind::inverse_real, reinterpret_cast<const Word*>(in), 2 * real_bins(), out,
                   points(), rows},
                  backend);
}

template class Fft<float>;
template class Fft<double>;

}  // namespace datum
