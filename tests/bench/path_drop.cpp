#include "tests/bench/path_drop.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <stdlib.h>
#include <unistd.h>

#include <cstdint>
#include <cstring>
#include <stdexcept>

#include "drivers/sensor/sidecar.h"
#include "tests/drivers/sensor/tiny_files.h"

namespace datum::bench {

namespace fs = std::filesystem;

namespace {

constexpr std::size_t first_pixel_at = 8;  // libtiff writes the strip behind the header

/// On the disk, so that the daemon's own flushes do not write the bench's frames.
void write_whole(const fs::path& file, const std::string& bytes) {
  const int fd = ::open(file.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0644);
  const bool good = fd >= 0 &&
                    ::write(fd, bytes.data(), bytes.size()) == static_cast<ssize_t>(bytes.size()) &&
                    ::fdatasync(fd) == 0;
  if (fd >= 0) ::close(fd);
  if (!good) throw std::runtime_error("can't write " + file.string());
}

}  // namespace

DropPlace::DropPlace(const fs::path& parent, HeightFrame frame) : x_(frame.x), y_(frame.y), z_(frame.z) {
  std::string name = (parent / "datum-bench-XXXXXX").string();
  if (!::mkdtemp(name.data())) throw std::runtime_error("no folder can be made in " + parent.string());
  path_ = name;
  for (const char* folder : {"drop", "drop/work", "drop/done", "drop/failed"})
    fs::create_directory(path_ / folder);
  auto& counts = std::get<std::vector<std::int16_t>>(frame.counts);
  for (std::size_t i = 0; i < counts.size(); ++i)
    if (frame.classes[i] != PixelClass::ok) counts[i] = -32768;
  testing::write_tiff(path_ / "image.tif", frame.rows, frame.cols, counts);
  image_ = testing::read_file(path_ / "image.tif");
  fs::remove(path_ / "image.tif");
}

DropPlace::~DropPlace() {
  std::error_code ignored;
  fs::remove_all(path_, ignored);
}

std::string DropPlace::sensor() const { return fmt::format("drop_folder = \"{}\"", drop().string()); }

std::string DropPlace::sidecar_of(int n) const {
  FrameSidecar s;
  s.sensor_serial = sensor_serial;
  s.job_name = "bench";
  s.job_hash = "none";
  s.frame_id = name_of(n);
  s.captured = {0, ClockDomain::unknown};
  s.x = x_;
  s.y = y_;
  s.z = z_;
  s.invalid = {InvalidMark::Kind::value, -32768};
  s.height_file = name_of(n) + ".tif";
  return write_sidecar(s);
}

std::string DropPlace::name_of(int n) { return fmt::format("frame{:05}", n); }

void DropPlace::prepare(int n) {
  const auto count = static_cast<std::int16_t>(n);  // no two frames show the same picture
  std::memcpy(image_.data() + first_pixel_at, &count, sizeof count);
  write_whole(image_of(n), image_);
  write_whole(path_ / (name_of(n) + ".json"), sidecar_of(n));
}

Clock::time_point DropPlace::deliver(int n) const {
  const std::string sidecar = name_of(n) + ".json";
  const auto now = Clock::now();
  fs::rename(path_ / sidecar, drop() / sidecar);
  return now;
}

void DropPlace::forget(int n) const {
  std::error_code ignored;
  fs::remove_all(drop() / "done" / name_of(n), ignored);
}

}  // namespace datum::bench
