#include "drivers/sensor/sidecar_delivery.h"

#include <fmt/format.h>

#include <algorithm>
#include <optional>
#include <system_error>
#include <utility>

#include "drivers/frame/frame_error.h"
#include "drivers/sensor/frame_parser.h"
#include "drivers/sensor/frame_pass.h"
#include "drivers/sensor/height_file.h"
#include "drivers/sensor/plain_tiff.h"
#include "drivers/sensor/raster_frame.h"
#include "drivers/sensor/stated_map.h"
#include "gpu/core/parallel_for.h"

namespace datum {
namespace {

namespace fs = std::filesystem;

/// Size limit from the profile's largest frame: 4 bytes a pixel in a .ptr file, three printed numbers of 21
/// characters in a cloud, otherwise a real of 8 bytes or a printed one of 15 digits; 1 MiB of headers. At
/// most 2 GiB.
std::size_t most_bytes(const std::string& name, const SensorProfile& profile) {
  const std::string extension = lower_extension(name);
  const bool is_cloud = extension == ".pcd" || extension == ".ply";
  const std::uint64_t of_a_pixel = extension == ".ptr" ? 4 : is_cloud ? 64 : 16;
  return std::min(of_a_pixel * profile.most_pixels + (std::uint64_t{1} << 20), std::uint64_t{1} << 31);
}

[[noreturn]] void refuse_delivery(const std::string& name, const std::string& what) {
  throw FrameError(fmt::format("{}: {}", name, what));
}

DeliveredFile open_announced(const fs::path& sidecar, const std::string& name, const SensorProfile& profile) {
  const fs::path path = sidecar.parent_path() / name;
  std::error_code ignored;
  if (!fs::exists(path, ignored))
    refuse_delivery(name, fmt::format("is not beside its sidecar {}; deliver the sidecar last",
                                      sidecar.filename().string()));
  return open_heights(path, name, profile);
}

/// A sidecar and the files that it names.
struct Described {
  const FrameSidecar& sidecar;
  const Bytes& text;  // of the sidecar
  const std::string text_name;
  const DeliveredFile& heights;
  const SensorProfile& profile;
  Bytes header{}, grey{};

  const std::string& name() const { return sidecar.height_file; }
  const ReadSettings& settings() const { return profile.reading; }
};

/// What the identity is computed from.
struct HeightHash {
  HashedPart part;  // HashScheme::tree
  Bytes bytes;      // HashScheme::sha256
};

/// Where the samples lie in a file that this process reads itself; none: another reader's file.
std::optional<StoredImage> image_in(const ByteSource& file, const Described& d) {
  const std::string extension = lower_extension(d.name());
  std::optional<StoredImage> image;
  if (extension == ".tif" || extension == ".tiff") {
    image = plain_tiff_image(file, d.profile.most_pixels);
  } else if (needs_header(d.name())) {
    EnviMap map = envi_map(file.size(), d.name(), d.header, *d.sidecar.header_file, d.profile.most_pixels);
    check_agreement(map.stated, d.sidecar, d.name());
    image = std::move(map.image);
  }
  return image && image->is_in_order() ? std::move(image) : std::nullopt;
}

/// Reads a frame from an uncompressed image in one pass. None: the file must be read whole first, and its
/// reader says what is wrong with it.
std::optional<HeightHash> pass_over_heights(const Described& d, DeliveredFrame& to) {
  if (d.settings().scheme != HashScheme::tree) return std::nullopt;
  const RecordedBytes described(d.heights);
  std::optional<StoredImage> image;
  std::unique_ptr<PixelPass> pixels;
  HeightFrame frame;
  try {
    image = image_in(described, d);
    if (!image) return std::nullopt;
    frame = frame_of_sidecar(d.sidecar, image->rows, image->cols, d.name());
    make_room(frame, image->as, d.settings());
    pixels = pixel_pass(frame, image->as, image->big_endian,
                        {d.sidecar.invalid, &d.profile, d.sidecar.handedness == Handedness::left}, d.name());
  } catch (const FrameError&) {
    return std::nullopt;
  }
  const bool is_summed = !d.sidecar.height_sha256.empty();
  PassedFile passed = pass_over(d.heights, described, *image, *pixels, d.settings(), is_summed);
  if (is_summed)
    to.sum =
        std::make_shared<StatedSum>(std::move(passed.bytes), d.sidecar.height_sha256, d.name(), d.settings());
  pixels->finish();
  to.frame = std::move(frame);
  to.pixels_accepted = true;
  return HeightHash{std::move(passed.hash), {}};
}

/// `meanwhile` examines the same bytes; its error takes precedence over the reader's.
Raster raster_of(const Bytes& heights, const Described& d, const FrameParser::Meanwhile& meanwhile) {
  std::optional<Raster> plain = plain_image(heights, d.name(), d.profile.most_pixels);
  if (!plain && d.profile.parser && !needs_header(d.name()))
    return d.profile.parser->heights(heights, d.text, d.text_name, d.profile, meanwhile);
  meanwhile();
  return plain ? *std::move(plain) : read_height_file(heights, d.header, d.sidecar, d.profile);
}

HeightHash read_heights_whole(const Described& d, DeliveredFrame& to) {
  HeightHash hash;
  hash.bytes = bytes_of(d.heights, d.settings());
  const bool is_tree = d.settings().scheme == HashScheme::tree;
  Raster raster = raster_of(hash.bytes, d, [&] {
    if (!d.sidecar.height_sha256.empty())
      check_sum(d.name(), sha256_hex({hash.bytes}), d.sidecar.height_sha256);
    if (is_tree) hash.part = hashed_part({hash.bytes}, d.settings().threads);
  });
  to.frame = frame_from_raster(std::move(raster), d.sidecar, d.name(), d.settings().threads);
  if (is_tree && d.settings().buffers) d.settings().buffers->give(std::move(hash.bytes));
  return hash;
}

void read_intensity(const fs::path& path, Described& d, DeliveredFrame& to) {
  const std::string& name = *d.sidecar.intensity_file;
  d.grey = bytes_of(open_announced(path, name, d.profile), d.settings());
  to.frame.intensity =
      intensity_from_raster(image_by(d.profile.parser.get(), d.grey, name, d.profile.most_pixels,
                                     [&] {
                                       if (!d.sidecar.intensity_sha256.empty())
                                         check_sum(name, sha256_hex({d.grey}), d.sidecar.intensity_sha256);
                                     }),
                            name);
}

/// Where there are other files beside the heights, each of the three has its part, empty or not.
std::string identity_of_delivery(const HeightHash& hash, const Described& d) {
  const bool is_alone = d.grey.empty() && d.header.empty();
  if (d.settings().scheme == HashScheme::sha256)
    return is_alone ? sha256_hex({hash.bytes}) : sha256_hex({hash.bytes, d.grey, d.header});
  if (is_alone) return tree_identity({hash.part});
  const unsigned threads = d.settings().threads;
  return tree_identity({hash.part, hashed_part({d.grey}, threads), hashed_part({d.header}, threads)});
}

}  // namespace

DeliveredFile open_heights(const fs::path& path, const std::string& name, const SensorProfile& profile) {
  const std::size_t most = most_bytes(name, profile);
  std::error_code error;
  const auto size = fs::file_size(path, error);
  if (!error && size > most)
    refuse_delivery(
        name, fmt::format("has {} bytes; a frame of {} million pixels has at most {} in this format; where "
                          "the sensor's frames are larger, raise sensor.max_frame_mpix",
                          size, static_cast<double>(profile.most_pixels) / 1e6, most));
  return DeliveredFile(path, most);
}

Bytes bytes_of(const DeliveredFile& file, const ReadSettings& settings) {
  Bytes bytes = settings.buffers ? settings.buffers->bytes(file.size()) : Bytes(file.size());
  parallel_for(settings.threads, leaves_of(file.size()), [&](std::size_t i, unsigned) {
    const std::uint64_t at = i * hash_leaf_bytes;
    file.read(at, bytes.data() + at, std::min<std::uint64_t>(hash_leaf_bytes, file.size() - at));
  });
  return bytes;
}

void read_with_sidecar(const fs::path& path, const SensorProfile& profile, DeliveredFrame& to) {
  const std::string text_name = path.filename().string();
  const Bytes text = read_bytes(path, max_sidecar_bytes);
  const FrameSidecar sidecar = parse_sidecar(text, text_name);
  const DeliveredFile heights = open_announced(path, sidecar.height_file, profile);
  Described d{sidecar, text, text_name, heights, profile};
  if (sidecar.header_file) {
    d.header = bytes_of(open_announced(path, *sidecar.header_file, profile), profile.reading);
    if (!sidecar.header_sha256.empty())
      check_sum(*sidecar.header_file, sha256_hex({d.header}), sidecar.header_sha256);
  }
  std::optional<HeightHash> hash = pass_over_heights(d, to);
  if (!hash) hash = read_heights_whole(d, to);
  if (sidecar.intensity_file) read_intensity(path, d, to);
  to.frame.content_sha256 = identity_of_delivery(*hash, d);
}

}  // namespace datum
