// A page of a picture: shapes, height maps and text in real fonts, written as PNG, SVG or PDF by cairo.
#pragma once

#include <array>
#include <filesystem>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "daemon/pictures/color_map.h"

namespace datum {

/// Page coordinates: pixels of a PNG, points of a PDF; x right, y down, (0, 0) is the upper left corner of the page.
struct PagePoint {
  double x = 0, y = 0;
};

struct PageBox {
  double x = 0, y = 0, width = 0, height = 0;
  double right() const { return x + width; }
  double bottom() const { return y + height; }
  PagePoint middle() const { return {x + width / 2, y + height / 2}; }
  PageBox grown(double by) const { return {x - by, y - by, width + 2 * by, height + 2 * by}; }
  bool overlaps(const PageBox& o) const {
    return x < o.right() && o.x < right() && y < o.bottom() && o.y < bottom();
  }
  bool within(const PageBox& o) const {
    return x >= o.x && y >= o.y && right() <= o.right() && bottom() <= o.bottom();
  }
};
PageBox bounds_of(const std::vector<PagePoint>& points);

/// Dash pattern of a line: `on` drawn, `off` left out; off = 0: solid.
struct Dash {
  double on = 1, off = 0;
};
struct Pen {
  Rgb color;
  double width = 1;
  Dash dash = {};
};

struct Font {
  double size = 13;
  bool bold = false;
};

/// Row-major pixels, row 0 at the top.
struct PixelImage {
  int width = 0, height = 0;
  std::vector<Rgb> pixels;
  PixelImage() = default;
  /// Throws std::invalid_argument for a side outside of 1..16384.
  PixelImage(int width, int height, Rgb background);
  Rgb at(int x, int y) const { return pixels.at(index(x, y)); }
  void set(int x, int y, Rgb color) { pixels.at(index(x, y)) = color; }

 private:
  std::size_t index(int x, int y) const {
    return static_cast<std::size_t>(y) * static_cast<std::size_t>(width) + static_cast<std::size_t>(x);
  }
};

/// Its members throw std::runtime_error where cairo fails or the font is not installed. Coordinates must be finite and
/// below 1e6, else std::invalid_argument. A page is used by one thread at a time; pages of several threads are independent.
class Page {
 public:
  /// Sides are rounded up to whole numbers. Throws std::invalid_argument for a side outside of 1..16384.
  Page(double width, double height, Rgb background);
  Page(Page&&) noexcept;
  ~Page();

  PageBox box() const { return box_; }
  void fill(const PageBox& box, Rgb color);
  void fill(const std::vector<PagePoint>& polygon, Rgb color);
  void line(const std::vector<PagePoint>& points, const Pen& pen);
  void outline(const std::vector<PagePoint>& polygon, const Pen& pen);
  void outline(const PageBox& box, const Pen& pen);
  /// For a map's places.
  void cross(PagePoint middle, double half, const Pen& pen);
  /// Each pixel of the image becomes a rectangle of `box`.
  void image(const PageBox& box, const PixelImage& image);
  /// What `draw` draws appears within the box alone.
  void clipped(const PageBox& box, const std::function<void()>& draw);
  /// The text's box is width_of() wide and height_of() high. Printable ASCII; other characters become '?'.
  void text(PagePoint upper_left, const std::string& text, Rgb color, const Font& font = {});
  /// The same, turned a quarter to the left, so that it is read from below; `upper_left` is of the turned box.
  void text_upwards(PagePoint upper_left, const std::string& text, Rgb color, const Font& font = {});

  static double width_of(const std::string& text, const Font& font = {});
  static double height_of(const Font& font = {});

  struct Text {
    PageBox box;
    std::string text;
  };
  const std::vector<Text>& texts() const { return texts_; }
  PixelImage pixels() const;

  /// The format by the file's ending: .png, .svg or .pdf, else std::invalid_argument. `time` is the PDF's date, ISO 8601; empty:
  /// none. An SVG has its texts as <desc>, a PDF as text. Equal pages give equal bytes on the same machine. Replaces the file
  /// atomically; throws std::runtime_error that names it.
  void write(const std::filesystem::path& file, const std::string& time = "") const;

 private:
  struct Drawing;
  void stroke(const std::vector<PagePoint>& points, const Pen& pen, bool closed);
  PageBox box_;
  std::vector<Text> texts_;
  std::unique_ptr<Drawing> drawing_;
};

/// Names the allowed endings unless Page::write() knows the format of this file; empty where it does.
std::string picture_name_fault(const std::string& file);

}  // namespace datum
