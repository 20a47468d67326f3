// ENVI, PCD and PLY: the same 2 x 3 frame in each, and contradictions to its sidecar.
#include "tests/drivers/sensor/other_formats.h"
#include "drivers/sensor/lzf.h"

namespace datum {
namespace {

using namespace datum::testing;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using enum PixelClass;

// --- ENVI

std::string envi_header(const std::string& type, const std::string& order, const std::string& more = "") {
  return "ENVI\ndescription = {\n  a board,\n  from above}\nsamples = 3\nlines = 2\nbands = 1\nheader offset "
         "= 4\n"
         "data type = " +
         type + "\ninterleave = bsq\nbyte order = " + order + "\n" + more;
}

TEST_F(OtherFormats, EnviInBothByteOrders) {
  for (const bool big : {false, true}) {
    std::string floats = "head", doubles = "head";
    for (const float h : heights_mm) {
      floats += stored(h, big);
      doubles += stored(static_cast<double>(h), big);
    }
    expect_grid(read("a.img", floats, envi_header("4", big ? "1" : "0")));
    expect_grid(read("a.bsq", doubles, envi_header("5", big ? "1" : "0")));
  }
  EXPECT_EQ(read_frame(folder.path() / "a.bsq", profile).source, "a.bsq") << "by its own name";
}

TEST_F(OtherFormats, EnviIntegersKeepTheirCounts) {
  sidecar.z = {0.0005, -1};
  sidecar.invalid = {InvalidMark::Kind::value, -32768};
  std::string shorts = "head", words = "head";
  for (const int count : {100, 200, -300, -32768, 0, 32767}) {
    shorts += stored(static_cast<std::int16_t>(count), true);
    words += stored(static_cast<std::int32_t>(count));
  }
  const HeightFrame frame = read("a.raw", shorts, envi_header("2", "1", "data ignore value = -32768\n"));
  EXPECT_THAT(std::get<std::vector<std::int16_t>>(frame.counts),
              ElementsAre(100, 200, -300, -32768, 0, 32767));
  EXPECT_THAT(frame.classes, ElementsAre(ok, ok, ok, no_data, ok, ok));
  EXPECT_THAT(std::get<std::vector<std::int32_t>>(read("a.dat", words, envi_header("3", "0")).counts),
              ElementsAre(100, 200, -300, -32768, 0, 32767));
}

TEST_F(OtherFormats, EnviThatContradictsItselfOrItsSidecarIsRefused) {
  std::string data = "head";
  for (const float h : heights_mm) data += stored(h);
  const auto refused = [&](const std::string& header) { return refusal("a.img", data, header); };
  EXPECT_EQ(refused(envi_header("4", "0", "map info = {Arbitrary, 1, 1, 0, 0, 2e-5, 2e-5, units=Meters}\n")),
            "accepted");
  EXPECT_EQ(refused(envi_header("4", "0", "map info = {Arbitrary, 1, 1, 0, 0, 3e-5, 2e-5, units=Meters}\n")),
            "a.img: its x scale is 0.03 mm, the sidecar's 0.02 mm; correct the one that is wrong");
  EXPECT_EQ(
      refused(envi_header("4", "0", "pixel size = {0.02, 0.02}\n")),
      "a.hdr: 'pixel size' without units=Meters, Millimeters or Micrometers; leave it out or state them");
  EXPECT_THAT(refused(envi_header("4", "0", "data ignore value = -9999\n")),
              HasSubstr("marks invalid pixels by -9999, the sidecar has another invalid_value"));
  EXPECT_THAT(refused(envi_header("4", "0", "data gain values = {2}\n")),
              HasSubstr("'data gain values' other than 1"));
  EXPECT_EQ(refused(envi_header("6", "0")), "a.hdr: data type 6; 2, 3, 4, 5 and 12 are read");
  EXPECT_EQ(refused(envi_header("5", "0")),
            "a.img: 28 bytes; 4 of header and 2 rows x 3 columns need exactly 52");
  EXPECT_EQ(refused(envi_header("1", "0")),
            "a.img: 28 bytes; 4 of header and 2 rows x 3 columns need exactly 10");
  EXPECT_EQ(refused(envi_header("4", "2")), "a.hdr: byte order is neither 0 nor 1");
  EXPECT_EQ(refused(envi_header("4", "0", "lines = 3\n")), "a.hdr:12: 'lines' twice");
  EXPECT_EQ(refused("samples = 3\n"), "a.hdr:1: does not start with a line \"ENVI\"");
  EXPECT_EQ(refused("ENVI\nsamples = 9999999\nlines = 9999999\ndata type = 4\nbyte order = 0\n"),
            "a.img: 9999999 rows x 9999999 columns; at most 2^20 each and 2^28 together are read");
  EXPECT_EQ(refused("ENVI\ndescription = {\n"), "a.hdr:2: '{' without '}'");
  sidecar.header_file.reset();
  EXPECT_EQ(
      refusal("a.img", data),
      "a.json: header_file: is missing beside ENVI data; name the .hdr of a .img, .raw, .dat, .bsq, .bil or "
      ".bip, and of no other height file");
}

// --- PCD

std::string pcd_header(const std::string& data, const std::string& height = "2",
                       const std::string& viewpoint = "0 0 0 1 0 0 0") {
  return "# .PCD v0.7\nVERSION 0.7\nFIELDS intensity x y z\nSIZE 1 4 4 4\nTYPE U F F F\nCOUNT 2 1 1 1\nWIDTH "
         "3\nHEIGHT " +
         height + "\nVIEWPOINT " + viewpoint + "\nPOINTS 6\nDATA " + data + "\n";
}

struct Point {
  float x, y, z;
};
// In m, as usual with the Point Cloud Library.
std::vector<Point> points() {
  std::vector<Point> all;
  for (int i = 0; i < 6; ++i) {
    const int row = i / 3, col = i % 3;
    const float x = (-0.5f + 0.02f * static_cast<float>(col)) / 1000,
                y = 0.02f * static_cast<float>(row) / 1000;
    all.push_back(i == 3 ? Point{nan, nan, nan} : Point{x, y, heights_mm[i] / 1000});
  }
  return all;
}

std::string pcd_binary() {
  std::string data = pcd_header("binary");
  for (const Point& p : points()) data += "ab" + stored(p.x) + stored(p.y) + stored(p.z);
  return data;
}

// Field by field; packed as literals, except the twelve bytes of intensity: "ab", then a reference to it.
std::string pcd_compressed() {
  std::string fields;
  for (const Point& p : points()) fields += stored(p.x);
  for (const Point& p : points()) fields += stored(p.y);
  for (const Point& p : points()) fields += stored(p.z);
  std::string packed = std::string(
                           "\x01"
                           "ab") +
                       "\xe0\x01\x01";  // 7 + 1 + 2 = 10 bytes, from 2 back
  for (std::size_t at = 0; at < fields.size(); at += 32) {
    const std::string run = fields.substr(at, 32);
    packed += static_cast<char>(run.size() - 1) + run;
  }
  return pcd_header("binary_compressed") + stored(static_cast<std::uint32_t>(packed.size())) +
         stored(std::uint32_t{12 + 72}) + packed;
}

std::string pcd_ascii() {
  std::string data = pcd_header("ascii");
  for (const Point& p : points()) {
    char line[128];
    std::snprintf(line, sizeof line, "7 8 %g %g %g\n", static_cast<double>(p.x), static_cast<double>(p.y),
                  static_cast<double>(p.z));
    data += line;
  }
  return data;
}

TEST_F(OtherFormats, PcdInItsThreeForms) {
  sidecar.z.scale_mm = 1000;
  expect_grid(read("a.pcd", pcd_binary()));
  expect_grid(read("a.pcd", pcd_ascii()));
  expect_grid(read("a.pcd", pcd_compressed()));
}

TEST_F(OtherFormats, ACloudThatIsNoGridIsRefused) {
  sidecar.z.scale_mm = 1000;
  profile.noise = {{0}, {5}};  // um
  std::string data = pcd_binary();
  const std::size_t x_of_1 = pcd_header("binary").size() + 14 + 2;
  // 5 um beside its node is a pixel's noise on a slope of 45 degrees; slightly more is refused.
  data.replace(x_of_1, 4, stored(-0.475005f / 1000));
  EXPECT_EQ(refusal("a.pcd", data), "accepted");
  data.replace(x_of_1, 4, stored(-0.47499f / 1000));
  EXPECT_EQ(
      refusal("a.pcd", data),
      "a.pcd: row 0, column 1 lies at x = -0.474990 mm where the sidecar's grid has -0.480000 mm; allowed "
      "beside it: 0.005000 mm, a pixel's noise. Export a regular grid");
  data.replace(x_of_1, 4, stored(nan));
  EXPECT_THAT(refusal("a.pcd", data), HasSubstr("row 0, column 1 is (nan, 0, "));
  sidecar.z.scale_mm = 1;  // the file is in m
  EXPECT_THAT(refusal("a.pcd", pcd_binary()), HasSubstr("row 0, column 0 lies at x = -0.000500 mm"));
  sidecar.z.scale_mm = 1000;
  sidecar.invalid = {InvalidMark::Kind::none, 0};
  EXPECT_THAT(refusal("a.pcd", pcd_binary()), HasSubstr("row 1, column 0 is NaN"));
}

// The rounding of stored numbers is allowed beside the noise: floats, or six printed digits.
TEST_F(OtherFormats, TheRoundingOfStoredNumbersIsAllowed) {
  sidecar.z.scale_mm = 1000;
  profile.noise = {{0}, {1e-9}};
  EXPECT_EQ(refusal("a.pcd", pcd_binary()), "accepted");
  EXPECT_EQ(refusal("a.pcd", pcd_compressed()), "accepted");
  std::string text = pcd_ascii();
  EXPECT_EQ(refusal("a.pcd", text), "accepted");
  // -0.00048 m, printed to six digits only: 1 nm off
  text.replace(text.find("-0.00048 "), 9, "-0.000480001 ");
  EXPECT_EQ(refusal("a.pcd", text), "accepted");
  text.replace(text.find("-0.000480001 "), 13, "-0.00048001 ");
  EXPECT_THAT(refusal("a.pcd", text), HasSubstr("row 0, column 1 lies at x = -0.480010 mm"));
}

TEST_F(OtherFormats, DamagedPcdIsRefused) {
  sidecar.z.scale_mm = 1000;
  const auto refused = [&](const std::string& bytes) { return refusal("a.pcd", bytes); };
  const std::string good = pcd_binary(), packed = pcd_compressed();
  EXPECT_EQ(refused(good.substr(0, good.size() - 1)), "a.pcd: 83 bytes of points; exactly 84 belong");
  EXPECT_EQ(refused(good + "x"), "a.pcd: 85 bytes of points; exactly 84 belong");
  EXPECT_EQ(refused(pcd_header("ascii") + "7 8 1 2\n"), "a.pcd data:1: 4 values where 5 belong");
  EXPECT_EQ(refused(pcd_header("ascii") + "7 8 1 2 x\n"), "a.pcd data:1: x is not a number");
  EXPECT_EQ(refused(pcd_header("ascii") + "7 8 nan nan nan\n"),
            "a.pcd data:1: 1 points where 6 are announced");
  EXPECT_EQ(refused(pcd_header("binary", "1")),
            "a.pcd: HEIGHT 1: a cloud without rows; export an organised one, with a point for each pixel");
  EXPECT_EQ(refused(pcd_header("binary", "3")), "a.pcd: POINTS 6 where WIDTH x HEIGHT is 9");
  EXPECT_THAT(refused(pcd_header("binary", "2", "0 0 1 1 0 0 0")),
              HasSubstr("VIEWPOINT is not 0 0 0 1 0 0 0"));
  EXPECT_THAT(refused(pcd_header("zipped")),
              HasSubstr("DATA zipped; ascii, binary or binary_compressed is read"));
  EXPECT_EQ(refused("VERSION 0.7\n"), "a.pcd:1: the header has no line DATA");
  EXPECT_THAT(
      refused(
          "FIELDS x y\nSIZE 4 4\nTYPE F F\nCOUNT 1 1\nWIDTH 1\nHEIGHT 2\nPOINTS 2\nDATA ascii\n1 2\n1 2\n"),
      HasSubstr("no field z"));
  EXPECT_THAT(refused("FIELDS x y\nSIZE 4\nDATA ascii\n"), HasSubstr("must name 1 to 64 fields alike"));
  EXPECT_EQ(refused(packed.substr(0, packed.size() - 1)),
            "a.pcd: 84 bytes packed in 81; 84 packed in 80 are there");
}

TEST(Lzf, DamagedDataIsRefused) {
  const auto unpacked = [](const std::string& packed, std::size_t size) {
    try {
      const Bytes bytes = unpack_lzf(bytes_of(packed), size, "a");
      return std::string(bytes.begin(), bytes.end());
    } catch (const FrameError& e) {
      return "!" + std::string(e.what());
    }
  };
  const std::string zero(1, '\0');
  EXPECT_EQ(unpacked(zero + "a\x20" + zero, 4), "aaaa");  // 1 + 2 bytes from 1 back
  EXPECT_EQ(unpacked(std::string("\x01") + "ab\x40\x01", 6), "ababab");
  EXPECT_EQ(unpacked(zero + "a\x20" + zero, 3), "!a: its compressed data is damaged: more than 3 bytes");
  EXPECT_EQ(unpacked(zero + "a", 2), "!a: its compressed data is damaged: 1 bytes where 2 are announced");
  EXPECT_EQ(unpacked(std::string("\x20") + zero, 3),
            "!a: its compressed data is damaged: a reference before its start");
  EXPECT_EQ(unpacked("\x05"
                     "ab",
                     6),
            "!a: its compressed data is damaged: it ends too early");
  EXPECT_EQ(unpacked(zero + "a\xe0", 9), "!a: its compressed data is damaged: it ends too early");
}

// --- PLY

std::string ply_header(const std::string& format,
                       const std::string& more = "comment rows 2\ncomment cols 3\n", int vertices = 6) {
  return "ply\nformat " + format + " 1.0\n" + more + "element vertex " + std::to_string(vertices) +
         "\nproperty float x\nproperty uchar red\nproperty double y\nproperty float z\nend_header\n";
}

std::string ply_body(bool big) {
  std::string data;
  for (const Point& p : points())
    data += stored(p.x * 1000, big) + "r" + stored(static_cast<double>(p.y) * 1000, big) +
            stored(p.z * 1000, big);
  return data;
}

TEST_F(OtherFormats, PlyInItsThreeForms) {
  expect_grid(read("a.ply", ply_header("binary_little_endian") + ply_body(false)));
  expect_grid(read("a.ply", ply_header("binary_big_endian", "obj_info num_cols 3\nobj_info num_rows 2\n") +
                                ply_body(true)));
  std::string text = ply_header("ascii");
  for (const Point& p : points()) {
    char line[128];
    std::snprintf(line, sizeof line, "%g 7 %g %g\n", static_cast<double>(p.x * 1000),
                  static_cast<double>(p.y * 1000), static_cast<double>(p.z * 1000));
    text += line;
  }
  expect_grid(read("a.ply", text));
}

// Without the invalid pixel, in any order.
const std::string by_cell =
    "ply\r\nformat ascii 1.0\r\ncomment rows 2\r\ncomment columns 3\r\nelement vertex 5\r\nproperty float "
    "x\r\n"
    "property float y\r\nproperty float z\r\nproperty ushort row\r\nproperty ushort col\r\nelement face 1\r\n"
    "property list uchar int vertex_indices\r\nend_header\r\n"
    "-0.46 0.02 1.25 1 2\r\n-0.48 0.02 0 1 1\r\n-0.46 0 -0.3 0 2\r\n-0.48 0 0.2 0 1\r\n-0.5 0 0.1 0 0\r\n3 0 "
    "1 2\r\n";

TEST_F(OtherFormats, PlyByRowAndColumnOfEachVertex) {
  expect_grid(read("a.ply", by_cell));
  std::string twice = by_cell;
  twice.replace(twice.find(" 0 0.1 0 0"), 10, " 0 0.1 0 1");
  EXPECT_EQ(refusal("a.ply", twice), "a.ply: row 0, column 1 has two vertices");
  std::string outside = by_cell;
  outside.replace(outside.find(" 0 0.1 0 0"), 10, " 0 0.1 0 3");
  EXPECT_EQ(refusal("a.ply", outside), "a.ply: vertex 4 at row 0, column 3, outside the grid");
}

TEST_F(OtherFormats, DamagedPlyIsRefused) {
  const auto refused = [&](const std::string& bytes) { return refusal("a.ply", bytes); };
  const std::string good = ply_header("binary_little_endian") + ply_body(false);
  EXPECT_EQ(refused(good.substr(0, good.size() - 1)), "a.ply: 6 vertices can't come from 101 bytes");
  EXPECT_EQ(refused(good + "x"), "a.ply: 1 bytes after the last vertex");
  EXPECT_EQ(refused(ply_header("ascii", "")),
            "a.ply: its grid is not stated: \"comment rows N\" and \"comment cols N\" (or obj_info num_rows, "
            "num_cols)");
  EXPECT_EQ(refused(ply_header("ascii", "comment rows 2\ncomment cols 4\n")),
            "a.ply: 6 vertices for 2 rows x 4 columns, and no properties row and col to place them");
  EXPECT_EQ(refused("ply\nformat ascii 2.0\nend_header\n"),
            "a.ply:2: format must be ascii, binary_little_endian or binary_big_endian 1.0");
  EXPECT_EQ(refused("ply\nformat ascii 1.0\nelement face 1\nend_header\n"),
            "a.ply:3: the first element must be vertex");
  EXPECT_EQ(refused("ply\nformat ascii 1.0\nelement vertex 1\nproperty list uchar int x\nend_header\n"),
            "a.ply:4: type list of a vertex; only plain numbers are read, no lists");
  EXPECT_EQ(refused("solid\n"), "a.ply:1: does not start with a line \"ply\"");
  EXPECT_EQ(refused("ply\nformat ascii 1.0\n"), "a.ply:2: the header has no end_header");
  EXPECT_THAT(
      refused(ply_header("binary_little_endian", "comment rows 30000\ncomment cols 30000\n", 900'000'000)),
      HasSubstr("at most 2^20 each and 2^28 together are read"));
}

TEST_F(OtherFormats, EveryFormatHonoursHandednessAndHashes) {
  sidecar.z.scale_mm = 1000;
  sidecar.handedness = profile.handedness = Handedness::left;
  const HeightFrame frame = read("a.pcd", pcd_binary());
  EXPECT_TRUE(frame.mirrored);
  EXPECT_THAT(frame.classes, ElementsAre(ok, ok, ok, ok, ok, no_data)) << "columns reversed once";
  EXPECT_DOUBLE_EQ(frame.x.at(0), 0.46);
  sidecar.header_sha256 = "";
  sidecar.height_sha256 = std::string(64, '0');
  EXPECT_THAT(refusal("a.pcd", pcd_binary()), HasSubstr("its SHA-256 differs from the sidecar's"));
}

}  // namespace
}  // namespace datum
