#include "drivers/sensor/raster.h"

#include <fmt/format.h>

#include "drivers/frame/frame_error.h"

namespace datum {

void check_raster_size(std::uint64_t rows, std::uint64_t cols, unsigned sample_bytes, std::size_t file_bytes,
                       const std::string& name, std::uint64_t most_pixels) {
  constexpr std::uint64_t max_side = 1 << 20;
  if (rows == 0 || cols == 0)
    throw FrameError(fmt::format("{}: the image is empty ({} x {})", name, rows, cols));
  if (rows > max_side || cols > max_side || rows * cols > most_frame_pixels) {
    throw FrameError(fmt::format("{}: {} rows x {} columns; at most 2^20 each and 2^28 together are read",
                                 name, rows, cols));
  }
  if (rows * cols > most_pixels) {
    throw FrameError(
        fmt::format("{}: {} rows x {} columns; at most {} million pixels are read; where the sensor's frames "
                    "are larger, raise sensor.max_frame_mpix",
                    name, rows, cols, static_cast<double>(most_pixels) / 1e6));
  }
  if (rows * cols * sample_bytes / 4096 > file_bytes) {
    throw FrameError(
        fmt::format("{}: {} rows x {} columns can't come from {} bytes; the file is truncated or damaged",
                    name, rows, cols, file_bytes));
  }
}

}  // namespace datum
