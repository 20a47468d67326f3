#include <fmt/format.h>
#include <png.h>

#include <bit>
#include <csetjmp>
#include <cstring>
#include <vector>

#include "drivers/frame/frame_error.h"
#include "drivers/sensor/raster.h"

namespace datum {
namespace {

// libpng reports an error by longjmp, which skips destructors. Functions that it may leave (read_info,
// read_rows) hold plain values only; owners of memory live outside them.
class PngDecoder {
 public:
  explicit PngDecoder(ByteView file) : file_(file) {
    png_ = png_create_read_struct(PNG_LIBPNG_VER_STRING, this, on_error, on_warning);
    if (png_) info_ = png_create_info_struct(png_);
  }
  ~PngDecoder() { png_destroy_read_struct(&png_, &info_, nullptr); }
  PngDecoder(const PngDecoder&) = delete;
  PngDecoder& operator=(const PngDecoder&) = delete;

  bool read_info();
  bool read_rows(png_bytepp rows);

  png_uint_32 rows = 0, cols = 0;
  int bits = 0, colour = 0;
  const char* message() const { return message_; }
  std::size_t left() const { return file_.size() - at_; }

 private:
  static void on_error(png_structp png, png_const_charp text) {
    auto* self = static_cast<PngDecoder*>(png_get_error_ptr(png));
    std::strncpy(self->message_, text, sizeof self->message_ - 1);
    std::longjmp(png_jmpbuf(png), 1);
  }
  static void on_warning(png_structp, png_const_charp) {}
  static void on_read(png_structp png, png_bytep to, std::size_t size) {
    auto* self = static_cast<PngDecoder*>(png_get_io_ptr(png));
    if (size > self->left()) png_error(png, "the file ends too early");
    std::memcpy(to, self->file_.data() + self->at_, size);
    self->at_ += size;
  }

  ByteView file_;
  std::size_t at_ = 0;
  png_structp png_ = nullptr;
  png_infop info_ = nullptr;
  char message_[160] = "out of memory";
};

bool PngDecoder::read_info() {
  if (!info_ || setjmp(png_jmpbuf(png_))) return false;
  png_set_read_fn(png_, this, on_read);
  png_set_user_limits(png_, 1 << 20, 1 << 20);
  png_set_chunk_cache_max(png_, 1);  // no texts: a thousand of them may expand to 8 MB each
  png_read_info(png_, info_);
  rows = png_get_image_height(png_, info_);
  cols = png_get_image_width(png_, info_);
  bits = png_get_bit_depth(png_, info_);
  colour = png_get_color_type(png_, info_);
  return true;
}

bool PngDecoder::read_rows(png_bytepp row_pointers) {
  if (setjmp(png_jmpbuf(png_))) return false;
  if (bits == 16 && std::endian::native == std::endian::little) png_set_swap(png_);
  png_set_interlace_handling(png_);
  png_read_update_info(png_, info_);
  png_read_image(png_, row_pointers);
  png_read_end(png_, nullptr);
  return true;
}

Samples samples_of(const PngDecoder& png) {
  const std::size_t n = std::size_t{png.rows} * png.cols;
  if (png.bits == 16) return std::vector<std::uint16_t>(n);
  return std::vector<std::uint8_t>(n);
}

}  // namespace

Raster read_png(ByteView file, const std::string& name, std::uint64_t most_pixels) {
  const auto refuse = [&](const std::string& what) { throw FrameError(fmt::format("{}: {}", name, what)); };
  PngDecoder png(file);
  if (!png.read_info()) refuse(fmt::format("is not a readable PNG file: {}", png.message()));
  if (png.colour != PNG_COLOR_TYPE_GRAY || png.bits < 8) {
    refuse(fmt::format("{} bits of colour type {}; grey (0) of 8 or 16 bits is read", png.bits, png.colour));
  }
  check_raster_size(png.rows, png.cols, static_cast<unsigned>(png.bits / 8), file.size(), name, most_pixels);
  Raster raster{static_cast<int>(png.rows), static_cast<int>(png.cols), samples_of(png)};
  std::vector<png_bytep> rows(png.rows);
  std::visit(
      [&](auto& samples) {
        for (std::size_t r = 0; r < rows.size(); ++r)
          rows[r] = reinterpret_cast<png_bytep>(&samples[r * png.cols]);
      },
      raster.samples);
  if (!png.read_rows(rows.data())) refuse(fmt::format("its image data are damaged: {}", png.message()));
  if (png.left() != 0)
    refuse(fmt::format("{} bytes follow the end of the image; the file is damaged", png.left()));
  return raster;
}

}  // namespace datum
