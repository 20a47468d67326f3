// From the projector's column to a height: coefficients on a grid over the camera's image, as a calibration on a stepped
// flat leaves them. C++17.
//
// At a pixel, with coefficients interpolated between the four nodes around it (bilinear):
//   t = (u - centre_px) per_px          -1 to 1 between the lowest and the highest calibrated step
//   height = (h0 + h1 t + h2 t^2 + h3 t^3) / (1 + bend t)   um
// A pinhole camera and projector without distortion give exactly (h0 + h1 t) / (1 + bend t), of which
// h = L0 dphi / (dphi - 2 pi f0 d) is the telecentric case; the higher terms take what lenses add. |t| > 1 is class
// out_of_range: a polynomial says nothing beyond what it was fitted to.
//
// Interpolation leaves cell^2 / 8 of a coefficient's second derivative: the calibration's residuals over all pixels show
// whether cells are small enough. cell_px = 1 is a model per pixel.
#pragma once

#include <cmath>
#include <cstdint>

namespace datum {

struct HeightNode {
  float centre_px = 0;  // projector px
  float per_px = 0;     // NaN: not calibrated here, pixels of the cells around are out_of_range
  float height_um[4] = {0, 0, 0, 0};
  float bend = 0;  // |bend| < 1
  float unused = 0;
};

/// Nodes lie at the pixels (column cell_px, row cell_px); the last ones at or beyond the image's last pixel.
struct HeightModel {
  std::uint32_t cell_px = 0;  // a power of two
  std::uint32_t columns = 0, rows = 0;
  const HeightNode* nodes = nullptr;  // rows x columns
  float lsb_um = 0.01f;               // of the heights
};

/// How many nodes an image's side needs.
inline std::uint32_t nodes_along(std::uint32_t pixels, std::uint32_t cell_px) {
  return (pixels - 1) / cell_px + 2;
}

/// The height in um at column u of pixel (row, col), NaN out of range, as all backends reckon it but for the rounding to
/// counts.
float height_um(const HeightModel& model, std::uint32_t row, std::uint32_t col, float u);

/// Throws std::invalid_argument saying what of the model is wrong for an image of this size.
void check(const HeightModel& model, std::uint32_t width, std::uint32_t height);

}  // namespace datum
