// The font of pictures: DejaVu Sans from Debian's fonts-dejavu-core, read by FreeType without fontconfig, so that no
// configuration, cache or home folder is needed.
#pragma once

#include <cairo.h>

#include "daemon/pictures/page.h"

namespace datum {

/// Kept for the life of the process; usable from any thread. Throws std::runtime_error that names the file and its package.
cairo_scaled_font_t* scaled_font(const Font& font);
/// Unhinted glyphs at their exact widths: a text fills the same box in PNG, SVG and PDF.
const cairo_font_options_t* font_options();
/// In pixels.
double ascent_of(const Font& font);
double descent_of(const Font& font);

}  // namespace datum
