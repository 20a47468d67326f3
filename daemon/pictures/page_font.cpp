#include "daemon/pictures/page_font.h"

#include <cairo-ft.h>
#include <ft2build.h>

#include <map>
#include <mutex>
#include <stdexcept>
#include FT_FREETYPE_H

namespace datum {
namespace {

cairo_font_face_t* load(const char* file) {
  static FT_Library library = [] {
    FT_Library made = nullptr;
    if (FT_Init_FreeType(&made) != 0) throw std::runtime_error("FreeType can't start");
    return made;
  }();
  FT_Face face = nullptr;
  if (FT_New_Face(library, file, 0, &face) != 0)
    throw std::runtime_error(std::string(file) + ": can't be read; install the package fonts-dejavu-core");
  return cairo_ft_font_face_create_for_ft_face(face, 0);
}

cairo_scaled_font_t* make(const Font& font) {
  static cairo_font_face_t* const regular = load("/usr/share/fonts/truetype/dejavu/DejaVuSans.ttf");
  static cairo_font_face_t* const bold = load("/usr/share/fonts/truetype/dejavu/DejaVuSans-Bold.ttf");
  cairo_matrix_t size, page;
  cairo_matrix_init_scale(&size, font.size, font.size);
  cairo_matrix_init_identity(&page);
  cairo_scaled_font_t* made =
      cairo_scaled_font_create(font.bold ? bold : regular, &size, &page, font_options());
  if (cairo_scaled_font_status(made) != CAIRO_STATUS_SUCCESS)
    throw std::runtime_error("the font DejaVu Sans can't be used");
  return made;
}

cairo_font_extents_t extents_of(const Font& font) {
  cairo_font_extents_t extents;
  cairo_scaled_font_extents(scaled_font(font), &extents);
  return extents;
}

}  // namespace

const cairo_font_options_t* font_options() {
  static const cairo_font_options_t* const options = [] {
    cairo_font_options_t* made = cairo_font_options_create();
    cairo_font_options_set_hint_style(made, CAIRO_HINT_STYLE_NONE);
    cairo_font_options_set_hint_metrics(made, CAIRO_HINT_METRICS_OFF);
    cairo_font_options_set_antialias(made, CAIRO_ANTIALIAS_GRAY);
    return made;
  }();
  return options;
}

cairo_scaled_font_t* scaled_font(const Font& font) {
  static std::mutex mutex;
  static std::map<std::pair<double, bool>, cairo_scaled_font_t*> fonts;
  const std::lock_guard lock(mutex);
  cairo_scaled_font_t*& found = fonts[{font.size, font.bold}];
  if (!found) found = make(font);
  return found;
}

double ascent_of(const Font& font) { return extents_of(font).ascent; }
double descent_of(const Font& font) { return extents_of(font).descent; }

}  // namespace datum
