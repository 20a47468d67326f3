// Elements of a picture, each drawn into its own box.
#pragma once

#include <string>
#include <vector>

#include "daemon/inspection/recipe/recipe.h"
#include "daemon/inspection/verdict/verdict.h"
#include "daemon/pictures/canvas.h"
#include "daemon/pictures/picture_map.h"

namespace datum::picture {

inline constexpr Rgb paper{24, 26, 30}, ink{235, 235, 235}, no_height{128, 128, 128}, halo{0, 0, 0};
inline constexpr int text_scale = 2;

/// Heights at the ends of the colour bar.
struct Stretch {
  double low_um = 0, high_um = 1;
};
/// Nearest-rank quantiles of the heights; 0..1 um without heights, at least 1 um wide.
Stretch stretch_of(const HeightImage& image, double low, double high);
Rgb height_color(double um, const Stretch& stretch);

/// The largest of 1, 2 or 5 times a power of ten that does not exceed `limit`.
double round_step(double limit);

void draw_heights(Canvas& canvas, const HeightImage& image, const Stretch& stretch, int left, int top);
void draw_color_bar(Canvas& canvas, const PixelBox& box, const Stretch& stretch);
/// Scale bar at the left, counts of the verdicts at the right, one line about the colours below.
void draw_footer(Canvas& canvas, const PixelBox& box, const BoardVerdict& verdict, double mm_per_px,
                 const std::string& colours);

/// Outlines of rings, components and references; `map_box` is the box of the heights.
void draw_components(Canvas& canvas, const PixelBox& map_box, const PictureMap& map, const Recipe& recipe,
                     const BoardVerdict& verdict);

/// Joins words by two blanks into lines of at most `width` pixels.
std::vector<std::string> wrap(const std::vector<std::string>& words, int width);

}  // namespace datum::picture
