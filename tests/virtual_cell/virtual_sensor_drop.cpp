#include "tests/virtual_cell/virtual_sensor_drop.h"

#include <fcntl.h>
#include <unistd.h>

#include <cerrno>
#include <limits>
#include <system_error>

#include "drivers/sensor/file_bytes.h"
#include "drivers/sensor/sidecar.h"
#include "tests/virtual_cell/virtual_sensor_image.h"

namespace datum {
namespace {

[[noreturn]] void fail(const std::filesystem::path& file) {
  throw std::system_error(errno, std::generic_category(), file.string());
}

void sync_folder(const std::filesystem::path& folder) {
  const int fd = ::open(folder.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  if (fd < 0) fail(folder);
  ::fsync(fd);
  ::close(fd);
}

std::vector<std::uint8_t> image_bytes(const HeightFrame& frame, DropFormat format) {
  const auto& counts = std::get<std::vector<std::int16_t>>(frame.counts);
  if (format == DropFormat::tiff16) return tiff_of(counts.data(), frame.rows, frame.cols, TiffSample::int16);
  if (format == DropFormat::png16) {
    std::vector<std::uint16_t> shifted(counts.size());
    for (std::size_t i = 0; i < counts.size(); ++i)
      shifted[i] = static_cast<std::uint16_t>(counts[i] + 32768);
    return png_of(shifted, frame.rows, frame.cols);
  }
  std::vector<float> um(counts.size(), std::numeric_limits<float>::quiet_NaN());
  for (std::size_t i = 0; i < counts.size(); ++i)
    if (counts[i] != -32768) um[i] = static_cast<float>(frame.z.at(counts[i]) * 1e3);
  return tiff_of(um.data(), frame.rows, frame.cols, TiffSample::float32);
}

}  // namespace

void write_whole(const std::filesystem::path& file, const void* bytes, std::size_t size) {
  const std::filesystem::path part = file.parent_path() / ("." + file.filename().string() + ".part");
  const int fd = ::open(part.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0644);
  if (fd < 0) fail(part);
  std::size_t done = 0;
  while (done < size) {
    const ssize_t n = ::write(fd, static_cast<const char*>(bytes) + done, size - done);
    if (n < 0 && errno == EINTR) continue;
    if (n < 0) {
      ::close(fd);
      fail(part);
    }
    done += static_cast<std::size_t>(n);
  }
  if (::fsync(fd) != 0 || ::close(fd) != 0) fail(part);
  std::filesystem::rename(part, file);
  sync_folder(file.parent_path());
}

const char* extension_of(DropFormat format) { return format == DropFormat::png16 ? ".png" : ".tif"; }

EncodedFrame encode(const HeightFrame& frame, DropFormat format, const std::string& height_file,
                    const std::string& intensity_file) {
  EncodedFrame encoded;
  encoded.image = image_bytes(frame, format);
  FrameSidecar sidecar;
  sidecar.sensor_serial = frame.sensor_serial;
  sidecar.job_name = frame.job;
  sidecar.job_hash = "none";  // the virtual sensor has no job file
  sidecar.frame_id = frame.frame_id;
  sidecar.captured = frame.captured;
  sidecar.x = frame.x;
  sidecar.y = frame.y;
  sidecar.z = frame.z;
  sidecar.invalid = {InvalidMark::Kind::value, -32768};
  if (format == DropFormat::png16) {
    sidecar.z.offset_mm = frame.z.at(-32768);
    sidecar.invalid.value = 0;
  } else if (format == DropFormat::float32) {
    sidecar.z = {0.001, 0};
    sidecar.invalid = {InvalidMark::Kind::nan, 0};
  }
  sidecar.handedness = frame.delivered;
  sidecar.height_file = height_file;
  sidecar.height_sha256 = sha256_hex({encoded.image});
  if (frame.intensity && !intensity_file.empty()) {
    const std::vector<std::uint8_t> grey(frame.intensity->grey.begin(), frame.intensity->grey.end());
    encoded.intensity = tiff_of(grey.data(), frame.rows, frame.cols, TiffSample::uint8);
    sidecar.intensity_file = intensity_file;
    sidecar.intensity_sha256 = sha256_hex({encoded.intensity});
  }
  encoded.sidecar = write_sidecar(sidecar);
  return encoded;
}

void deliver(const HeightFrame& frame, DropFormat format, DropFault fault,
             const std::filesystem::path& folder, const std::string& stem) {
  const std::string image_name = stem + "_z" + extension_of(format);
  const std::string grey_name = stem + "_i.tif";
  EncodedFrame encoded = encode(frame, format, image_name, grey_name);
  if (fault == DropFault::truncated) encoded.image.resize(encoded.image.size() / 2);
  if (fault == DropFault::wrong_sha) encoded.image[encoded.image.size() / 2] ^= 1;
  const auto write_image = [&] {
    write_whole(folder / image_name, encoded.image.data(), encoded.image.size());
  };
  if (!encoded.intensity.empty())
    write_whole(folder / grey_name, encoded.intensity.data(), encoded.intensity.size());
  if (fault != DropFault::sidecar_first) write_image();
  write_whole(folder / (stem + ".json"), encoded.sidecar.data(), encoded.sidecar.size());
  if (fault == DropFault::sidecar_first) write_image();
  if (fault == DropFault::duplicate) deliver(frame, format, DropFault::none, folder, stem + "-again");
}

}  // namespace datum
