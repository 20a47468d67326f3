// How far an image is shifted against a reference, by phase correlation: both are windowed (1 but on the outer eighths) and transformed by rows and columns,
// the cross spectrum keeps only its phases, and the transform back has a peak at the shift. After C. D. Kuglin and D. C.
// Hines, IEEE Conf. Cybernetics and Society (1975), 163. For gradients or masks of a board, not for heights: a slope
// of the board would be its strongest feature. C++17: CUDA sources include this header.
#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include "gpu/core/backend.h"

namespace datum {

struct CorrelationSettings {
  float smoothing_px =
      1;  // standard deviation of the peak that a shift alone makes: a Gaussian low-pass of the phases
  float least_ratio =
      1.5f;                 // of the peak to the next one that is not part of it, 4 smoothing_px away or more
  float most_shift_px = 0;  // along either axis; below half the image
};

enum class CorrelationClass : std::uint8_t {
  ok,
  no_peak,    // the image or the reference is 0 everywhere
  ambiguous,  // the next peak is too high: a pattern that repeats, another board, or none
  too_far,    // beyond most_shift_px
};
const char* name_of(CorrelationClass c);

/// image(x, y) = reference(x - shift_x, y - shift_y)
struct CorrelationShift {
  CorrelationClass kind = CorrelationClass::no_peak;
  double x_px = 0, y_px = 0;  // by a parabola through the logarithms of three values along each axis
  double peak = 0;            // 1 of an image that is only shifted by whole px
  double ratio = 0;           // to the next one
};

namespace correlation {
struct Plan;
}

/// A reference, made ready. May be used by several threads at a time.
class PhaseCorrelation {
 public:
  /// `reference`: rows x cols values by rows, powers of two from 16 to 4096. Throws std::invalid_argument for other sizes,
  /// values that are not finite, settings that mean nothing.
  PhaseCorrelation(const float* reference, std::uint32_t cols, std::uint32_t rows,
                   const CorrelationSettings& settings);
  ~PhaseCorrelation();

  /// Of an image as large. Throws std::invalid_argument for values that are not finite. The same bytes for every backend.
  CorrelationShift find(const float* image, const Backend& backend) const;

  const correlation::Plan& plan() const { return *plan_; }

 private:
  std::unique_ptr<const correlation::Plan> plan_;
};

}  // namespace datum
