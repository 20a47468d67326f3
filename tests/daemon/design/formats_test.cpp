// Pairs of formats of one board: components agree within 1 um and 0.01 degrees on both sides; what contradicts itself is refused.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "daemon/design/board_side.h"
#include "daemon/design/centroid.h"
#include "daemon/design/ipc2581.h"
#include "daemon/design/kicad_board.h"
#include "daemon/design/odb.h"
#include "tests/daemon/design/board_of_all_formats.h"

namespace datum::formats_test {
namespace {

using namespace design;
using ::testing::HasSubstr;
using testing::OdbWriter;
using testing::TrueBoard;
using testing::TruePart;

constexpr double one_um = 1e-3, hundredth_degree = 0.01;

double angle_between(double a, double b) { return std::min(normal_angle(a - b), normal_angle(b - a)); }

void expect_board(const Design& design, const TrueBoard& truth, bool has_bodies = true) {
  ASSERT_EQ(design.components.size(), truth.parts.size());
  for (const Turn turn : {Turn::vertical, Turn::horizontal})
    for (const Side side : {Side::top, Side::bottom}) {
      const Design seen = seen_from(design, side, turn);
      for (const TruePart& part : truth.parts) {
        if (part.side != side) continue;
        SCOPED_TRACE(part.reference);
        const auto c = std::find_if(seen.components.begin(), seen.components.end(),
                                    [&](const Component& k) { return k.reference == part.reference; });
        ASSERT_NE(c, seen.components.end());
        EXPECT_EQ(c->side, side);
        Point at = part.at - truth.corner;
        double angle = part.rotation_deg;
        if (side == Side::bottom && turn == Turn::vertical) at.x() = truth.size.x() - at.x();
        if (side == Side::bottom && turn == Turn::horizontal) {
          at.y() = truth.size.y() - at.y();
          angle += 180;
        }
        EXPECT_LT((c->origin - at).norm(), one_um);
        EXPECT_LT(angle_between(c->rotation_deg, angle), hundredth_degree);
        if (!has_bodies) continue;
        const Box body = box_around(c->body, c->rotation_deg);
        EXPECT_LT((body.centre - (at + turned(truth.body.centre, angle))).norm(), one_um);
        EXPECT_LT((body.size - truth.body.size).norm(), one_um);
        ASSERT_EQ(c->pads.size(), truth.pins.size());
        for (std::size_t i = 0; i < truth.pins.size(); ++i)
          EXPECT_LT((c->pads[i].copper.centre - (at + turned(truth.pins[i], angle))).norm(), one_um)
              << "pad " << i + 1;
      }
    }
}

template <class Read>
std::string refusal(Read read) {
  try {
    read();
  } catch (const DesignError& error) {
    return error.what();
  }
  return "";
}

TEST(Formats, KicadBoardsOfAllVersionsAreTheBoard) {
  const TrueBoard board;
  for (const int version : {20171130, 20211014, 20221018, 20240108, 20241229}) {
    SCOPED_TRACE(version);
    expect_board(read_kicad_board(testing::to_kicad(board, version), "b.kicad_pcb"), board);
  }
}

TEST(Formats, Ipc2581OfAllUnitsIsTheBoard) {
  const TrueBoard board;
  for (const char* units : {"MILLIMETER", "INCH", "MICRON"}) {
    SCOPED_TRACE(units);
    const Design d = read_ipc2581(testing::to_ipc2581(board, units), "b.xml");
    expect_board(d, board);
    EXPECT_NEAR(d.components[0].height_um.value(), 1100, 0.01);
    EXPECT_EQ(d.components[0].body_source, "assembly drawing") << "the smaller outline";
    EXPECT_THAT(d.remarks, ::testing::Contains(HasSubstr("bottom: M R(r) brings the pins of 4 components")));
  }
}

TEST(Formats, Ipc2581OfAnotherReadingIsFoundByItsPads) {
  const TrueBoard board;
  expect_board(read_ipc2581(testing::to_ipc2581(board, "INCH", true), "b.xml"), board);
}

TEST(Formats, OdbOfBothWritersIsTheBoard) {
  const TrueBoard board;
  for (const OdbWriter writer : {OdbWriter::valor, OdbWriter::kicad})
    for (const bool inch : {false, true}) {
      SCOPED_TRACE(inch);
      const Design d = read_odb(testing::to_odb(board, writer, inch), "job");
      expect_board(d, board);
      EXPECT_NEAR(d.components[0].height_um.value(), 1100, 0.1);
      EXPECT_EQ(d.components[0].mount, Mount::surface);
    }
}

TEST(Formats, CentroidsAreTheBoardsPlacesAndTheOutlineTellsANegatedX) {
  const TrueBoard board;
  CentroidOptions options;
  options.outline = {board.corner, board.size};
  const Design d = read_centroid(testing::to_pos(board), "b.pos", options);
  expect_board(d, board, false);
  EXPECT_THAT(d.remarks, ::testing::Contains(HasSubstr("x is negated")));
}

/// The file of one board with the package of another one.
std::string with_package_of(const TrueBoard& other) {
  std::string text = testing::to_ipc2581({});
  const std::string from = testing::to_ipc2581(other), begin = "<Package ", end = "</Package>";
  const auto package = from.substr(from.find(begin), from.find(end) - from.find(begin));
  return text.replace(text.find(begin), text.find(end) - text.find(begin), package);
}

TEST(Formats, PinsThatNoTransformBringsToTheirPadsAreRefused) {
  TrueBoard other;
  other.pins[0].x() += 5;
  EXPECT_EQ(refusal([&] { read_ipc2581(with_package_of(other), "b.xml"); }), "")
      << "one pin of three lies elsewhere: the others vote";
  other.pins[1].x() += 5;
  EXPECT_THAT(refusal([&] { read_ipc2581(with_package_of(other), "b.xml"); }),
              HasSubstr("b.xml: no transform brings the pins of the packages to the pads"));
}

TEST(Formats, PartsThatContradictEachOtherAreRefused) {
  TrueBoard board;
  std::string text = testing::to_ipc2581(board);
  const auto at = text.find("rotation=\"35.0960\"");
  ASSERT_NE(at, text.npos);
  text.replace(at, 18, "rotation=\"324.904\"");  // U3 alone clockwise
  EXPECT_THAT(refusal([&] { read_ipc2581(text, "b.xml"); }), HasSubstr("contradict each other"));
}

TEST(Formats, WithoutPadsNothingIsProven) {
  TrueBoard board;
  std::string text = testing::to_ipc2581(board);
  for (std::size_t at = 0; (at = text.find("<PinRef", at)) != text.npos;) text.replace(at, 7, "<PinXXX");
  const Design d = read_ipc2581(text, "b.xml");
  EXPECT_THAT(d.remarks, ::testing::Contains(HasSubstr("NOT proven")));
}

std::string replaced(std::string text, const std::string& from, const std::string& to) {
  for (std::size_t at = text.find(from); at != text.npos; at = text.find(from, at + to.size()))
    text.replace(at, from.size(), to);
  return text;
}

/// KiCad 9: "CMP:U1" in C, "CMP_U1" in B; packages of components numbered, those of the Bom as the library has them.
TEST(Ipc2581, KicadsNamesAreTheBoardsOwn) {
  const TrueBoard board;
  for (const char* between : {":", "_"}) {
    std::string text = testing::to_ipc2581(board);
    text = replaced(text, "refDes=\"U", std::string("refDes=\"CMP") + between + "U");
    text = replaced(text, "RefDes name=\"U", std::string("RefDes name=\"CMP") + between + "U");
    text = replaced(text, "componentRef=\"U", std::string("componentRef=\"CMP") + between + "U");
    text = replaced(text, "packageRef=\"SOT-X\" populate",
                    std::string("packageRef=\"PKG") + between + "SOT-X\" populate");
    text = replaced(text, "packageRef=\"SOT-X\" layerRef", "packageRef=\"KI:SOT-X_3\" layerRef");
    text = replaced(text, "Package name=\"SOT-X\"", "Package name=\"KI:SOT-X_3\"");
    const Design d = read_ipc2581(text, "b.xml");
    expect_board(d, board);
    EXPECT_EQ(d.components[0].package, "SOT-X");
    EXPECT_EQ(d.components[0].population, Population::populated);
    EXPECT_EQ(d.components[0].pads.size(), 3u);
  }
  std::string one = replaced(testing::to_ipc2581(board), "\"U1\"", "\"CMP_U1\"");
  EXPECT_EQ(read_ipc2581(one, "b.xml").components[0].reference, "CMP_U1") << "a house's own name";
}

/// A shield has four pads of one number: all are its pads, and none says how the part is turned.
TEST(Ipc2581, PinsThatShareANumberKeepTheirPads) {
  const TrueBoard board;
  const std::string text = replaced(
      replaced(testing::to_ipc2581(board), "Pin number=\"2\"", "Pin number=\"1\""), "pin=\"2\"", "pin=\"1\"");
  const Design d = read_ipc2581(text, "b.xml");
  expect_board(d, board, false);
  for (const design::Component& c : d.components) EXPECT_EQ(c.pads.size(), 3u) << c.reference;
}

TEST(Ipc2581, OneOddPartAmongManyIsSaid) {
  TrueBoard board;
  board.parts.clear();
  for (int i = 0; i < 24; ++i)
    board.parts.push_back(
        {fmt::format("U{}", i + 1), Side::top, {105 + 2.0 * i, -70}, i == 7 ? 90.0 : 30.0 * (i % 12)});
  const std::string odd = replaced(testing::to_ipc2581(board),
                                   "refDes=\"U8\" packageRef=\"SOT-X\" layerRef=\"TOP\" mountType=\"SMT\" "
                                   "height=\"1.100000000\"><Xform rotation=\"90",
                                   "refDes=\"U8\" packageRef=\"SOT-X\" layerRef=\"TOP\" mountType=\"SMT\" "
                                   "height=\"1.100000000\"><Xform rotation=\"270");
  ASSERT_NE(odd, testing::to_ipc2581(board));
  EXPECT_THAT(read_ipc2581(odd, "b.xml").remarks,
              ::testing::Contains(HasSubstr("1 others have pins elsewhere")));
  board.parts.resize(12);
  const std::string few = replaced(testing::to_ipc2581(board),
                                   "refDes=\"U8\" packageRef=\"SOT-X\" layerRef=\"TOP\" mountType=\"SMT\" "
                                   "height=\"1.100000000\"><Xform rotation=\"90",
                                   "refDes=\"U8\" packageRef=\"SOT-X\" layerRef=\"TOP\" mountType=\"SMT\" "
                                   "height=\"1.100000000\"><Xform rotation=\"270");
  EXPECT_THAT(refusal([&] { read_ipc2581(few, "b.xml"); }), HasSubstr("contradict each other"));
}

}  // namespace
}  // namespace datum::formats_test
