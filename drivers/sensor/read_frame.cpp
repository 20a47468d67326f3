#include "drivers/sensor/read_frame.h"

#include <fmt/format.h>

#include <algorithm>
#include <optional>
#include <system_error>
#include <utility>

#include "drivers/frame/frame_error.h"
#include "drivers/gocator/data_set.h"
#include "drivers/gocator/protocol_error.h"
#include "drivers/sensor/frame_parser.h"
#include "drivers/sensor/gocator_csv.h"
#include "drivers/sensor/height_file.h"
#include "drivers/sensor/pemtron_ptr.h"
#include "drivers/sensor/raster_frame.h"

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

[[noreturn]] void refuse(const std::string& name, const std::string& what) {
  throw FrameError(fmt::format("{}: {}", name, what));
}

bool is_there(const fs::path& path) {
  std::error_code ignored;
  return fs::exists(path, ignored);
}

Bytes read_heights(const fs::path& path, const std::string& name, const SensorProfile& profile) {
  const std::size_t most = most_bytes(name, profile);
  std::error_code error;
  const auto size = fs::file_size(path, error);
  if (!error && size > most)
    refuse(name,
           fmt::format("has {} bytes; a frame of {} million pixels has at most {} in this format; where the "
                       "sensor's frames are larger, raise sensor.max_frame_mpix",
                       size, static_cast<double>(profile.most_pixels) / 1e6, most));
  return read_bytes(path, most);
}

void check_sum(const std::string& name, const std::string& is, const std::string& announced) {
  if (!announced.empty() && is != announced)
    refuse(name, "its SHA-256 differs from the sidecar's; it is truncated, damaged or another file");
}

Bytes read_announced(const fs::path& sidecar, const std::string& name, const SensorProfile& profile) {
  const fs::path path = sidecar.parent_path() / name;
  if (!is_there(path)) {
    refuse(name, fmt::format("is not beside its sidecar {}; deliver the sidecar last",
                             sidecar.filename().string()));
  }
  return read_heights(path, name, profile);
}

/// `meanwhile` examines the same bytes; its error takes precedence over the reader's.
Raster heights_of(const Bytes& heights, const Bytes& header, const Bytes& text, const std::string& text_name,
                  const FrameSidecar& sidecar, const SensorProfile& profile,
                  const FrameParser::Meanwhile& meanwhile) {
  std::optional<Raster> plain = plain_image(heights, sidecar.height_file, profile.most_pixels);
  if (!plain && profile.parser && !needs_header(sidecar.height_file))
    return profile.parser->heights(heights, text, text_name, profile, meanwhile);
  meanwhile();
  return plain ? *std::move(plain) : read_height_file(heights, header, sidecar, profile);
}

HeightFrame read_with_sidecar(const fs::path& path, const SensorProfile& profile) {
  const std::string text_name = path.filename().string();
  const Bytes text = read_bytes(path, max_sidecar_bytes);
  const FrameSidecar sidecar = parse_sidecar(text, text_name);
  const Bytes heights = read_announced(path, sidecar.height_file, profile);
  Bytes header, grey;
  if (sidecar.header_file) {
    header = read_announced(path, *sidecar.header_file, profile);
    check_sum(*sidecar.header_file, sha256_hex({header}), sidecar.header_sha256);
  }
  std::string content_sha256;
  Raster raster = heights_of(heights, header, text, text_name, sidecar, profile, [&] {
    content_sha256 = sha256_hex({heights});
    check_sum(sidecar.height_file, content_sha256, sidecar.height_sha256);
  });
  HeightFrame frame = frame_from_raster(std::move(raster), sidecar, sidecar.height_file);
  if (sidecar.intensity_file) {
    grey = read_announced(path, *sidecar.intensity_file, profile);
    frame.intensity = intensity_from_raster(
        image_by(profile.parser.get(), grey, *sidecar.intensity_file, profile.most_pixels,
                 [&] { check_sum(*sidecar.intensity_file, sha256_hex({grey}), sidecar.intensity_sha256); }),
        *sidecar.intensity_file);
  }
  const bool is_heights_alone = grey.empty() && header.empty();
  frame.content_sha256 = is_heights_alone ? content_sha256 : sha256_hex({heights, grey, header});
  return frame;
}

// STEM_z.tif belongs to STEM.json, other NAME.tif to NAME.json.
HeightFrame read_by_height_file(const fs::path& path, const SensorProfile& profile) {
  fs::path sidecar = path;
  sidecar.replace_extension(".json");
  if (!is_there(sidecar) && path.stem().string().ends_with("_z")) {
    const std::string stem = path.stem().string();
    sidecar = path.parent_path() / (stem.substr(0, stem.size() - 2) + ".json");
  }
  const std::string name = path.filename().string();
  if (!is_there(sidecar)) refuse(name, "has no sidecar beside it; it needs " + sidecar.filename().string());
  const std::string named =
      parse_sidecar(read_bytes(sidecar, max_sidecar_bytes), sidecar.filename().string()).height_file;
  if (named != name)
    refuse(name, fmt::format("{} names another height file: {}", sidecar.filename().string(), named));
  return read_with_sidecar(sidecar, profile);
}

HeightFrame read_gocator_data(ByteView bytes, const std::string& name, std::uint64_t most_pixels) {
  try {
    HeightFrame frame = gocator::frame_of(gocator::data_set_of_file(bytes), name);
    check_raster_size(static_cast<std::uint64_t>(frame.rows), static_cast<std::uint64_t>(frame.cols), 1,
                      bytes.size(), name, most_pixels);
    return frame;
  } catch (const gocator::ProtocolError& error) {
    refuse(name, error.what());
  }
}

HeightFrame read_csv(const Bytes& bytes, const std::string& name, const SensorProfile& profile,
                     const FrameParser::Meanwhile& meanwhile) {
  return profile.parser ? profile.parser->gocator_csv(bytes, name, profile.most_pixels, meanwhile)
                        : read_gocator_csv(bytes, name, profile.most_pixels);
}

HeightFrame read_delivery(const fs::path& path, const SensorProfile& profile) {
  const std::string name = path.filename().string();
  const std::string extension = lower_extension(path);
  if (extension == ".json") return read_with_sidecar(path, profile);
  const char* with_sidecar[] = {".tif", ".tiff", ".png", ".pcd", ".ply", ".x3p"};
  if (needs_header(name) || std::count(std::begin(with_sidecar), std::end(with_sidecar), extension) > 0)
    return read_by_height_file(path, profile);
  if (extension != ".ptr" && extension != ".csv" && extension != ".gdp") {
    refuse(name,
           "is no known format; .json (sidecar), .tif, .tiff, .png, .pcd, .ply, .x3p, ENVI, .ptr, .csv or "
           ".gdp is read");
  }
  const Bytes bytes = read_heights(path, name, profile);
  std::string content_sha256;
  const auto hash = [&] { content_sha256 = sha256_hex({bytes}); };
  HeightFrame frame = extension == ".ptr"   ? read_pemtron_ptr(bytes, profile, path.stem().string(), name)
                      : extension == ".csv" ? read_csv(bytes, name, profile, hash)
                                            : read_gocator_data(bytes, name, profile.most_pixels);
  if (content_sha256.empty()) hash();
  frame.delivered = profile.handedness;  // no such format states it
  frame.content_sha256 = content_sha256;
  return frame;
}

void check_sensor(const HeightFrame& frame, const SensorProfile& profile) {
  const auto hand = [](Handedness h) { return h == Handedness::left ? "left" : "right"; };
  if (frame.sensor_serial != profile.serial) {
    refuse(frame.source,
           fmt::format("comes from sensor '{}', but the profile is of '{}'; use that sensor's profile",
                       frame.sensor_serial, profile.serial));
  }
  if (frame.delivered != profile.handedness) {
    refuse(frame.source,
           fmt::format("is {}-handed, but the profile of '{}' says {}; correct the one that is wrong",
                       hand(frame.delivered), profile.serial, hand(profile.handedness)));
  }
  if (!(profile.z_min_mm < profile.z_max_mm)) {
    refuse(frame.source, fmt::format("the profile of '{}' has no measuring range (z {} to {} mm)",
                                     profile.serial, profile.z_min_mm, profile.z_max_mm));
  }
}

template <class Count, class Outside>
void class_where(HeightFrame& frame, const std::vector<Count>& counts, Outside outside) {
  for (std::size_t i = 0; i < counts.size(); ++i) {
    const bool out = outside(counts[i]) && frame.classes[i] == PixelClass::ok;
    frame.classes[i] = out ? PixelClass::out_of_range : frame.classes[i];
  }
}

void class_out_of_range(HeightFrame& frame, const SensorProfile& profile) {
  const auto outside = [&](auto count) {
    const double z = frame.z.at(static_cast<double>(count));
    return z < profile.z_min_mm || z > profile.z_max_mm;
  };
  const auto* narrow = std::get_if<std::vector<std::int16_t>>(&frame.counts);
  if (!narrow)
    return std::visit([&](const auto& counts) { class_where(frame, counts, outside); }, frame.counts);
  // z is monotonic in the count, so the range is one interval of counts without arithmetic per pixel.
  int least = INT16_MAX + 1, most = INT16_MIN - 1;
  for (int count = INT16_MIN; count <= INT16_MAX; ++count) {
    if (outside(count)) continue;
    least = std::min(least, count);
    most = count;
  }
  class_where(frame, *narrow, [=](std::int16_t count) { return count < least || count > most; });
}

}  // namespace

HeightFrame read_frame(const fs::path& path, const SensorProfile& profile) {
  HeightFrame frame = profile.reader ? profile.reader->read(path, profile) : read_delivery(path, profile);
  accept_frame(frame, profile);
  return frame;
}

void accept_frame(HeightFrame& frame, const SensorProfile& profile) {
  check(frame);
  check_sensor(frame, profile);
  class_out_of_range(frame, profile);
  mirror_to_right_handed(frame);
}

}  // namespace datum
