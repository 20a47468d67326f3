#include "daemon/ctl/frame_image.h"

#include <fmt/format.h>

#include <cmath>
#include <limits>
#include <type_traits>

#include "drivers/frame/frame_error.h"
#include "drivers/sensor/height_file.h"
#include "drivers/sensor/organised_cloud.h"
#include "drivers/sensor/sidecar_table.h"

namespace datum {
namespace {

namespace fs = std::filesystem;

constexpr std::size_t most_bytes = std::size_t{1} << 31;

/// The straight line through place over index, by least squares, rounded to six digits: a grid's step is a round number.
std::optional<AxisScale> grid_axis(const std::vector<float>& places, std::size_t cols, bool of_columns) {
  double n = 0, sum_i = 0, sum_p = 0, sum_ii = 0, sum_ip = 0;
  for (std::size_t at = 0; at < places.size(); ++at) {
    const double place = places[at], index = static_cast<double>(of_columns ? at % cols : at / cols);
    if (!std::isfinite(place)) continue;
    n += 1;
    sum_i += index;
    sum_p += place;
    sum_ii += index * index;
    sum_ip += index * place;
  }
  const double spread = n * sum_ii - sum_i * sum_i;
  if (!(spread > 0)) return std::nullopt;
  const double step = (n * sum_ip - sum_i * sum_p) / spread, first = (sum_p - step * sum_i) / n;
  const auto rounded = [](double value) { return std::stod(fmt::format("{:.6g}", value)); };
  return AxisScale{rounded(step), std::abs(first) < 1e-4 * std::abs(step) ? 0 : rounded(first)};
}

StatedMap map_of(OrganisedCloud&& cloud) {
  StatedMap map;
  const auto cols = static_cast<std::size_t>(cloud.cols);
  map.x = grid_axis(cloud.x, cols, true);
  map.y = grid_axis(cloud.y, cols, false);
  map.z = AxisScale{1, 0};
  map.invalid = std::numeric_limits<double>::quiet_NaN();
  map.raster = {cloud.rows, cloud.cols, std::move(cloud.z)};
  return map;
}

/// NAME.hdr or NAME.img.hdr.
fs::path header_beside(const fs::path& file) {
  fs::path stem = file, whole = file;
  stem.replace_extension(".hdr");
  whole += ".hdr";
  std::error_code ignored;
  if (fs::exists(stem, ignored)) return stem;
  if (fs::exists(whole, ignored)) return whole;
  throw FrameError(fmt::format("{}: ENVI data need their header beside them: {}", file.filename().string(),
                               stem.filename().string()));
}

}  // namespace

FrameImage frame_image_of(const fs::path& file) {
  const std::string name = file.filename().string(), extension = lower_extension(file);
  const HeightFormat* format = height_format_of(name);
  FrameImage image;
  image.format = format ? format->name : "";
  const Bytes bytes = read_bytes(link_followed(file), most_bytes);
  image.sha256 = sha256_hex({bytes});
  if (needs_header(name)) {
    image.header = header_beside(file);
    const Bytes header = read_bytes(link_followed(image.header), max_sidecar_bytes);
    image.map = read_envi(bytes, name, header, image.header.filename().string());
  } else if (extension == ".pcd" || extension == ".ply") {
    image.is_cloud = true;
    image.map = map_of(extension == ".pcd" ? read_pcd(bytes, name) : read_ply(bytes, name));
  } else if (extension == ".x3p") {
    image.map = read_x3p(bytes, name);
  } else {
    image.map.raster = read_image(bytes, name);
  }
  return image;
}

SampleRange range_of(const Raster& raster) {
  SampleRange range;
  std::visit(
      [&](const auto& samples) {
        using Sample = typename std::decay_t<decltype(samples)>::value_type;
        range.is_float = std::is_floating_point_v<Sample>;
        range.type = fmt::format("{}-bit {}", 8 * sizeof(Sample),
                                 range.is_float               ? "floats"
                                 : std::is_unsigned_v<Sample> ? "unsigned integers"
                                                              : "integers");
        range.samples = samples.size();
        bool any = false;
        for (const Sample sample : samples) {
          const auto value = static_cast<double>(sample);
          if (std::isnan(value)) {
            ++range.not_numbers;
            continue;
          }
          if (!any || value < range.least) range.least = value, range.at_least = 0;
          if (!any || value > range.most) range.most = value, range.at_most = 0;
          any = true;
          range.at_least += value == range.least;
          range.at_most += value == range.most;
        }
      },
      raster.samples);
  return range;
}

}  // namespace datum
