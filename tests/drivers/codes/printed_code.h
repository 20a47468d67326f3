// A DataMatrix symbol by libzint, printed into a grey image: module size, turn, blur, noise, glare.
#pragma once

#include <zint.h>

#include <algorithm>
#include <cmath>
#include <random>
#include <stdexcept>
#include <string>
#include <vector>

#include "drivers/codes/grey_image.h"

namespace datum::testing {

struct Symbol {
  int modules = 0;
  std::vector<bool> dark;  // row by row from the upper left one
  bool at(int row, int col) const {
    return row >= 0 && col >= 0 && row < modules && col < modules &&
           dark[static_cast<std::size_t>(row * modules + col)];
  }
};

/// A square symbol with these bytes.
inline Symbol data_matrix(const std::string& bytes) {
  zint_symbol* const symbol = ZBarcode_Create();
  symbol->symbology = BARCODE_DATAMATRIX;
  symbol->input_mode = DATA_MODE;
  symbol->option_3 = DM_SQUARE;
  const int error = ZBarcode_Encode(symbol, reinterpret_cast<const unsigned char*>(bytes.data()),
                                    static_cast<int>(bytes.size()));
  if (error >= ZINT_ERROR || symbol->rows != symbol->width) {
    const std::string why = symbol->errtxt;
    ZBarcode_Delete(symbol);
    throw std::runtime_error("libzint: " + why);
  }
  Symbol made{symbol->rows, {}};
  for (int row = 0; row < made.modules; ++row)
    for (int col = 0; col < made.modules; ++col)
      made.dark.push_back((symbol->encoded_data[row][col / 8] >> (col % 8)) & 1);
  ZBarcode_Delete(symbol);
  return made;
}

struct Print {
  double module_px = 4, turn_deg = 0;
  double centre_x = 0, centre_y = 0;  // from the image's centre
  bool light_on_dark = false, mirrored = false;
  double dark = 60, light = 190;
  double blur_px = 0;   // standard deviation
  double noise = 0;     // grey values, standard deviation
  double glare_px = 0;  // radius of a saturated spot at a quarter of the symbol
  std::uint32_t seed = 1;
};

/// Prints over what is there.
inline void print(GreyImage& image, const Symbol& symbol, const Print& p) {
  const double turn = p.turn_deg * 3.14159265358979323846 / 180, half = symbol.modules / 2.0;
  constexpr int fine = 4;  // samples of a pixel each way
  for (int row = 0; row < image.rows; ++row)
    for (int col = 0; col < image.cols; ++col) {
      double sum = 0;
      bool touches = false;
      for (int s = 0; s < fine * fine; ++s) {
        const double x = col + (s % fine + 0.5) / fine - image.cols / 2.0 - p.centre_x;
        const double y = row + (s / fine + 0.5) / fine - image.rows / 2.0 - p.centre_y;
        double u = (std::cos(turn) * x + std::sin(turn) * y) / p.module_px;
        const double v = (-std::sin(turn) * x + std::cos(turn) * y) / p.module_px;
        if (p.mirrored) u = -u;
        constexpr double quiet = 2;  // modules
        touches = touches || (std::abs(u) < half + quiet && std::abs(v) < half + quiet);
        const bool dark =
            symbol.at(static_cast<int>(std::floor(v + half)), static_cast<int>(std::floor(u + half)));
        sum += dark != p.light_on_dark ? p.dark : p.light;
      }
      if (touches)
        image.grey[static_cast<std::size_t>(row * image.cols + col)] =
            static_cast<std::uint8_t>(sum / (fine * fine));
    }
}

/// Blur, noise and glare of the whole image.
inline void spoil(GreyImage& image, const Print& p) {
  std::vector<double> values(image.grey.begin(), image.grey.end());
  if (p.blur_px > 0) {
    const int reach = static_cast<int>(std::ceil(3 * p.blur_px));
    const auto pass = [&](int step_row, int step_col) {
      std::vector<double> out(values.size());
      for (int row = 0; row < image.rows; ++row)
        for (int col = 0; col < image.cols; ++col) {
          double sum = 0, weights = 0;
          for (int k = -reach; k <= reach; ++k) {
            const int r = std::clamp(row + k * step_row, 0, image.rows - 1),
                      c = std::clamp(col + k * step_col, 0, image.cols - 1);
            const double w = std::exp(-k * k / (2 * p.blur_px * p.blur_px));
            sum += w * values[static_cast<std::size_t>(r * image.cols + c)];
            weights += w;
          }
          out[static_cast<std::size_t>(row * image.cols + col)] = sum / weights;
        }
      values = std::move(out);
    };
    pass(0, 1);
    pass(1, 0);
  }
  std::mt19937 random(p.seed);
  std::normal_distribution<double> noise(0, std::max(p.noise, 1e-9));
  for (int row = 0; row < image.rows; ++row)
    for (int col = 0; col < image.cols; ++col) {
      double& v = values[static_cast<std::size_t>(row * image.cols + col)];
      v += noise(random);
      if (std::hypot(col - 0.55 * image.cols, row - 0.45 * image.rows) < p.glare_px) v = 255;
    }
  for (std::size_t i = 0; i < values.size(); ++i)
    image.grey[i] = static_cast<std::uint8_t>(std::clamp(values[i], 0.0, 255.0));
}

inline GreyImage blank(int cols, int rows, std::uint8_t grey = 190) {
  return {cols, rows, std::vector<std::uint8_t>(static_cast<std::size_t>(cols * rows), grey)};
}

/// One symbol in a picture three times as wide as it needs.
inline GreyImage printed(const std::string& bytes, const Print& p) {
  const Symbol symbol = data_matrix(bytes);
  const int side = static_cast<int>(std::ceil(2.2 * (symbol.modules + 4) * p.module_px));
  GreyImage image = blank(side, side, static_cast<std::uint8_t>(p.light_on_dark ? p.dark : p.light));
  print(image, symbol, p);
  spoil(image, p);
  return image;
}

}  // namespace datum::testing
