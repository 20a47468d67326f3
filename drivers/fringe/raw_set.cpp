#include "drivers/fringe/raw_set.h"

#include <fmt/format.h>

#include <algorithm>
#include <system_error>
#include <type_traits>

#include "drivers/frame/frame_error.h"
#include "drivers/sensor/frame_parser.h"
#include "drivers/sensor/height_file.h"
#include "drivers/sensor/sidecar.h"

namespace datum {
namespace {

namespace fs = std::filesystem;

/// Twice the size of such a 16-bit image, and headers.
std::size_t most_image_bytes(std::uint64_t pixels) { return 4 * pixels + (std::size_t{1} << 20); }

[[noreturn]] void refuse(const std::string& name, const std::string& what) {
  throw FrameError(fmt::format("{}: {}", name, what));
}

Bytes read_announced(const fs::path& sidecar, const SetImage& image, std::uint64_t most_pixels) {
  const fs::path path = sidecar.parent_path() / image.name;
  std::error_code ignored;
  if (!fs::exists(path, ignored))
    refuse(image.name,
           fmt::format(
               "is not beside its sidecar {}; the set is not complete: deliver every image, the sidecar last",
               sidecar.filename().string()));
  return read_bytes(path, most_image_bytes(most_pixels));
}

Raster decoded(const Bytes& bytes, const SetImage& image, std::uint64_t most_pixels,
               const FrameParser* parser) {
  const auto check_sum = [&] {
    if (sha256_hex({bytes}) != image.sha256)
      refuse(image.name,
             "its SHA-256 differs from the sidecar's; it is truncated, damaged, or of another board's set");
  };
  return image_by(parser, bytes, image.name, most_pixels, check_sum);
}

void check_alike(const RawSet& set, const Raster& image, std::size_t first_kind, const SetImage& which) {
  const SetImage& first = set.sidecar.images.front();
  if (image.rows != set.rows || image.cols != set.cols)
    refuse(which.name, fmt::format("has {} rows x {} columns, {} has {} x {}; one camera takes a whole set",
                                   image.rows, image.cols, first.name, set.rows, set.cols));
  if (image.samples.index() != first_kind)
    refuse(which.name, fmt::format("has another depth than {}; one camera takes a whole set", first.name));
}

template <class Grey>
void append(std::vector<Grey>& all, const std::vector<Grey>& image, int most, const std::string& name) {
  const auto worst = std::max_element(image.begin(), image.end());
  if (worst != image.end() && *worst > most)
    refuse(name,
           fmt::format(
               "has a pixel of {}, above the profile's fringe.camera_maximum {}; correct the one that is "
               "wrong",
               *worst, most));
  all.insert(all.end(), image.begin(), image.end());
}

}  // namespace

RawSet read_raw_set(const fs::path& file, const FringeSettings& settings, std::uint64_t most_pixels,
                    const FrameParser* parser) {
  RawSet set;
  set.source = file.filename().string();
  set.sidecar = parse_set_sidecar(read_bytes(file, max_sidecar_bytes), set.source, settings);
  std::string sums;
  std::size_t kind = 0;
  for (const SetImage& which : set.sidecar.images) {
    const Raster image = decoded(read_announced(file, which, most_pixels), which, most_pixels, parser);
    if (set.rows == 0) {
      set.rows = image.rows;
      set.cols = image.cols;
      kind = image.samples.index();
      if (std::holds_alternative<std::vector<std::uint16_t>>(image.samples))
        set.grey = std::vector<std::uint16_t>();
    }
    check_alike(set, image, kind, which);
    std::visit(
        [&](const auto& samples) {
          using Grey = typename std::decay_t<decltype(samples)>::value_type;
          if constexpr (std::is_same_v<Grey, std::uint8_t> || std::is_same_v<Grey, std::uint16_t>)
            append(std::get<std::vector<Grey>>(set.grey), samples, settings.camera_maximum, which.name);
          else
            refuse(which.name, "has signed or real samples; grey of 8 or 16 bits is read");
        },
        image.samples);
    sums += which.sha256 + "\n";
  }
  // Each file was verified against its checksum, so the checksums represent the bytes.
  set.content_sha256 =
      sha256_hex({ByteView(reinterpret_cast<const std::uint8_t*>(sums.data()), sums.size())});
  return set;
}

}  // namespace datum
