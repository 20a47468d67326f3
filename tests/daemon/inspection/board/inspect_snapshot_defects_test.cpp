// Words of a board of several snapshots, and foreign objects between its parts.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "daemon/inspection/recipe/defect_recipe.h"
#include "tests/daemon/inspection/board/snapshot_board.h"

namespace datum::inspect_snapshot_defects_test {
namespace {

using testing::box;
using ::testing::HasSubstr;
using testing::row;
using testing::snapshot_count;
using testing::SnapshotBoard;

struct Defective : SnapshotBoard {
  Defective() {
    DefectRecipe d;
    d.max_shift_mm = 0.1;
    ForeignRecipe f;
    f.row.reference = "FOREIGN";
    f.row.package = foreign_package;
    f.min_size_mm = 0.8;
    Check check;
    check.characteristic = Characteristic::foreign_height;
    check.upper = 150;
    check.expected = 0;
    f.row.checks = {check};
    d.foreign = f;
    scene.recipe.defects = std::make_shared<DefectRecipe>(d);
  }
  /// What the sensor sees, while the recipe stays as it is.
  void show(const std::vector<Component>& seen) {
    scene.recipe.components = seen;
    for (std::size_t k = 0; k < snapshot_count; ++k) take(k);
    scene.recipe.components = testing::snapshot_parts();
  }
};

Component object(double x_mm, double y_mm, double height_um) {
  Component c = box("object", x_mm, y_mm, 0, height_um);
  c.body.size_mm = {1.2, 1.2};
  return c;
}

TEST(InspectSnapshotDefects, AGoodBoardHasNoWord) {
  const BoardVerdict v = Defective().inspect();
  EXPECT_EQ(v.decision, Decision::pass) << to_json(v);
  for (const ComponentVerdict& c : v.components) EXPECT_FALSE(c.defect) << c.reference;
  EXPECT_EQ(row(v, "FOREIGN").checks.at(0).value, 0);
  EXPECT_EQ(to_json(verdict_from_json(to_json(v))), to_json(v));
}

/// U5 is missing, U2 shifted by 0.15 mm, U3 that two snapshots show is missing as well.
TEST(InspectSnapshotDefects, WordsComeFromTheSnapshotThatMeasures) {
  Defective board;
  std::vector<Component> seen = testing::snapshot_parts();
  seen[1].body.centre_mm.y() += 0.15;
  std::erase_if(seen, [](const Component& c) { return c.reference == "U5" || c.reference == "U3"; });
  board.show(seen);
  Check& of_shifted = board.scene.recipe.components[1].checks[0];  // wide: its height passes
  of_shifted.lower = 300;
  of_shifted.upper = 900;
  const BoardVerdict v = board.inspect();
  EXPECT_EQ(v.decision, Decision::invalid);
  EXPECT_EQ(row(v, "U5").decision, Decision::fail);
  for (const auto& [reference, word] :
       {std::pair{"U2", Defect::shifted}, {"U3", Defect::missing}, {"U5", Defect::missing}}) {
    ASSERT_TRUE(row(v, reference).defect) << reference;
    EXPECT_EQ(row(v, reference).defect->word, word) << reference;
  }
  EXPECT_EQ(row(v, "U2").checks.at(0).reason, Reason::defect) << "a good height does not pass it";
  EXPECT_EQ(row(v, "U8").decision, Decision::pass);
  EXPECT_FALSE(row(v, "FOREIGN").defect);
}

/// One lies in the last snapshot alone, the other where the first two overlap.
TEST(InspectSnapshotDefects, AForeignObjectIsToldOnceWhereItLies) {
  for (const auto& [x, y] : {std::pair{28.9, 2.2}, {14.2, 6.7}}) {
    Defective board;
    std::vector<Component> seen = testing::snapshot_parts();
    seen.push_back(object(x, y, 400));
    board.show(seen);
    const BoardVerdict v = board.inspect();
    ASSERT_EQ(v.components.size(), 11u) << "ten parts and one row";
    const ComponentVerdict& foreign = row(v, "FOREIGN");
    EXPECT_EQ(foreign.decision, Decision::fail);
    ASSERT_TRUE(foreign.defect);
    EXPECT_EQ(foreign.defect->word, Defect::foreign_object);
    EXPECT_NEAR(foreign.checks.at(0).value, 400, 20);
    double at_x = 0, at_y = 0;
    const std::string& text = foreign.defect->detail;
    ASSERT_EQ(std::sscanf(text.c_str() + text.find("at ["), "at [%lf, %lf]", &at_x, &at_y), 2) << text;
    EXPECT_NEAR(at_x, x, 0.2) << "board coordinates";
    EXPECT_NEAR(at_y, y, 0.2);
  }
}

TEST(InspectSnapshotDefects, NobodySawWhatLiesInAMissingSnapshot) {
  Defective board;
  board.snapshots[1] = {nullptr, {}, "it did not come"};
  const BoardVerdict v = board.inspect();
  const CheckVerdict& foreign = row(v, "FOREIGN").checks.at(0);
  EXPECT_EQ(foreign.decision, Decision::invalid);
  EXPECT_EQ(foreign.reason, Reason::snapshots);
  EXPECT_THAT(foreign.detail, HasSubstr("snapshot 2 of 3 (b): it did not come"));
  EXPECT_EQ(row(v, "FOREIGN").decision, Decision::invalid);
}

}  // namespace
}  // namespace datum::inspect_snapshot_defects_test
