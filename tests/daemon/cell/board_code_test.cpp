// The code on a board: its number, and what may not pass where it is missing or contradicts.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "daemon/cell/board.h"
#include "daemon/inspection/recipe/alignment_recipe.h"
#include "daemon/inspection/recipe/code_region.h"
#include "drivers/codes/data_matrix.h"
#include "gpu/board/cpu_board.h"
#include "tests/daemon/cell/print_on_board.h"
#include "tests/fresh_folder.h"

namespace datum {
namespace board_code_test {
namespace {

using ::testing::HasSubstr;

class InProcess final : public CodeReader {
 public:
  std::vector<ReadCode> read(const GreyImage& image) const override { return read_data_matrix(image); }
};
class Broken final : public CodeReader {
 public:
  std::vector<ReadCode> read(const GreyImage&) const override { throw CodeError("it ended with signal 31"); }
};

/// A board with codes printed on it, in its own coordinates.
struct Rig {
  testing::FreshFolder folder;
  ResultStore store{folder.path() / "results.db"};
  testing::Scene scene = testing::make_scene();
  Backend backend;
  CpuBoardMeasurer measurer{backend};
  InProcess reader;
  Recipe recipe = scene.recipe;
  CodeRegion region;
  BoardOrder order;

  Rig() {
    testing::render(scene);
    recipe.without_serial = WithoutSerial::invalid;
    region.centre_mm = Eigen::Vector2d(6, 4);
    region.size_mm = Eigen::Vector2d(6, 5);
    region.payload.table = "serial.code";
    order.codes = &reader;
    testing::make_bare(scene);
  }
  void print(const std::string& bytes, Eigen::Vector2d centre_mm = {6, 4}, bool mirrored = false,
             double module_mm = 0.15, std::uint16_t ink = 9'000) {
    testing::print_on_board(scene, recipe, bytes, centre_mm, mirrored, module_mm, ink);
  }
  BoardVerdict measured() {
    recipe.code = std::make_shared<const CodeRegion>(region);
    order.recipe = std::make_shared<Recipe>(recipe);
    order.sensor = &scene.sensor;
    order.measurer = &measurer;
    order.threads = 1;
    order.frame = DroppedFrame{scene.frame, {"S1", "F1", "beef"}};
    measure(order, 1'000'000'000);
    store_results({&order}, store);
    EXPECT_EQ(order.store_error, "");
    return store.latest()->verdict();
  }
};

void expect_invalid(const BoardVerdict& v, const std::string& why) {
  EXPECT_EQ(v.decision, Decision::invalid);
  EXPECT_EQ(v.reason, Reason::serial);
  EXPECT_THAT(v.detail, HasSubstr(why));
  EXPECT_TRUE(v.components.empty()) << "it is not measured";
}

TEST(BoardCode, ItsNumberIsTheBoards) {
  Rig rig;
  rig.print("SN-42");
  const BoardVerdict v = rig.measured();
  EXPECT_EQ(v.decision, Decision::pass) << v.detail;
  EXPECT_EQ(v.unit_id, "SN-42");
  EXPECT_EQ(v.serial->by, "code");
  EXPECT_EQ(v.serial->read_hex, "534e2d3432");
  EXPECT_EQ(rig.store.latest()->unit_id, "SN-42");
}

TEST(BoardCode, AFaintCodeIsReadByItsOwnContrast) {
  Rig rig;
  rig.print("SN-42", {6, 4}, false, 0.15, 37'500);  // 4 % of the range of 16 bits
  EXPECT_EQ(rig.measured().unit_id, "SN-42");
}

TEST(BoardCode, IsReadWhereAlignmentFoundTheBoard) {
  Rig rig;
  const Eigen::Vector2d off(0.45, -0.4);
  for (Component& c : rig.scene.recipe.components) c.body.centre_mm += off;
  testing::render(rig.scene);
  AlignmentRecipe alignment;
  alignment.max_shift_mm = 0.8;
  rig.recipe.alignment = std::make_shared<const AlignmentRecipe>(alignment);
  rig.region.size_mm = Eigen::Vector2d(2.1, 2.1);  // the code has 1.8 mm
  rig.print("SN-42", Eigen::Vector2d(6, 4) + off);
  const BoardVerdict v = rig.measured();
  EXPECT_EQ(v.unit_id, "SN-42") << v.detail;
  EXPECT_EQ(v.decision, Decision::pass) << v.detail;
}

TEST(BoardCode, AnEnvelopeOfIso15434IsReadByTheScannersRules) {
  Rig rig;
  rig.region.payload.format = ScanFormat::iso15434;
  rig.print(
      "[)>\x1E"
      "06\x1D"
      "1PPN-4711\x1D"
      "SB0001\x1E\x04",
      {6, 4}, false, 0.13);
  EXPECT_EQ(rig.measured().unit_id, "B0001");
  Rig plain;
  plain.print(
      "[)>\x1E"
      "06\x1D"
      "SB0001\x1E\x04",
      {6, 4}, false, 0.13);
  expect_invalid(plain.measured(), "serial.code.format is \"plain\"");
}

TEST(BoardCode, AStatedNumberMustBeThatOfTheCode) {
  Rig same;
  same.order.unit = "SN-42";
  same.order.unit_by = "host";
  same.print("SN-42");
  const BoardVerdict v = same.measured();
  EXPECT_EQ(v.decision, Decision::pass);
  EXPECT_EQ(v.serial->by, "host");
  Rig other;
  other.order.unit = "SN-43";
  other.order.unit_by = "scanner";
  other.print("SN-42");
  const BoardVerdict refused = other.measured();
  expect_invalid(refused, "the code on the board says SN-42, the scanner names SN-43");
  EXPECT_EQ(refused.unit_id, "") << "neither is its number";
  Rig unread;
  unread.order.unit = "SN-43";
  unread.order.unit_by = "host";
  expect_invalid(unread.measured(),
                 "no code is read in serial.code, which must confirm the number SN-43 (host)");
}

TEST(BoardCode, WithoutACodeTheRecipeDecides) {
  Rig invalid;
  expect_invalid(invalid.measured(), "no code is read in serial.code");
  Rig unknown;
  unknown.recipe.without_serial = WithoutSerial::unknown;
  const BoardVerdict v = unknown.measured();
  EXPECT_EQ(v.decision, Decision::pass);
  EXPECT_EQ(v.unit_id, "unknown-1");
  EXPECT_EQ(v.serial->by, "none");
}

TEST(BoardCode, TwoNumbersAMirroredCodeAndOneThatIsNoNumberAreDoubts) {
  Rig two;
  two.print("SN-42", {4.5, 4}, false, 0.12);
  two.print("SN-43", {7.5, 4}, false, 0.12);
  expect_invalid(two.measured(), "two codes with different numbers lie in the region: SN-42 and SN-43");
  Rig twice;
  twice.print("SN-42", {4.5, 4}, false, 0.12);
  twice.print("SN-42", {7.5, 4}, false, 0.12);
  EXPECT_EQ(twice.measured().unit_id, "SN-42") << "the same number twice is one";
  Rig mirrored;
  mirrored.print("SN-42", {6, 4}, true);
  expect_invalid(mirrored.measured(), "mirrored");
  Rig pattern;
  pattern.region.payload.pattern.emplace("^SN-[0-9]{5}$");
  pattern.print("SN-42");
  expect_invalid(pattern.measured(), "'SN-42' does not match serial.code.pattern");
  Rig label;
  label.region.payload.pattern.emplace("^SN-[0-9]{2}$");
  label.print("PN-4711", {4.5, 4}, false, 0.12);
  label.print("SN-43", {7.5, 4}, false, 0.12);
  EXPECT_EQ(label.measured().unit_id, "SN-43") << "another label beside it is no number by the pattern";
}

TEST(BoardCode, WhatCantBeLookedAtIsNoSilentBoard) {
  Rig broken;
  const Broken reader{};
  broken.order.codes = &reader;
  broken.print("SN-42");
  expect_invalid(broken.measured(), "the code can't be read: it ended with signal 31");
  Rig without;
  without.scene.frame.intensity.reset();
  expect_invalid(without.measured(), "the frame has no intensity image");
  Rig outside;
  outside.region.centre_mm = Eigen::Vector2d(-40, 4);
  expect_invalid(outside.measured(), "the region of the code leaves the frame");
}

TEST(BoardCode, ABoardThatIsRefusedAlreadyKeepsItsReason) {
  Rig rig;
  rig.print("SN-42");
  rig.order.reason = Reason::pose_missing;
  rig.order.detail = "no position";
  const BoardVerdict v = rig.measured();
  EXPECT_EQ(v.reason, Reason::pose_missing);
  EXPECT_EQ(v.detail, "no position");
}

}  // namespace
}  // namespace board_code_test
}  // namespace datum
