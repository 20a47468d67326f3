// The one pass over an uncompressed frame against a plain calculation pixel by pixel, and files that change or
// fail while they are read.
#include <gtest/gtest.h>
#include <unistd.h>

#include <atomic>
#include <bit>
#include <cerrno>
#include <cmath>
#include <cstring>
#include <fstream>
#include <random>

#include "drivers/sensor/claimed_frame.h"
#include "drivers/sensor/frame_hash.h"
#include "drivers/sensor/frame_source.h"
#include "drivers/sensor/read_frame.h"
#include "tests/drivers/early_copies.h"
#include "tests/drivers/sensor/altered_pread.h"
#include "tests/drivers/sensor/expect_refusal.h"
#include "tests/drivers/sensor/tiny_files.h"
#include "tests/fresh_folder.h"

namespace datum::frame_pass_test {
namespace {

using namespace datum::testing;
namespace fs = std::filesystem;

/// One delivery with everything that a pass depends on.
struct Case {
  int rows = 0, cols = 0;
  std::string format;
  TiffOptions tiff;
  FrameSidecar sidecar;
  SensorProfile profile = make_profile();
  std::vector<double> stored;  // as the file has them
};

class FramePass : public ::testing::Test {
 protected:
  FreshFolder folder;
  std::mt19937 random{25};
  std::shared_ptr<FrameBuffers> buffers = std::make_shared<FrameBuffers>();
  int taken_early = 0;

  int below(int n) { return static_cast<int>(random() % static_cast<unsigned>(n)); }

  template <class T>
  std::vector<T> samples_of(const Case& c) const {
    return {c.stored.begin(), c.stored.end()};
  }

  template <class T>
  void write_raw(const fs::path& file, const Case& c, bool big_endian, int header) {
    std::string bytes(static_cast<std::size_t>(header), 'h');
    for (const T sample : samples_of<T>(c)) {
      std::string one(sizeof(T), 0);
      std::memcpy(one.data(), &sample, sizeof(T));
      if (big_endian) std::reverse(one.begin(), one.end());
      bytes += one;
    }
    write_file(file, bytes);
  }

  template <class T>
  void write_case(Case& c, int envi_type) {
    if (c.format == "tiff") {
      c.sidecar.height_file = "a.tif";
      write_tiff(folder.path() / "a.tif", c.rows, c.cols, samples_of<T>(c), c.tiff);
      return;
    }
    c.sidecar.height_file = "a.bsq";
    c.sidecar.header_file = "a.hdr";
    const bool big = below(2) == 1;
    const int header = std::array{0, 8, 512, 3}[static_cast<std::size_t>(below(4))];  // 3: not in one pass
    write_raw<T>(folder.path() / "a.bsq", c, big, header);
    write_file(folder.path() / "a.hdr", "ENVI\nsamples = " + std::to_string(c.cols) +
                                            "\nlines = " + std::to_string(c.rows) +
                                            "\nbands = 1\nheader offset = " + std::to_string(header) +
                                            "\ndata type = " + std::to_string(envi_type) +
                                            "\nbyte order = " + std::to_string(static_cast<int>(big)) + "\n");
  }

  Case random_case() {
    Case c;
    c.rows = 1 + below(700);
    c.cols = 1 + below(700);
    c.format = below(3) == 0 ? "envi" : "tiff";
    c.tiff.rows_per_strip = std::array{0, 1, 7, 64}[static_cast<std::size_t>(below(4))];
    c.sidecar = make_sidecar("");
    c.sidecar.z = {below(2) ? 0.0005 : -0.0005, -1.0};
    c.sidecar.handedness = c.profile.handedness = below(2) ? Handedness::left : Handedness::right;
    const double middle = below(20) - 10;
    c.profile.z_min_mm = middle - 1e-3 * below(9000) - 1e-4;
    c.profile.z_max_mm = middle + 1e-3 * below(9000);
    return c;
  }

  void fill(Case& c, double least, double most, bool with_nan) {
    c.stored.resize(static_cast<std::size_t>(c.rows) * static_cast<std::size_t>(c.cols));
    for (double& sample : c.stored)
      sample = std::floor(least + (most - least) * (static_cast<double>(random()) / 4294967296.0));
    if (c.sidecar.invalid.kind == InvalidMark::Kind::value)
      for (int i = 0; i < 50; ++i)
        c.stored[random() % c.stored.size()] = static_cast<double>(c.sidecar.invalid.value);
    if (with_nan)
      for (int i = 0; i < 50; ++i) c.stored[random() % c.stored.size()] = std::nan("");
  }

  void compare(const Case& c, const HeightFrame& frame) const;
  void try_one();
};

/// Each pixel by the sentences of its definition.
void FramePass::compare(const Case& c, const HeightFrame& frame) const {
  ASSERT_EQ(frame.rows, c.rows);
  ASSERT_EQ(frame.cols, c.cols);
  const bool left = c.sidecar.handedness == Handedness::left;
  ASSERT_EQ(frame.mirrored, left);
  const InvalidMark& mark = c.sidecar.invalid;
  for (int row = 0; row < c.rows; ++row) {
    for (int col = 0; col < c.cols; ++col) {
      const auto width = static_cast<std::size_t>(c.cols), line = static_cast<std::size_t>(row) * width;
      const double is = c.stored[line + static_cast<std::size_t>(left ? c.cols - 1 - col : col)];
      const double z = c.sidecar.z.at(is);
      PixelClass expected = PixelClass::ok;
      if (z < c.profile.z_min_mm || z > c.profile.z_max_mm) expected = PixelClass::out_of_range;
      if (mark.kind == InvalidMark::Kind::value && is == static_cast<double>(mark.value))
        expected = PixelClass::no_data;
      if (std::isnan(is)) expected = PixelClass::no_data;
      const std::size_t at = line + static_cast<std::size_t>(col);
      ASSERT_EQ(frame.classes[at], expected) << row << ' ' << col << " count " << is;
      const double count =
          std::visit([&](const auto& v) { return static_cast<double>(v[at]); }, frame.counts);
      ASSERT_TRUE(count == is || (std::isnan(count) && std::isnan(is))) << row << ' ' << col;
    }
  }
  if (left) {
    EXPECT_EQ(frame.x.at(0), -c.sidecar.x.at(c.cols - 1));
  }
}

void FramePass::try_one() {
  Case c = random_case();
  const int depth = below(6);
  using Kind = InvalidMark::Kind;
  const auto marked = [&](std::int64_t mark) {
    c.sidecar.invalid = below(3) == 0 ? InvalidMark{} : InvalidMark{Kind::value, mark};
  };
  if (depth == 0) {
    marked(-32768);
    fill(c, -32768, 32767, false);
    write_case<std::int16_t>(c, 2);
  } else if (depth == 1) {
    marked(65535);
    fill(c, 0, 65535, false);
    write_case<std::uint16_t>(c, 12);
  } else if (depth == 2) {
    marked(-2147483648);
    fill(c, -40000, 40000, false);
    write_case<std::int32_t>(c, 3);
  } else {
    c.sidecar.invalid = below(2) ? InvalidMark{Kind::nan, 0} : InvalidMark{Kind::value, -9999};
    fill(c, -40000, 40000, c.sidecar.invalid.kind == Kind::nan);
    if (depth == 3) c.format = "envi";
    depth == 3 ? write_case<double>(c, 5) : write_case<float>(c, 4);
  }
  const Bytes heights = read_bytes(folder.path() / c.sidecar.height_file, 1 << 24);
  if (below(2)) c.sidecar.height_sha256 = sha256_hex({heights});
  folder.write("a.json", write_sidecar(c.sidecar));
  Bytes header;
  if (c.sidecar.header_file) header = read_bytes(folder.path() / "a.hdr", 1 << 20);
  c.profile.reading.threads = 1 + static_cast<unsigned>(below(7));
  if (below(2)) c.profile.reading.buffers = buffers;
  if (below(2)) c.profile.reading.early = std::make_shared<EarlyCopies>();
  HeightFrame frame = read_frame(folder.path() / "a.json", c.profile);
  SCOPED_TRACE(std::to_string(c.rows) + " x " + std::to_string(c.cols) + ' ' + c.format + " depth " +
               std::to_string(depth) + " threads " + std::to_string(c.profile.reading.threads));
  compare(c, frame);
  if (c.profile.reading.early && frame.early.taken) {  // none where another reader read the file
    EarlyCopies::expect_holds(frame);
    ++taken_early;
  }
  const HashedPart part = hashed_part({heights}, 1);
  EXPECT_EQ(frame.content_sha256, header.empty()
                                      ? tree_identity({part})
                                      : tree_identity({part, hashed_part({}, 1), hashed_part({header}, 1)}));
  EXPECT_EQ(read_frame(folder.path() / "a.json", with_scheme(c.profile, HashScheme::sha256)).content_sha256,
            sha256_hex({heights, header}));
  buffers->give(std::move(frame));
}

TEST_F(FramePass, EqualsThePlainCalculation) {
  for (int i = 0; i < 120 && !HasFatalFailure(); ++i) try_one();
  EXPECT_GT(taken_early, 20);
}

class PassFaults : public FramePass {
 protected:
  static constexpr int side = 1000;  // 8 leaves
  fs::path file = folder.path() / "a.tif";
  SensorProfile profile = make_profile();

  PassFaults() {
    std::vector<std::int16_t> counts(std::size_t{side} * side);
    for (std::size_t i = 0; i < counts.size(); ++i) counts[i] = static_cast<std::int16_t>(i % 1000);
    TiffOptions options;
    options.rows_per_strip = 16;
    write_tiff(file, side, side, counts, options);
    folder.write("a.json", write_sidecar(make_sidecar("a.tif")));
    profile.reading.threads = 3;
  }
  std::size_t directory_at() const {
    const std::string bytes = read_file(file);
    std::uint32_t at = 0;
    std::memcpy(&at, bytes.data() + 4, sizeof at);
    return at;
  }
  void alter_byte(std::size_t at) const {
    std::fstream out(file, std::ios::in | std::ios::out | std::ios::binary);
    out.seekp(static_cast<std::streamoff>(at));
    out.put('\x7f');
  }
  HeightFrame read() { return read_frame(folder.path() / "a.json", profile); }
  void state_sum(const std::string& sum) {
    FrameSidecar sidecar = make_sidecar("a.tif");
    sidecar.height_sha256 = sum;
    folder.write("a.json", write_sidecar(sidecar));
  }
};

TEST_F(PassFaults, AFileThatIsCutShortWhileItIsRead) {
  std::atomic<int> calls{0};
  const PreadAlteration cut([&](int, void*, std::size_t, off_t) {
    if (calls++ == 4) fs::resize_file(file, 700'000);
    return std::nullopt;
  });
  expect_refusal([&] { read(); }, file.string() +
                                      ": became shorter while it was read; deliver it by rename when it is "
                                      "complete");
}

TEST_F(PassFaults, WhatIsAppendedWhileItIsReadIsNotRead) {
  const std::string before = read().content_sha256;
  std::atomic<int> calls{0};
  const PreadAlteration grow([&](int, void*, std::size_t, off_t) {
    if (calls++ == 4) fs::resize_file(file, 3'000'000);
    return std::nullopt;
  });
  EXPECT_EQ(read().content_sha256, before);
}

TEST_F(PassFaults, APieceThatCantBeRead) {
  const PreadAlteration bad([](int, void*, std::size_t, off_t at) -> std::optional<ssize_t> {
    if (at >= 1'000'000) return -EIO;
    return std::nullopt;
  });
  expect_refusal([&] { read(); }, file.string() + ": can't be read: Input/output error");
}

TEST_F(PassFaults, InterruptedAndShortReadsAreContinued) {
  const HeightFrame before = read();
  std::atomic<int> calls{0};
  const PreadAlteration slow([&](int fd, void* to, std::size_t size, off_t at) -> std::optional<ssize_t> {
    if (calls++ % 3 == 0) return -EINTR;
    return size > 70'000 ? std::optional(system_pread(fd, to, 70'000, at)) : std::nullopt;
  });
  const HeightFrame after = read();
  EXPECT_EQ(after.content_sha256, before.content_sha256);
  EXPECT_EQ(after.counts, before.counts);
  EXPECT_GT(calls, 30);
}

// The strips' places were read from a directory that is another one when its piece is hashed.
TEST_F(PassFaults, ADirectoryThatChangesWhileItIsRead) {
  std::atomic<int> calls{0};
  profile.reading.threads = 1;  // the directory is in the last piece
  const PreadAlteration swap([&](int, void*, std::size_t size, off_t) -> std::optional<ssize_t> {
    if (size == hash_leaf_bytes && calls++ == 0) alter_byte(directory_at());
    return std::nullopt;
  });
  expect_refusal([&] { read(); },
                 file.string() + ": changed while it was read; deliver it by rename when it is complete");
}

TEST_F(PassFaults, AnotherSumIsLeftToTheCallerAndNeverLost) {
  const std::string wrong =
      "a.tif: its SHA-256 differs from the sidecar's; it is truncated, damaged or another file";
  state_sum(std::string(64, '0'));
  for (const unsigned threads : {1u, 2u, 5u}) {
    profile.reading.threads = threads;
    expect_refusal([&] { read(); }, wrong);
    const UncheckedFrame beside = read_frame_beside(folder.path() / "a.json", profile);
    ASSERT_TRUE(beside.sum);
    expect_refusal([&] { beside.sum->check(); }, wrong);
    expect_refusal([&] { beside.sum->check(); }, wrong);
    ClaimedFrame claim;
    claim.entry = folder.path() / "a.json";
    expect_refusal([&] { read_claim(claim, profile); }, wrong);
    EXPECT_TRUE(read_claim_beside(claim, profile).sum) << "and its end is soon, unchecked";
  }
  state_sum(sha256_hex({read_bytes(file, 1 << 24)}));
  EXPECT_NO_THROW(read());
  EXPECT_NO_THROW(read_frame_beside(folder.path() / "a.json", profile).sum->check());
}

// The file is not the announced one: what else is wrong with it is of no interest.
TEST_F(PassFaults, AnotherSumPrecedesOtherFaults) {
  profile.z_max_mm = profile.z_min_mm;
  expect_refusal([&] { read(); }, "a.tif: the profile of 'SN-1' has no measuring range (z -20 to -20 mm)");
  state_sum(std::string(64, '0'));
  expect_refusal([&] { read(); },
                 "a.tif: its SHA-256 differs from the sidecar's; it is truncated, damaged or another file");
}

// Not finite in several leaves: the first in the file is named, whatever thread finds one first.
TEST_F(PassFaults, TheFirstHeightThatIsNotFiniteIsNamed) {
  std::vector<float> heights(std::size_t{side} * side, 1.0f);
  heights[999'123] = heights[600'045] = std::numeric_limits<float>::infinity();
  heights[500'045] = std::nanf("");
  write_tiff(file, side, side, heights);
  for (const auto handedness : {Handedness::right, Handedness::left}) {
    FrameSidecar sidecar = make_sidecar("a.tif");
    sidecar.handedness = profile.handedness = handedness;
    folder.write("a.json", write_sidecar(sidecar));
    expect_refusal(
        [&] { read(); },
        "a.tif: row 500, column 45 is NaN; mark invalid pixels by NaN and say \"invalid_value\": \"nan\"");
  }
}

// The version that stored the verdict, and ended, named frames by their plain SHA-256.
TEST_F(PassFaults, ALeftOverFrameIsKnownByItsIdentityOfAnOlderVersion) {
  ClaimedFrame claim;
  claim.entry = folder.path() / "a.json";
  claim.left_over = true;
  const FrameIdentity identity = read_claim(claim, profile).identity;
  EXPECT_EQ(identity.plain_sha256, sha256_hex({read_bytes(file, 1 << 24)}));
  const auto stored_as = [&](const std::string& sha256) {
    return MeasuredFrames([sha256](const FrameIdentity& asked) { return asked.content_sha256 == sha256; });
  };
  EXPECT_TRUE(stored_as(identity.plain_sha256).has(identity));
  EXPECT_TRUE(stored_as(identity.content_sha256).has(identity));
  EXPECT_FALSE(stored_as("").has(identity));
  claim.left_over = false;
  const FrameIdentity fresh = read_claim(claim, profile).identity;
  EXPECT_EQ(fresh, identity);
  EXPECT_EQ(fresh.plain_sha256, "");
}

TEST_F(PassFaults, MemoryOfAFormerFrameLeavesNoTrace) {
  profile.reading.buffers = std::make_shared<FrameBuffers>();
  HeightFrame first = read();
  const auto* const memory = std::get<std::vector<std::int16_t>>(first.counts).data();
  const auto counts = first.counts;
  const auto classes = first.classes;
  std::get<std::vector<std::int16_t>>(first.counts).assign(first.size(), 77);
  first.classes.assign(first.size(), PixelClass::seam);
  profile.reading.buffers->give(std::move(first));
  const HeightFrame second = read();
  EXPECT_EQ(std::get<std::vector<std::int16_t>>(second.counts).data(), memory);
  EXPECT_EQ(second.counts, counts);
  EXPECT_EQ(second.classes, classes);
}

}  // namespace
}  // namespace datum::frame_pass_test
