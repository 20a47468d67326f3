// A design changes: what people put into its recipe stays, and what changed is listed.
#include "daemon/teach/design_change.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <fstream>
#include <sstream>

#include "config/toml_reader.h"
#include "daemon/design/read_design.h"
#include "daemon/design/recipe_text.h"
#include "daemon/inspection/recipe/recipe.h"
#include "tests/fresh_folder.h"

namespace datum::design_change_test {
namespace {

using namespace teach;
using ::testing::Contains;
using ::testing::Each;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Not;

std::string replaced(std::string text, const std::string& from, const std::string& to) {
  const auto at = text.find(from);
  if (at == std::string::npos) throw std::runtime_error("no " + from);
  return text.replace(at, from.size(), to);
}

struct ADesignChanges : ::testing::Test {
  ADesignChanges() {
    std::ostringstream text;
    text << std::ifstream(DATUM_SOURCE_DIR "/config/designs/demo.kicad_pcb").rdbuf();
    design = text.str();
    library.add_file(DATUM_SOURCE_DIR "/config/packages/starter.toml");
    former = imported(design);
    recipe = former;
  }
  std::string imported(const std::string& text) const {
    const datum::testing::FreshFolder folder;
    const design::ReadDesign read = design::load_design(folder.write("b.kicad_pcb", text));
    const design::DraftSettings settings;
    design::RecipeHead head;
    head.name = "board";
    head.sensor_serial = "S1";
    head.source = "b.kicad_pcb";
    head.source_sha256 = read.sha256;
    return design::recipe_text(design::draft_recipe(read.design, library, settings), settings, head);
  }
  UpdatedRecipe updated(const std::string& changed, bool with_former = true) const {
    DesignChange change{recipe, "r.toml", imported(changed), std::nullopt, {{"C9", "gone for a test"}}};
    if (with_former) change.former_import = former;
    return updated_recipe(change);
  }
  static Recipe read(const std::string& text) {
    config::Problems problems;
    Recipe recipe = recipe_from_text(text, "r.toml", problems);
    for (const auto& error : problems.errors()) ADD_FAILURE() << error.what();
    return recipe;
  }
  static Component part(const std::string& text, const std::string& reference) {
    for (const Component& c : read(text).components)
      if (c.reference == reference) return c;
    throw std::runtime_error("no " + reference);
  }
  /// The footprint with this reference, from its first line to the next one's.
  static std::pair<std::size_t, std::size_t> footprint(const std::string& design,
                                                       const std::string& reference) {
    const std::size_t named = design.find("\"" + reference + "\"");
    const std::size_t begin = design.rfind("\n  (footprint", named) + 1;
    return {begin, std::min(design.find("\n  (footprint", begin), design.find("\n  (segment", begin)) + 1};
  }
  /// The design with a footprint's text changed.
  std::string with(const std::string& reference, const std::string& from, const std::string& to) const {
    const auto [begin, end] = footprint(design, reference);
    return design.substr(0, begin) + replaced(design.substr(begin, end - begin), from, to) +
           design.substr(end);
  }
  void confirm(const std::string& reference, const std::string& keys) {
    recipe =
        replaced(recipe, "reference = \"" + reference + "\"", "reference = \"" + reference + "\", " + keys);
  }

  design::PackageLibrary library;
  std::string design, former, recipe;
};

const std::string said =
    "nominal_um = 812.5, nominal_source = \"5 golden boards, confirmed by A\", nominal_confirmed = true, "
    "characteristic = "
    "\"median\", lower_um = 780.0, upper_um = 845.0";

TEST_F(ADesignChanges, NothingChangesWithoutAChange) {
  EXPECT_THAT(updated(design).changes, IsEmpty());
  EXPECT_EQ(updated(design).text, recipe);
  EXPECT_FALSE(updated(design).open);
}

TEST_F(ADesignChanges, AMovedPartKeepsItsConfirmation) {
  confirm("C1", said);
  const auto [begin, end] = footprint(design, "C1");
  const std::string text = design.substr(begin, end - begin);
  const std::size_t at = text.find("(at ");
  const std::string place = text.substr(at, text.find(')', at) - at + 1);
  std::istringstream numbers(place.substr(4));
  double x = 0, y = 0;
  numbers >> x >> y;
  std::ostringstream moved;
  moved << "(at " << x + 0.5 << ' ' << y << " 90)";
  for (const bool with_former : {true, false}) {
    const UpdatedRecipe now = updated(with("C1", place, moved.str()), with_former);
    EXPECT_THAT(now.changes, Contains(HasSubstr("C1: moved from [8, 36] to [8.5, 36] mm")));
    const Component c1 = part(now.text, "C1");
    EXPECT_EQ(c1.nominal_height_um, 812.5);
    EXPECT_THAT(now.text, HasSubstr("20 of them with a floor; 1 heights are confirmed."));
    EXPECT_TRUE(c1.nominal_confirmed);
    EXPECT_EQ(c1.nominal_source, "5 golden boards, confirmed by A");
    EXPECT_EQ(c1.checks[0].lower, 780);
    EXPECT_EQ(c1.checks[0].upper, 845);
    EXPECT_EQ(c1.checks.size(), 2u);
    EXPECT_FALSE(part(now.text, "C2").nominal_confirmed);
    EXPECT_FALSE(now.open);
  }
}

TEST_F(ADesignChanges, AnotherPackageLosesItsConfirmation) {
  confirm("C1", said);
  const UpdatedRecipe now = updated(with("C1", "C_0603_1608Metric", "R_0603_1608Metric"));
  EXPECT_THAT(now.changes, Contains(HasSubstr("C1: package changed from C_0603_1608Metric")));
  EXPECT_THAT(now.changes, Contains(HasSubstr("its confirmation is lost")));
  EXPECT_TRUE(now.open);
  const Component c1 = part(now.text, "C1");
  EXPECT_FALSE(c1.nominal_confirmed);
  EXPECT_EQ(c1.nominal_height_um, 450);
}

TEST_F(ADesignChanges, APlaceThatMustBeEmptyNowKeepsNoHeight) {
  confirm("C1", said);
  const std::string empty =
      replaced(former, "reference = \"C1\"",
               "reference = \"C1\", characteristic = \"median\", upper_um = 300.0, check = [ { "
               "characteristic = \"presence\", upper_permille = 250.0 } ]");
  const UpdatedRecipe now = updated_recipe({recipe, "r.toml", empty, former, {}});
  EXPECT_THAT(now.changes, Contains("C1: must be empty now"));
  EXPECT_FALSE(part(now.text, "C1").checks[0].lower);
  EXPECT_EQ(part(now.text, "C1").checks[0].upper, 300);
}

TEST_F(ADesignChanges, ARemovedPartIsListedAndOneOfNoDesignStays) {
  recipe = replaced(recipe, "component = [\n",
                    "component = [\n  { reference = \"HAND\", package = \"own\", centre_mm = [50.0, 40.0], "
                    "body_mm = [1.0, 1.0], "
                    "nominal_um = 300.0, characteristic = \"median\", tolerance_um = 50.0 },\n");
  const auto [begin, end] = footprint(design, "C6");
  const std::string fewer = design.substr(0, begin) + design.substr(end);
  for (const bool with_former : {true, false}) {
    const UpdatedRecipe now = updated(fewer, with_former);
    EXPECT_THAT(now.changes, Contains("C6: removed"));
    EXPECT_THAT(now.changes, Contains("HAND: kept, no part of the design"));
    EXPECT_EQ(part(now.text, "HAND").nominal_height_um, 300);
    EXPECT_EQ(read(now.text).components.size(), read(recipe).components.size() - 1);
  }
  former = imported(fewer);
  std::string taught = former;
  std::swap(recipe, taught);
  const UpdatedRecipe more = updated(design);
  EXPECT_THAT(more.changes, Contains(HasSubstr("C6: added (C_0603_1608Metric, not confirmed)")));
  EXPECT_TRUE(more.open);
}

TEST_F(ADesignChanges, WhatWasEditedByHandStays) {
  confirm("U1", "floor_outline_mm = [11.0, 12.0], floor_outline_offset_mm = [0.5, 0.0], surface_um = 9.0");
  recipe = replaced(recipe, ", surface_um = 5.0 },  # mask over laminate", " },  # mask over laminate");
  recipe = replaced(recipe, "erode_px = 3", "erode_px = 2  # small parts");
  recipe = replaced(recipe, "exclusion = [\n",
                    "exclusion = [\n  { centre_mm = [30.0, 30.0], size_mm = [0.7, 0.3] },\n");
  recipe = replaced(recipe, "lower_permille = 750.0", "lower_permille = 820.0");
  recipe +=
      "\n[[confirmation]]\nby = \"A\"\nat = \"2026-11-21T08:00:00Z\"\nreferences = [\"C1\"]\nframes_sha256 = "
      "[]\n";
  const auto [begin, end] = footprint(design, "C6");
  const UpdatedRecipe now = updated(design.substr(0, begin) + design.substr(end));
  const Component u1 = part(now.text, "U1");
  ASSERT_TRUE(u1.floor_outline);
  EXPECT_EQ(u1.floor_outline->size_mm, Eigen::Vector2d(11, 12));
  EXPECT_EQ(u1.surface_um, 9);
  EXPECT_THAT(now.changes, Contains("U1: its ring's outline is kept, edited by hand"));
  EXPECT_THAT(now.changes, Contains("1 exclusions of the recipe are kept, put in by hand"));
  EXPECT_THAT(now.text, HasSubstr("erode_px = 2  # small parts"));
  EXPECT_EQ(read(now.text).body.erode_px, 2);
  EXPECT_EQ(read(now.text).confirmations.size(), 1u);
  std::size_t edited = 0;
  for (const Component& c : read(now.text).components)
    for (const Check& check : c.checks)
      edited += check.characteristic == Characteristic::presence && check.lower == 820;
  std::size_t before = 0;
  for (const Component& c : read(recipe).components)
    for (const Check& check : c.checks)
      before += c.reference != "C6" && check.characteristic == Characteristic::presence && check.lower == 820;
  EXPECT_EQ(edited, before);
  EXPECT_GT(before, 0u);
}

TEST_F(ADesignChanges, AnotherSideIsRefused) {
  recipe =
      "schema = 1\nname = \"r\"\nsensor_serial = \"S1\"\n"
      "component = [ { reference = \"Z9\", package = \"p\", centre_mm = [5.0, 5.0], body_mm = [1.0, 1.0], "
      "nominal_um = 300.0, "
      "characteristic = \"median\", tolerance_um = 50.0 } ]\n" +
      former.substr(former.find("[board]"));
  EXPECT_THROW(updated(design), std::invalid_argument);
}

}  // namespace
}  // namespace datum::design_change_test
