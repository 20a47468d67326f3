#include "drivers/sensor/read_frame.h"

#include <fmt/format.h>

#include <algorithm>
#include <optional>
#include <system_error>
#include <utility>

#include "drivers/frame/frame_error.h"
#include "drivers/gocator/data_set.h"
#include "drivers/gocator/protocol_error.h"
#include "drivers/sensor/frame_hash.h"
#include "drivers/sensor/frame_parser.h"
#include "drivers/sensor/gocator_csv.h"
#include "drivers/sensor/height_file.h"
#include "drivers/sensor/pemtron_ptr.h"
#include "drivers/sensor/pixel_rule.h"
#include "drivers/sensor/sidecar.h"
#include "drivers/sensor/sidecar_delivery.h"
#include "gpu/core/parallel_for.h"

namespace datum {
namespace {

namespace fs = std::filesystem;

[[noreturn]] void refuse(const std::string& name, const std::string& what) {
  throw FrameError(fmt::format("{}: {}", name, what));
}

bool is_there(const fs::path& path) {
  std::error_code ignored;
  return fs::exists(path, ignored);
}

// STEM_z.tif belongs to STEM.json, other NAME.tif to NAME.json.
void read_by_height_file(const fs::path& path, const SensorProfile& profile, DeliveredFrame& to) {
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
  read_with_sidecar(sidecar, profile, to);
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

void read_delivery(const fs::path& path, const SensorProfile& profile, DeliveredFrame& to) {
  const std::string name = path.filename().string();
  const std::string extension = lower_extension(path);
  if (extension == ".json") return read_with_sidecar(path, profile, to);
  const char* with_sidecar[] = {".tif", ".tiff", ".png", ".pcd", ".ply", ".x3p"};
  if (needs_header(name) || std::count(std::begin(with_sidecar), std::end(with_sidecar), extension) > 0)
    return read_by_height_file(path, profile, to);
  if (extension != ".ptr" && extension != ".csv" && extension != ".gdp") {
    refuse(name,
           "is no known format; .json (sidecar), .tif, .tiff, .png, .pcd, .ply, .x3p, ENVI, .ptr, .csv or "
           ".gdp is read");
  }
  const ReadSettings& settings = profile.reading;
  const Bytes bytes = bytes_of(open_heights(path, name, profile), settings);
  std::string identity;
  const auto hash = [&] { identity = identity_of(settings.scheme, {bytes}, settings.threads); };
  to.frame = extension == ".ptr"   ? read_pemtron_ptr(bytes, profile, path.stem().string(), name)
             : extension == ".csv" ? read_csv(bytes, name, profile, hash)
                                   : read_gocator_data(bytes, name, profile.most_pixels);
  if (identity.empty()) hash();
  to.frame.delivered = profile.handedness;  // no such format states it
  to.frame.content_sha256 = identity;
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

template <class Count>
void class_where(HeightFrame& frame, const std::vector<Count>& counts, const SensorProfile& profile) {
  constexpr std::size_t piece = std::size_t{64} << 10;
  const CountRange<Count> range = counts_in_range<Count>(frame.z, profile.z_min_mm, profile.z_max_mm);
  parallel_for(profile.reading.threads, (counts.size() + piece - 1) / piece, [&](std::size_t k, unsigned) {
    const auto [least, most] = range;
    for (std::size_t i = k * piece; i < std::min((k + 1) * piece, counts.size()); ++i) {
      const bool out = ((counts[i] < least) | (counts[i] > most)) & (frame.classes[i] == PixelClass::ok);
      frame.classes[i] = out ? PixelClass::out_of_range : frame.classes[i];
    }
  });
}

}  // namespace

UncheckedFrame read_frame_beside(const fs::path& path, const SensorProfile& profile) {
  DeliveredFrame read;
  try {
    if (profile.reader)
      read.frame = profile.reader->read(path, profile);
    else
      read_delivery(path, profile, read);
    read.pixels_accepted ? accept_passed_frame(read.frame, profile) : accept_frame(read.frame, profile);
  } catch (const FrameError&) {
    if (read.sum) read.sum->check();  // another file's faults are of no interest
    throw;
  }
  return {std::move(read.frame), std::move(read.sum)};
}

HeightFrame read_frame(const fs::path& path, const SensorProfile& profile) {
  UncheckedFrame read = read_frame_beside(path, profile);
  if (read.sum) read.sum->check();
  return std::move(read.frame);
}

SensorProfile with_scheme(const SensorProfile& profile, HashScheme scheme) {
  SensorProfile same = profile;
  same.reading.scheme = scheme;
  return same;
}

SensorProfile with_scheme_of(const SensorProfile& profile, const std::string& identity) {
  const std::optional<HashScheme> scheme = scheme_of(identity);
  if (!scheme)
    throw FrameError(
        fmt::format("frame identity {} is of a scheme that this version does not know; use the version that "
                    "wrote it, or a later one",
                    identity));
  return with_scheme(profile, *scheme);
}

void accept_passed_frame(HeightFrame& frame, const SensorProfile& profile) {
  check_description(frame);
  check_sensor(frame, profile);
  if (frame.delivered == Handedness::left) note_mirrored(frame);
}

void accept_frame(HeightFrame& frame, const SensorProfile& profile) {
  check(frame);
  check_sensor(frame, profile);
  std::visit([&](const auto& counts) { class_where(frame, counts, profile); }, frame.counts);
  mirror_to_right_handed(frame, profile.reading.threads);
}

}  // namespace datum
