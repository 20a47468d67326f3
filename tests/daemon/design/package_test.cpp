// What names of packages and the library say of bodies and heights.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "config/toml_reader.h"
#include "daemon/design/package_library.h"
#include "daemon/design/package_name.h"
#include "tests/fresh_folder.h"

namespace datum::package_test {
namespace {

using namespace design;
using ::testing::HasSubstr;

struct Row {
  const char* name;
  double x, y, height_um;  // 0: none
};

TEST(PackageName, IsDecodedByItsStandard) {
  for (const Row& row :
       {Row{"RESC1608X55N", 1.6, 0.8, 550}, Row{"CAPC3216X180", 3.2, 1.6, 1800},
        Row{"RESC0603X26", 0.6, 0.3, 260}, Row{"CAPMP3528X210N", 3.5, 2.8, 2100},
        Row{"CAPAE660X550N", 6.6, 6.6, 5500}, Row{"SOIC127P600X175-8N", 0, 0, 1750},
        Row{"QFP50P900X900X160-48N", 0, 0, 1600}, Row{"SOT95P280X145-3N", 0, 0, 1450},
        Row{"QFN50P500X500X80-33N", 0, 0, 800}, Row{"BGA484C100P22X22_2300X2300X242", 23, 23, 2420},
        Row{"CP_Elec_6.3x7.7", 6.3, 6.3, 7700}, Row{"CP_EIA-3528-21_Kemet-B", 3.5, 2.8, 2100},
        Row{"C_Radial_D6.3mm_H11.0mm_P2.50mm", 6.3, 6.3, 11000}, Row{"LQFP-48_7x7mm_P0.5mm", 7, 7, 0},
        Row{"L_7.3x7.3x4.5mm", 0, 0, 0}, Row{"L_Coil_7.3x7.3x4.5mm", 7.3, 7.3, 4500},
        Row{"R_0603_1608Metric", 0, 0, 0}, Row{"", 0, 0, 0}, Row{"CAPC9999X999999", 0, 0, 0}}) {
    SCOPED_TRACE(row.name);
    const auto found = decode_package_name(row.name);
    const Point body = found && found->body_mm ? *found->body_mm : Point::Zero();
    if (std::string(row.name) != "L_7.3x7.3x4.5mm") {
      EXPECT_NEAR(body.x(), row.x, 1e-9);
      EXPECT_NEAR(body.y(), row.y, 1e-9);
      EXPECT_NEAR(found && found->height_um ? *found->height_um : 0, row.height_um, 1e-6);
    }
  }
  EXPECT_TRUE(decode_package_name("SOIC127P600X175-8N")->is_maximum);
}

TEST(PackageLibrary, PatternsMatchNamesOfAnyCase) {
  EXPECT_TRUE(matches_pattern("R_0603*", "r_0603_1608Metric"));
  EXPECT_TRUE(matches_pattern("*EIA-3528-21*", "CP_EIA-3528-21_Kemet-B"));
  EXPECT_TRUE(matches_pattern("C?", "C1"));
  EXPECT_FALSE(matches_pattern("C?", "C12"));
  EXPECT_FALSE(matches_pattern("SOIC-*", "TSOIC-8"));
  EXPECT_FALSE(matches_pattern(std::string(200, '*') + "b", std::string(100'000, 'a'))) << "in a moment";
}

struct Library : ::testing::Test {
  PackageLibrary of(const std::string& text) {
    PackageLibrary library;
    library.add_file(folder.write("l.toml", text));
    return library;
  }
  testing::FreshFolder folder;
};

TEST_F(Library, AConfirmedHeightComesBeforeTheFilesThenTheNameThenATable) {
  Component c;
  c.package = "CAPC1608X90";
  const std::string table =
      "schema = 1\n[package.C]\nmatch = [\"CAPC*\"]\nheight_um = 800\nsource = \"a table\"\n";
  PackageLibrary unconfirmed = of(table), confirmed = of(table + "confirmed = true\ntolerance_um = 40\n");
  EXPECT_EQ(height_of(c, unconfirmed.find(c.package))->um, 900) << "the name";
  c.height_um = 950;
  EXPECT_EQ(height_of(c, unconfirmed.find(c.package))->um, 950) << "the design file";
  EXPECT_FALSE(height_of(c, unconfirmed.find(c.package))->confirmed);
  const HeightFact fact = *height_of(c, confirmed.find(c.package));
  EXPECT_EQ(fact.um, 800);
  EXPECT_EQ(fact.tolerance_um, 40);
  EXPECT_TRUE(fact.confirmed);
  EXPECT_EQ(fact.source, "a table");
  c.height_um = 25.4;  // 0.001 inches: "unknown"
  c.package = "CAPX";
  EXPECT_FALSE(height_of(c, unconfirmed.find(c.package)));
}

TEST_F(Library, ALaterFileComesFirst) {
  PackageLibrary library = of("schema = 1\n[package.C]\nmatch = [\"C*\"]\nheight_um = 800\nsource = \"a\"\n");
  library.add_file(folder.write(
      "m.toml",
      "schema = 1\n[package.C]\nmatch = [\"C_0603*\"]\nheight_um = 700\nsource = \"b\"\nconfirmed = true\n"));
  EXPECT_EQ(library.find("C_0603_1608Metric")->height_um, 700);
  EXPECT_EQ(library.find("C_0805")->height_um, 800);
}

TEST_F(Library, AHeightWithoutSourceIsRefused) {
  const auto refusal = [&](const std::string& keys) -> std::string {
    try {
      of("schema = 1\n[package.C]\n" + keys);
    } catch (const config::ConfigError& error) {
      return error.what();
    }
    return "";
  };
  EXPECT_THAT(refusal("height_um = 800\n"), HasSubstr("source: missing"));
  EXPECT_THAT(refusal("confirmed = true\n"), HasSubstr("confirmed"));
  EXPECT_THAT(refusal("hight_um = 800\n"), HasSubstr("hight_um"));
}

TEST(StarterLibrary, ConfirmsNoHeight) {
  PackageLibrary library;
  library.add_file(DATUM_SOURCE_DIR "/config/packages/starter.toml");
  EXPECT_GT(library.size(), 50u);
  for (const auto& [name, um] : {std::pair{"C_0603_1608Metric", 800.0}, std::pair{"R_0402_1005Metric", 350.0},
                                 std::pair{"SOIC-8_3.9x4.9mm_P1.27mm", 1750.0},
                                 std::pair{"LQFP-48_7x7mm_P0.5mm", 1600.0}, std::pair{"SOT-23", 1000.0}}) {
    const LibraryPackage* entry = library.find(name);
    ASSERT_TRUE(entry) << name;
    EXPECT_EQ(entry->height_um, um) << name;
    EXPECT_FALSE(entry->confirmed) << name;
  }
}

}  // namespace
}  // namespace datum::package_test
