#include "daemon/pictures/page.h"

#include <cairo-ft.h>
#include <cairo-pdf.h>
#include <cairo-svg.h>
#include <cairo.h>

#include <algorithm>
#include <cmath>
#include <numbers>
#include <stdexcept>

#include "daemon/pictures/page_font.h"
#include "daemon/pictures/part_file.h"

namespace datum {

namespace {

template <auto free>
struct Free {
  template <class T>
  void operator()(T* handle) const {
    free(handle);
  }
};
using Surface = std::unique_ptr<cairo_surface_t, Free<cairo_surface_destroy>>;
using Context = std::unique_ptr<cairo_t, Free<cairo_destroy>>;

void check(cairo_status_t status) {
  if (status != CAIRO_STATUS_SUCCESS)
    throw std::runtime_error(std::string("cairo: ") + cairo_status_to_string(status));
}

void check_place(double x, double y) {
  if (!(std::abs(x) < 1e6 && std::abs(y) < 1e6))
    throw std::invalid_argument("picture: a coordinate is not finite or beyond 1e6");
}

void check_side(double side) {
  if (!(side >= 1 && side <= 16384))
    throw std::invalid_argument("picture: width and height must be 1 to 16384 pixels");
}

void use(cairo_t* to, Rgb c) { cairo_set_source_rgb(to, c.r / 255.0, c.g / 255.0, c.b / 255.0); }

void trace(cairo_t* to, const std::vector<PagePoint>& points) {
  cairo_new_path(to);  // a text leaves a current point
  for (const PagePoint& p : points) {
    check_place(p.x, p.y);
    cairo_line_to(to, p.x, p.y);
  }
}

std::string printable_ascii(std::string text) {
  for (char& c : text)
    if (c < ' ' || c > '~') c = '?';
  return text;
}

/// The characters that XML reserves.
std::string xml_of(const std::string& text) {
  std::string out;
  for (const char c : text) out += c == '&' ? "&amp;" : c == '<' ? "&lt;" : std::string(1, c);
  return out;
}

Surface surface_of(const PixelImage& image) {
  Surface s(cairo_image_surface_create(CAIRO_FORMAT_RGB24, image.width, image.height));
  check(cairo_surface_status(s.get()));
  cairo_surface_flush(s.get());
  unsigned char* rows = cairo_image_surface_get_data(s.get());
  const auto stride = static_cast<std::size_t>(cairo_image_surface_get_stride(s.get()));
  for (int y = 0; y < image.height; ++y) {
    auto* to = reinterpret_cast<std::uint32_t*>(rows + static_cast<std::size_t>(y) * stride);
    for (int x = 0; x < image.width; ++x) {
      const Rgb c = image.at(x, y);
      to[x] = static_cast<std::uint32_t>(c.r << 16 | c.g << 8 | c.b);
    }
  }
  cairo_surface_mark_dirty(s.get());
  return s;
}

cairo_status_t append(void* bytes, const unsigned char* data, unsigned length) {
  try {
    static_cast<std::string*>(bytes)->append(reinterpret_cast<const char*>(data), length);
    return CAIRO_STATUS_SUCCESS;
  } catch (const std::bad_alloc&) {
    return CAIRO_STATUS_NO_MEMORY;
  }
}

/// Paints a recording; finishing the surface writes its last bytes.
void replay(cairo_surface_t* recording, cairo_surface_t* target) {
  check(cairo_surface_status(target));
  Context to(cairo_create(target));
  cairo_set_source_surface(to.get(), recording, 0, 0);
  cairo_paint(to.get());
  check(cairo_status(to.get()));
}

void finish(cairo_surface_t* target) {
  cairo_surface_finish(target);
  check(cairo_surface_status(target));
}

}  // namespace

PageBox bounds_of(const std::vector<PagePoint>& points) {
  double left = 1e300, top = 1e300, right = -1e300, bottom = -1e300;
  for (const PagePoint& p : points) {
    left = std::min(left, p.x), right = std::max(right, p.x);
    top = std::min(top, p.y), bottom = std::max(bottom, p.y);
  }
  return {left, top, right - left, bottom - top};
}

PixelImage::PixelImage(int width, int height, Rgb background) : width(width), height(height) {
  check_side(width);
  check_side(height);
  pixels.assign(static_cast<std::size_t>(width) * static_cast<std::size_t>(height), background);
}

struct Page::Drawing {
  cairo_surface_t* recording;
  cairo_t* to;
  ~Drawing() {
    cairo_destroy(to);
    cairo_surface_destroy(recording);
  }
};

Page::Page(double width, double height, Rgb background) : box_{0, 0, std::ceil(width), std::ceil(height)} {
  check_side(box_.width);
  check_side(box_.height);
  const cairo_rectangle_t extent{0, 0, box_.width, box_.height};
  drawing_ = std::make_unique<Drawing>();
  drawing_->recording = cairo_recording_surface_create(CAIRO_CONTENT_COLOR, &extent);
  drawing_->to = cairo_create(drawing_->recording);
  check(cairo_status(drawing_->to));
  fill(box_, background);
}

Page::Page(Page&&) noexcept = default;
Page::~Page() = default;

void Page::fill(const PageBox& box, Rgb color) {
  check_place(box.x, box.y);
  check_place(box.right(), box.bottom());
  cairo_t* to = drawing_->to;
  use(to, color);
  cairo_rectangle(to, box.x, box.y, box.width, box.height);
  cairo_fill(to);
}

void Page::fill(const std::vector<PagePoint>& polygon, Rgb color) {
  cairo_t* to = drawing_->to;
  use(to, color);
  trace(to, polygon);
  cairo_fill(to);
}

void Page::stroke(const std::vector<PagePoint>& points, const Pen& pen, bool closed) {
  cairo_t* to = drawing_->to;
  use(to, pen.color);
  cairo_set_line_width(to, pen.width);
  const double pattern[2] = {pen.dash.on, pen.dash.off};
  cairo_set_dash(to, pattern, pen.dash.off > 0 ? 2 : 0, 0);
  trace(to, points);
  if (closed) cairo_close_path(to);
  cairo_stroke(to);
}

void Page::line(const std::vector<PagePoint>& points, const Pen& pen) { stroke(points, pen, false); }
void Page::outline(const std::vector<PagePoint>& polygon, const Pen& pen) { stroke(polygon, pen, true); }
void Page::outline(const PageBox& b, const Pen& pen) {
  stroke({{b.x, b.y}, {b.right(), b.y}, {b.right(), b.bottom()}, {b.x, b.bottom()}}, pen, true);
}
void Page::cross(PagePoint p, double half, const Pen& pen) {
  line({{p.x - half, p.y}, {p.x + half, p.y}}, pen);
  line({{p.x, p.y - half}, {p.x, p.y + half}}, pen);
}

void Page::image(const PageBox& box, const PixelImage& image) {
  check_place(box.right(), box.bottom());
  const Surface pixels = surface_of(image);
  cairo_t* to = drawing_->to;
  cairo_save(to);
  cairo_translate(to, box.x, box.y);
  cairo_scale(to, box.width / image.width, box.height / image.height);
  cairo_set_source_surface(to, pixels.get(), 0, 0);
  cairo_pattern_set_filter(cairo_get_source(to), CAIRO_FILTER_NEAREST);
  cairo_rectangle(to, 0, 0, image.width, image.height);
  cairo_fill(to);
  cairo_restore(to);
}

void Page::clipped(const PageBox& box, const std::function<void()>& draw) {
  cairo_t* to = drawing_->to;
  cairo_save(to);
  cairo_rectangle(to, box.x, box.y, box.width, box.height);
  cairo_clip(to);
  draw();
  cairo_restore(to);
}

void Page::text(PagePoint upper_left, const std::string& text, Rgb color, const Font& font) {
  check_place(upper_left.x, upper_left.y);
  const std::string shown = printable_ascii(text);
  cairo_t* to = drawing_->to;
  use(to, color);
  cairo_set_font_face(to, cairo_scaled_font_get_font_face(scaled_font(font)));
  cairo_set_font_size(to, font.size);
  cairo_set_font_options(to, font_options());
  cairo_move_to(to, upper_left.x, upper_left.y + ascent_of(font));
  cairo_show_text(to, shown.c_str());
  texts_.push_back({{upper_left.x, upper_left.y, width_of(shown, font), height_of(font)}, shown});
}

void Page::text_upwards(PagePoint upper_left, const std::string& text, Rgb color, const Font& font) {
  const double width = width_of(text, font);
  cairo_t* to = drawing_->to;
  cairo_save(to);
  cairo_translate(to, upper_left.x, upper_left.y + width);
  cairo_rotate(to, -std::numbers::pi / 2);
  this->text({0, 0}, text, color, font);
  cairo_restore(to);
  texts_.back().box = {upper_left.x, upper_left.y, height_of(font), width};
}

double Page::width_of(const std::string& text, const Font& font) {
  cairo_text_extents_t extents;
  cairo_scaled_font_text_extents(scaled_font(font), printable_ascii(text).c_str(), &extents);
  return extents.x_advance;
}

double Page::height_of(const Font& font) { return ascent_of(font) + descent_of(font); }

PixelImage Page::pixels() const {
  PixelImage out(static_cast<int>(box_.width), static_cast<int>(box_.height), {});
  const Surface drawn = surface_of(out);
  replay(drawing_->recording, drawn.get());
  cairo_surface_flush(drawn.get());
  const unsigned char* rows = cairo_image_surface_get_data(drawn.get());
  const auto stride = static_cast<std::size_t>(cairo_image_surface_get_stride(drawn.get()));
  for (int y = 0; y < out.height; ++y) {
    const auto* from = reinterpret_cast<const std::uint32_t*>(rows + static_cast<std::size_t>(y) * stride);
    for (int x = 0; x < out.width; ++x)
      out.set(x, y,
              {static_cast<std::uint8_t>(from[x] >> 16), static_cast<std::uint8_t>(from[x] >> 8),
               static_cast<std::uint8_t>(from[x])});
  }
  return out;
}

std::string picture_name_fault(const std::string& file) {
  if (file.ends_with(".png") || file.ends_with(".svg") || file.ends_with(".pdf")) return "";
  return "picture '" + file + "': give a name that ends in .png, .svg or .pdf";
}

void Page::write(const std::filesystem::path& file, const std::string& time) const {
  if (const std::string fault = picture_name_fault(file.string()); !fault.empty())
    throw std::invalid_argument(fault);
  PartFile out(file);
  try {
    std::string bytes;
    cairo_surface_t* recording = drawing_->recording;
    if (file.extension() == ".png") {
      const Surface target(cairo_image_surface_create(CAIRO_FORMAT_RGB24, static_cast<int>(box_.width),
                                                      static_cast<int>(box_.height)));
      replay(recording, target.get());
      check(cairo_surface_write_to_png_stream(target.get(), append, &bytes));
    } else if (file.extension() == ".pdf") {
      const Surface target(cairo_pdf_surface_create_for_stream(append, &bytes, box_.width, box_.height));
      // Without a date of its own cairo writes the present time.
      cairo_pdf_surface_set_metadata(target.get(), CAIRO_PDF_METADATA_CREATE_DATE,
                                     time.empty() ? "1970-01-01T00:00:00Z" : time.c_str());
      replay(recording, target.get());
      finish(target.get());
    } else {
      const Surface target(cairo_svg_surface_create_for_stream(append, &bytes, box_.width, box_.height));
      replay(recording, target.get());
      finish(target.get());
      // cairo draws letters as paths; <desc> keeps the texts for search and for readers of screens.
      std::string texts;
      for (const Text& t : texts_) texts += xml_of(t.text) + "\n";
      const auto tag = bytes.find('>', bytes.find("<svg"));
      bytes.insert(tag + 1, "\n<desc>" + texts + "</desc>");
    }
    out.write(bytes);
  } catch (const std::runtime_error& error) {
    throw std::runtime_error(file.string() + ": " + error.what());
  }
  out.finish();
}

}  // namespace datum
