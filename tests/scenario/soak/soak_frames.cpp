#include "tests/scenario/soak/soak_frames.h"

#include <zlib.h>

#include <cmath>
#include <cstring>
#include <fstream>
#include <random>
#include <stdexcept>
#include <vector>

#include "tests/drivers/sensor/tiny_files.h"

namespace datum::soak {
namespace {

namespace fs = std::filesystem;

constexpr int side_px = 100;
constexpr double pitch_mm = 0.1;
constexpr int no_data = -32768;

/// Whole um above a tilted plane of 10 x 10 mm; a box of 3 x 2 mm in the middle; no floor where occluded.
/// Each board has noise of its own: pixels that came before are another board's frame (FRAME_REPEATED).
std::vector<std::int16_t> counts_of(const Board& board) {
  const Kind kind = board.kind;
  const double box_um = kind == Kind::missing ? 0 : kind == Kind::tall ? 700 : 500;
  std::mt19937 random(static_cast<std::uint32_t>(board.number));
  std::vector<std::int16_t> counts;
  for (int row = 0; row < side_px; ++row)
    for (int col = 0; col < side_px; ++col) {
      const double x = col * pitch_mm, y = row * pitch_mm;
      const bool on_box = std::abs(x - 5) <= 1.5 && std::abs(y - 5) <= 1;
      const double noise = (static_cast<double>(random()) / 4294967296.0 - 0.5) * 10;
      const double z = 1000 + 8 * x - 5 * y + noise + (on_box ? box_um : 0);
      const bool seen = kind != Kind::occluded || on_box;
      counts.push_back(seen ? static_cast<std::int16_t>(std::lround(z)) : no_data);
    }
  return counts;
}

void append(std::string& bytes, std::uint32_t word) {
  for (int shift = 0; shift < 32; shift += 8) bytes += static_cast<char>(word >> shift & 0xFF);
}

std::string ptr_of(const std::vector<std::int16_t>& counts) {
  std::string bytes;
  for (const std::uint32_t word :
       {std::uint32_t{side_px}, std::uint32_t{side_px}, 0x41700000u, 0x41700000u, 32u, 1u, 1u, 1u})
    append(bytes, word);
  for (const std::int16_t count : counts) {
    const float z = count == no_data ? 0.0F : count;  // 0: no data
    std::uint32_t bits = 0;
    std::memcpy(&bits, &z, sizeof bits);
    append(bytes, bits);
  }
  return bytes;
}

std::string sidecar_of(const Board& board, const std::string& image) {
  FrameSidecar s;
  s.sensor_serial = "S-1";
  s.job_name = s.job_hash = "soak";
  s.frame_id = board.name;
  s.captured = {board.number, ClockDomain::unknown};
  s.x = s.y = {pitch_mm, 0};
  s.z = {0.001, 0};
  s.invalid = {InvalidMark::Kind::value, board.format == Format::png ? 0 : no_data};
  s.height_file = image;
  return write_sidecar(s);
}

/// A grey 16-bit PNG that claims 100,000 x 100,000 pixels.
std::string bomb_png() {
  const auto chunk = [](const std::string& type, const std::string& data) {
    std::string bytes;
    const auto big = [&](std::uint32_t word) {
      for (int shift = 24; shift >= 0; shift -= 8) bytes += static_cast<char>(word >> shift & 0xFF);
    };
    big(static_cast<std::uint32_t>(data.size()));
    const std::string body = type + data;
    bytes += body;
    big(static_cast<std::uint32_t>(::crc32_z(0, reinterpret_cast<const Bytef*>(body.data()), body.size())));
    return bytes;
  };
  const std::string side("\0\1\x86\xA0", 4);
  return "\x89PNG\r\n\x1A\n" + chunk("IHDR", side + side + std::string("\x10\0\0\0\0", 5)) +
         chunk("IDAT", std::string(64, '\0')) + chunk("IEND", "");
}

}  // namespace

Frames::Frames(const fs::path& folder) : folder_(folder) { fs::create_directories(folder_); }

std::string Frames::image_of(const Board& board) const {
  const std::vector<std::int16_t> counts = counts_of(board);
  if (board.format == Format::ptr) return ptr_of(counts);
  const fs::path file = folder_ / "image";
  if (board.format == Format::png) {
    std::vector<std::uint16_t> natural;
    for (const auto c : counts) natural.push_back(c == no_data ? 0 : static_cast<std::uint16_t>(c));
    testing::write_png(file, side_px, side_px, natural);
  } else {
    testing::write_tiff(file, side_px, side_px, counts);
  }
  return testing::read_file(file);
}

void Frames::put(const fs::path& drop, const std::string& name, const std::string& bytes) const {
  testing::write_file(folder_ / name, bytes);
  fs::rename(folder_ / name, drop / name);
}

void Frames::deliver(const Board& board, const fs::path& drop) const {
  static constexpr std::array<const char*, 3> endings{".ptr", "_z.tif", "_z.png"};
  if (board.kind == Kind::truncated) {
    const std::string whole = ptr_of(counts_of(board));
    return put(drop, board.name + ".ptr", whole.substr(0, board.noise % whole.size()));
  }
  if (board.kind == Kind::nested) return put(drop, board.name + ".json", std::string(60'000, '['));
  std::string image = board.name + endings.at(static_cast<std::size_t>(board.format));
  if (board.kind == Kind::bomb_png) {
    image = board.name + "_z.png";
    put(drop, image, bomb_png());
  } else if (board.kind == Kind::bomb_header) {
    image = board.name + "_z.ply";
    put(drop, image,
        "ply\nformat binary_little_endian 1.0\ncomment rows 1000000\ncomment cols 1000000\nelement vertex "
        "1000000000000\nproperty float x\nproperty float y\nproperty float z\nend_header\nx");
  } else {
    put(drop, image, image_of(board));
    if (board.format == Format::ptr) return;
  }
  put(drop, board.name + ".json", sidecar_of(board, image));
}

std::string Frames::profile() {
  return "schema = 1\nserial = \"S-1\"\nmodel = \"soak\"\nhandedness = \"right\"\npixel_pitch_mm = 0.1\n"
         "z_min_mm = -8.0\nz_max_mm = 8.0\nscale_uncertainty_ppm = 100.0\nlinearity_um = 0.3\n"
         "[noise]\nz_mm = [0.0]\nsigma_um = [3.0]\n";
}

std::string Frames::recipe(const std::string& name, double nominal_um, double tolerance_um) {
  return "schema = 1\nname = \"" + name +
         "\"\nsensor_serial = \"S-1\"\n[board]\nsize_mm = [10.0, 10.0]\ncoordinates = \"sensor\"\n"
         "origin_mm = [0.0, 0.0, 0.0]\n[floor]\ninner_margin_mm = 0.3\nouter_margin_mm = 1.3\n[body]\n"
         "[decision]\nrule = \"14253\"\n[package.BOX]\nbody_mm = [3.0, 2.0]\nnominal_um = " +
         std::to_string(nominal_um) +
         "\ncharacteristic = \"median\"\ntolerance_um = " + std::to_string(tolerance_um) +
         "\n[[component]]\nreference = \"B1\"\npackage = \"BOX\"\ncentre_mm = [5.0, 5.0]\n";
}

}  // namespace datum::soak
