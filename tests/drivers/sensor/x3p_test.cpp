// X3P: the 2 x 3 frame in files written by Python's zipfile and hashlib, and damaged or foreign files.
#include "tests/drivers/sensor/other_formats.h"
#include "tests/sample_file.h"

namespace datum {
namespace {

using namespace datum::testing;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
namespace fs = std::filesystem;

std::string x3p(const std::string& name) {
  return slurp(fs::path(DATUM_SOURCE_DIR) / "tests/data/x3p" / name);
}

TEST_F(OtherFormats, X3pWithItsChecksums) {
  sidecar.z.scale_mm = 1000;
  expect_grid(read("a.x3p", x3p("good.x3p")));
  sidecar.invalid = {InvalidMark::Kind::value, -32768};
  const HeightFrame frame = read("a.x3p", x3p("short_integers.x3p"));
  EXPECT_THAT(std::get<std::vector<std::int16_t>>(frame.counts),
              ElementsAre(100, 200, -300, -32768, 0, 32767));
}

TEST_F(OtherFormats, X3pThatIsDamagedOrSomethingElseIsRefused) {
  sidecar.z.scale_mm = 1000;
  const std::pair<const char*, const char*> files[] = {
      {"data_changed", "its checksum of bindata/data.bin differs; it is damaged or was changed"},
      {"xml_changed", "its checksum of main.xml differs; it is damaged or was changed"},
      {"no_checksum", "has no md5checksum.hex"},
      {"no_data_checksum", "has no checksum of bindata/data.bin"},
      {"no_data", "has no bindata/data.bin"},
      {"profile", "FeatureType 'PRF'; SUR, an areal surface, is read"},
      {"uneven_axis", "axis CX is not incremental; export a regular grid"},
      {"mask", "has a mask of valid points of its own; export invalid points as NaN"},
      {"more_data", "bindata/data.bin has 96 bytes; at most 48 belong"},
      {"less_data", "bindata/data.bin has 40 bytes; 2 rows x 3 columns need 48"},
      {"huge", "100000 rows x 100000 columns; at most 2^20 each and 2^28 together are read"},
      {"bomb", "bindata/data.bin has 3000000 bytes; at most 48 belong"},
      {"xml_bomb", "main.xml has 3000919 bytes; at most 1048576 belong"},
      {"other_scale", "its x scale is 0.021 mm, the sidecar's 0.02 mm; correct the one that is wrong"},
      {"no_zip", "is no zip file"},
      {"truncated", "is no zip file"},
      {"entry_damaged", "bindata/data.bin"},
      {"no_xml", "main.xml is no XML"}};
  for (const auto& [name, message] : files)
    EXPECT_THAT(refusal("a.x3p", x3p(std::string(name) + ".x3p")),
                HasSubstr(std::string("a.x3p: ") + message))
        << name;
}

}  // namespace
}  // namespace datum
