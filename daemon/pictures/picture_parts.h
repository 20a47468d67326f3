// What all pictures share: colours and symbols of decisions, a header, axes in mm, text that is broken into lines.
#pragma once

#include <string>
#include <vector>

#include "daemon/inspection/verdict/verdict.h"
#include "daemon/pictures/page.h"

namespace datum {

/// Of symbols, lines and badges: dark enough for white paper, and different in lightness for any colour vision.
Rgb color_of(Decision decision);

namespace picture {

inline constexpr Rgb paper{255, 255, 255}, ink{24, 26, 30};
inline constexpr Font small{11}, heading{15, true};
inline constexpr double margin = 16;

/// Outlines differ in width and dash too: PASS thin, FAIL thick, INCONCLUSIVE dashed, INVALID dotted.
Pen pen_of(Decision decision);
/// White below its colour, so that a line is seen on every colour of a map.
void draw_cased(Page& page, const std::vector<PagePoint>& polygon, const Pen& pen);

/// A tick (PASS), a cross (FAIL), a question mark (INCONCLUSIVE), a crossed diamond (INVALID) within a square of `size`.
void draw_symbol(Page& page, PagePoint upper_left, double size, Decision decision, Rgb color);

/// Joins words by two blanks into lines of at most `width`.
std::vector<std::string> wrap(const std::vector<std::string>& words, double width, const Font& font = {});
/// Breaks a text at its blanks.
std::vector<std::string> break_lines(const std::string& text, double width, const Font& font);
std::string cut(const std::string& text, double width, const Font& font);

/// Symbol and word of the decision on their colour, a title, and lines of words beside them.
struct Header {
  Decision decision;
  std::string title;
  std::vector<std::string> words;
};
/// A whole number, so that pixels of a map below it are whole.
double header_height(const Header& header, double width);
void draw_header(Page& page, const PageBox& box, const Header& header);

/// Recipe, unit, result, time, sensor, calibration, frame and code, as far as the verdict has them.
std::vector<std::string> words_of(const BoardVerdict& verdict);

/// Room of the axes beside a map.
inline constexpr double axis_left = 54, axis_below = 44;
/// Border, ticks in mm and arrows of a right-handed map whose lower left corner lies at (left_mm, bottom_mm); below it a scale bar.
void draw_axes(Page& page, const PageBox& map, double left_mm, double bottom_mm, double mm_per_px,
               const std::string& system);
/// A bar of a round length, `most` at most, its text right of it.
void draw_scale_bar(Page& page, PagePoint left, double most, double mm_per_px, const Font& font);
/// An arrow with its name beyond its tip.
void draw_arrow(Page& page, PagePoint from, PagePoint to, const std::string& name);

/// Symbol, word and number of each decision among the components.
void draw_counts(Page& page, PagePoint upper_left, const BoardVerdict& verdict);

}  // namespace picture
}  // namespace datum
