#include "tests/bench/batch_archive.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <stdlib.h>
#include <unistd.h>

#include <cstdint>
#include <fstream>
#include <stdexcept>

#include "daemon/system/child_process.h"
#include "drivers/sensor/sidecar.h"
#include "tests/bench/bench_board.h"
#include "tests/drivers/sensor/tiny_files.h"

namespace datum::bench {
namespace {

namespace fs = std::filesystem;

constexpr const char* serial = "67890";
constexpr const char* profile = R"(schema = 1
serial = "67890"
model = "bench"
handedness = "right"
z_min_mm = -8.0
z_max_mm = 8.0
scale_uncertainty_ppm = 100.0
linearity_um = 0.3
[noise]
z_mm = [0.0]
sigma_um = [3.0]
)";

void write(const fs::path& file, const std::string& text) {
  if (!(std::ofstream(file, std::ios::binary) << text))
    throw std::runtime_error("can't write " + file.string());
}

std::string name_of(int n) { return fmt::format("frame{:06}", n); }

std::string sidecar_of(const HeightFrame& frame, int n) {
  FrameSidecar s;
  s.sensor_serial = serial;
  s.job_name = "bench";
  s.job_hash = "none";
  s.frame_id = name_of(n);
  s.captured = {0, ClockDomain::unknown};
  s.x = frame.x;
  s.y = frame.y;
  s.z = frame.z;
  s.invalid = {InvalidMark::Kind::value, -32768};
  s.height_file = name_of(n) + ".tif";
  return write_sidecar(s);
}

}  // namespace

std::string program_beside_bench(const char* name) { return program_beside_this(name).string(); }

BatchArchive::BatchArchive(const fs::path& parent, int boards, int distinct)
    : boards_(boards), distinct_(std::min(boards, distinct)) {
  std::string name = (parent / "datum-bench-XXXXXX").string();
  if (!::mkdtemp(name.data())) throw std::runtime_error("no folder can be made in " + parent.string());
  path_ = name;
  fs::create_directory(path_ / "archive");
  write(path_ / "sensor.toml", profile);
  write(path_ / "recipe.toml", recipe_text(serial));
  HeightFrame frame = make_frame(make_recipe());
  auto& counts = std::get<std::vector<std::int16_t>>(frame.counts);
  for (std::size_t i = 0; i < counts.size(); ++i)
    if (frame.classes[i] != PixelClass::ok) counts[i] = -32768;
  for (int n = 0; n < boards_; ++n) {
    if (n < distinct_) {
      counts[0] = static_cast<std::int16_t>(n);  // no two images have the same bytes
      testing::write_tiff(image(n), frame.rows, frame.cols, counts);
    } else {
      fs::create_hard_link(image(n % distinct_), image(n));
    }
    write(path_ / "archive" / (name_of(n) + ".json"), sidecar_of(frame, n));
  }
}

BatchArchive::~BatchArchive() {
  std::error_code ignored;
  fs::remove_all(path_, ignored);
}

fs::path BatchArchive::image(int n) const { return path_ / "archive" / (name_of(n) + ".tif"); }

void BatchArchive::forget_pages() const {
  for (int n = 0; n < distinct_; ++n) {
    const int fd = ::open(image(n).c_str(), O_RDONLY | O_CLOEXEC);
    if (fd < 0) continue;
    ::fsync(fd);  // dirty pages stay
    ::posix_fadvise(fd, 0, 0, POSIX_FADV_DONTNEED);
    ::close(fd);
  }
}

}  // namespace datum::bench
