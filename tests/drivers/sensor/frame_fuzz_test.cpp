// Thousands of damaged files, the same in every run: a reader returns a frame that passes check() or throws
// FrameError (under the sanitizers: no overflow, no undefined behaviour, no huge allocation).
#include <gtest/gtest.h>

#include <functional>
#include <random>

#include "drivers/frame/frame_error.h"
#include "drivers/sensor/gocator_csv.h"
#include "drivers/sensor/pemtron_ptr.h"
#include "drivers/sensor/raster_frame.h"
#include "tests/drivers/sensor/tiny_files.h"
#include "tests/fresh_folder.h"

namespace datum {
namespace {

using namespace datum::testing;

constexpr int cases = 4000;

// std::uniform_int_distribution may differ between libraries; the remainder of mt19937's numbers does not.
class Damage {
 public:
  explicit Damage(unsigned seed) : random_(seed) {}

  std::string of(std::string bytes) {
    const unsigned times = 1 + below(4);
    for (unsigned i = 0; i < times && !bytes.empty(); ++i) damage_once(bytes);
    return bytes;
  }

 private:
  unsigned below(std::size_t n) { return static_cast<unsigned>(random_() % n); }

  void damage_once(std::string& bytes) {
    static const char edges[] = {'\x00', '\x01', '\x7f', '\x80', '\xff', '0', '9', '-', ',', '"'};
    const std::size_t at = below(bytes.size());
    switch (below(6)) {
      case 0:
        bytes[at] = static_cast<char>(bytes[at] ^ (1 << below(8)));
        break;
      case 1:
        bytes[at] = edges[below(sizeof edges)];
        break;
      case 2:
        bytes[at] = static_cast<char>(below(256));
        break;
      case 3:
        bytes.resize(at);
        break;
      case 4:
        bytes.erase(at, 1 + below(8));
        break;
      case 5:
        bytes.insert(at, bytes.substr(below(bytes.size()), 1 + below(16)));
        break;
    }
  }

  std::mt19937 random_;
};

struct Outcome {
  int accepted = 0, refused = 0;
};

Outcome run(unsigned seed, const std::string& good, const std::function<HeightFrame(ByteView)>& read) {
  EXPECT_NO_THROW(check(read(bytes_of(good))));
  Damage damage(seed);
  Outcome outcome;
  for (int i = 0; i < cases; ++i) {
    const std::string bad = damage.of(good);
    try {
      const HeightFrame frame = read(bytes_of(bad));
      check(frame);
      ++outcome.accepted;
    } catch (const FrameError& e) {
      EXPECT_STRNE(e.what(), "");
      ++outcome.refused;
    } catch (const std::exception& e) {
      ADD_FAILURE() << "seed " << seed << ", case " << i << ": " << e.what();
    }
  }
  return outcome;
}

// Both outcomes must occur; otherwise the damage is too weak, or too strong to reach the code behind the
// header.
void expect_both(const Outcome& o) {
  EXPECT_EQ(o.accepted + o.refused, cases);
  EXPECT_GT(o.accepted, cases / 200);
  EXPECT_GT(o.refused, cases / 10);
}

HeightFrame frame_of(Raster&& raster) {
  FrameSidecar sidecar = make_sidecar("a");
  sidecar.invalid = {InvalidMark::Kind::none, 0};
  return frame_from_raster(std::move(raster), sidecar, "a");
}

class FrameFuzz : public ::testing::Test {
 protected:
  FreshFolder folder;
  std::vector<std::int16_t> samples = std::vector<std::int16_t>(std::size_t{20} * 18, 7);

  std::string tiff(const TiffOptions& options) {
    write_tiff(folder.path() / "a.tif", 20, 18, samples, options);
    return read_file(folder.path() / "a.tif");
  }
};

TEST_F(FrameFuzz, TiffInStrips) {
  TiffOptions o;
  o.rows_per_strip = 7;
  expect_both(run(1, tiff(o), [](ByteView b) { return frame_of(read_tiff(b, "a")); }));
  o.compression = 5;  // LZW
  expect_both(run(2, tiff(o), [](ByteView b) { return frame_of(read_tiff(b, "a")); }));
}

TEST_F(FrameFuzz, TiffInTiles) {
  TiffOptions o;
  o.tiled = true;
  o.big_endian = true;
  o.compression = 8;  // deflate
  expect_both(run(3, tiff(o), [](ByteView b) { return frame_of(read_tiff(b, "a")); }));
}

TEST_F(FrameFuzz, Png) {
  write_png<std::uint16_t>(folder.path() / "a.png", 20, 18, {samples.begin(), samples.end()});
  const Outcome o =
      run(4, read_file(folder.path() / "a.png"), [](ByteView b) { return frame_of(read_png(b, "a")); });
  EXPECT_GT(o.refused,
            cases * 9 / 10);  // checksums detect nearly all; the accepted ones changed an unused text
}

TEST_F(FrameFuzz, PemtronPtr) {
  expect_both(run(5, tiny_ptr(), [](ByteView b) { return read_pemtron_ptr(b, make_profile(), "a", "a"); }));
}

TEST_F(FrameFuzz, GocatorCsv) {
  const std::string good =
      read_file(std::filesystem::path(DATUM_SOURCE_DIR) / "tests/data/frames/snapshot.csv");
  expect_both(run(6, good, [](ByteView b) { return read_gocator_csv(b, "a"); }));
}

TEST_F(FrameFuzz, Sidecar) {
  const std::string heights = tiff({});
  const std::string good =
      read_file(std::filesystem::path(DATUM_SOURCE_DIR) / "tests/data/frames/sidecar.json");
  expect_both(run(7, good, [&](ByteView b) {
    return frame_from_raster(read_tiff(bytes_of(heights), "a"), parse_sidecar(b, "a"), "a");
  }));
}

}  // namespace
}  // namespace datum
