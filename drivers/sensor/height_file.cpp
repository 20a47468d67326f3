#include "drivers/sensor/height_file.h"

#include <algorithm>

#include "drivers/frame/frame_error.h"
#include "drivers/sensor/organised_cloud.h"
#include "drivers/sensor/stated_map.h"

namespace datum {
namespace {

Raster agreed(StatedMap&& map, const FrameSidecar& sidecar) {
  check_agreement(map, sidecar, sidecar.height_file);
  return std::move(map.raster);
}

}  // namespace

std::string lower_extension(const std::filesystem::path& path) {
  std::string e = path.extension().string();
  std::transform(e.begin(), e.end(), e.begin(),
                 [](char c) { return c >= 'A' && c <= 'Z' ? char(c - 'A' + 'a') : c; });
  return e;
}

bool needs_header(const std::string& height_file) {
  const std::string extension = lower_extension(height_file);
  const char* envi[] = {".img", ".raw", ".dat", ".bsq", ".bil", ".bip"};
  return std::any_of(std::begin(envi), std::end(envi), [&](const char* e) { return extension == e; });
}

Raster read_image(ByteView file, const std::string& name, std::uint64_t most_pixels) {
  const std::string extension = lower_extension(name);
  if (extension == ".tif" || extension == ".tiff") return read_tiff(file, name, most_pixels);
  if (extension == ".png") return read_png(file, name, most_pixels);
  throw FrameError(name + ": a sidecar's images are .tif, .tiff or .png");
}

Raster read_height_file(ByteView file, ByteView header, const FrameSidecar& sidecar,
                        const SensorProfile& profile) {
  const std::string& name = sidecar.height_file;
  const std::uint64_t most = profile.most_pixels;
  const std::string extension = lower_extension(name);
  if (extension == ".pcd") return raster_of_cloud(read_pcd(file, name, most), sidecar, profile, name);
  if (extension == ".ply") return raster_of_cloud(read_ply(file, name, most), sidecar, profile, name);
  if (extension == ".x3p") return agreed(read_x3p(file, name, most), sidecar);
  if (needs_header(name)) return agreed(read_envi(file, name, header, *sidecar.header_file, most), sidecar);
  return read_image(file, name, most);
}

}  // namespace datum
