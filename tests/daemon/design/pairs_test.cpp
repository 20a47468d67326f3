// One board in several formats by KiCad's own exporters: what the readers make of each must be the board. `./datum test --pairs` makes
// the files and names their folder in DATUM_PAIRS.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <cmath>
#include <cstdlib>
#include <map>

#include "daemon/design/board_side.h"
#include "daemon/design/read_design.h"

namespace datum::pairs_test {
namespace {

using namespace design;
namespace fs = std::filesystem;

std::vector<fs::path> boards() {
  const char* folder = std::getenv("DATUM_PAIRS");
  std::vector<fs::path> found;
  if (!folder || !*folder) return found;
  for (const auto& entry : fs::directory_iterator(folder))
    if (fs::exists(entry.path() / "board.kicad_pcb")) found.push_back(entry.path());
  std::sort(found.begin(), found.end());
  return found;
}

/// Differences, the first of them in words.
class Report {
 public:
  template <class... Args>
  void add(fmt::format_string<Args...> format, Args&&... args) {
    if (count_++ < 5) words_ += "\n  " + fmt::format(format, std::forward<Args>(args)...);
  }
  std::string text() const { return count_ == 0 ? "" : fmt::format("{} differences:{}", count_, words_); }

 private:
  int count_ = 0;
  std::string words_;
};

/// IPC-2581 A and B allow few letters in names.
std::string plain(std::string name) {
  for (char& c : name)
    if (!std::isalnum(static_cast<unsigned char>(c))) c = '_';
  return name;
}

double angle_between(double a, double b) { return std::abs(std::remainder(a - b, 360)); }

struct Tolerance {
  double place_mm = 1e-3, angle_deg = 0.01;
};

/// Parts whose reference is theirs alone; KiCad's boards have several "REF**", which its exporters number.
std::map<std::string, const design::Component*> by_reference(const Design& d) {
  std::map<std::string, const design::Component*> parts;
  std::map<std::string, int> times;
  for (const design::Component& c : d.components) ++times[plain(c.reference)];
  for (const design::Component& c : d.components)
    if (times[plain(c.reference)] == 1 && !c.reference.empty()) parts[plain(c.reference)] = &c;
  return parts;
}

bool is_numbered(const std::string& reference, const Design& board) {
  const std::size_t end = reference.rfind('_');
  return std::any_of(board.components.begin(), board.components.end(), [&](const design::Component& c) {
    return plain(c.reference) == reference ||
           (end != std::string::npos && plain(c.reference) == reference.substr(0, end)) ||
           c.reference.empty();
  });
}

/// A pin of `c` lies in the pad's copper: files state pins, which the middle of an odd shape is not.
bool has_pin_in(const design::Component& c, const Pad& pad, double tolerance_mm) {
  return std::any_of(c.pads.begin(), c.pads.end(), [&](const Pad& p) {
    const Point own = turned(p.copper.centre - pad.copper.centre, -pad.copper.rotation_deg);
    return (own.cwiseAbs() - pad.copper.size / 2).maxCoeff() <= tolerance_mm;
  });
}

/// Each part of `other` is the board's, at the same place. Returns how many were compared.
int compare_parts(const Design& board, const Design& other, const Tolerance& t, bool pads, Report& report) {
  const auto true_parts = by_reference(board);
  int compared = 0;
  for (const auto& [reference, c] : by_reference(other)) {
    const auto found = true_parts.find(reference);
    if (found == true_parts.end()) {
      if (!is_numbered(reference, board)) report.add("'{}' is no part of the board", reference);
      continue;
    }
    const design::Component& b = *found->second;
    ++compared;
    if (b.side != c->side)
      report.add("{}: on the {} side, not the {}", reference, name_of(c->side), name_of(b.side));
    if (const double d = (b.origin - c->origin).norm(); d > t.place_mm)
      report.add("{}: {:.4f} mm away", reference, d);
    if (const double d = angle_between(b.rotation_deg, c->rotation_deg); d > t.angle_deg)
      report.add("{}: at {:.3f} degrees, not {:.3f}", reference, c->rotation_deg, b.rotation_deg);
    if (plain(b.package) != plain(c->package))
      report.add("{}: package '{}', not '{}'", reference, c->package, b.package);
    // IPC-2581 of KiCad: not populated is what is excluded from the bill of materials, too.
    if (b.population != c->population && c->population != Population::unknown && !b.mechanical && !b.fiducial)
      report.add("{}: population {}, not {}", reference, static_cast<int>(c->population),
                 static_cast<int>(b.population));
    if (!pads) continue;
    std::map<std::string, int> times;
    for (const Pad& pad : b.pads) ++times[pad.number];
    for (const Pad& pad : b.pads)  // of several pads with one number KiCad's ODB++ has the first
      if (!pad.number.empty() && times[pad.number] == 1 &&
          (b.side == Side::top ? pad.on_top : pad.on_bottom) && !has_pin_in(*c, pad, t.place_mm))
        report.add("{}: pad {} has no pin", reference, pad.number);
  }
  return compared;
}

/// Of parts with places: centroid files refuse a reference that stands twice.
bool has_shared_names(const Design& board) { return by_reference(board).size() < board.components.size(); }

struct Counts {
  int parts = 0, files = 0;
};

/// As each side is seen: outlines are compared too, since they are the origin.
void expect_same_board(const Design& board, const fs::path& file, const Tolerance& t, Counts& counts) {
  SCOPED_TRACE(file.string());
  Report report;
  int parts = 0;
  try {
    const Design other = load_design(file).design;
    for (const Side side : {Side::top, Side::bottom}) {
      const Design b = seen_from(board, side, Turn::vertical), o = seen_from(other, side, Turn::vertical);
      const Point b_size = box_around(b.outline, 0).size, o_size = box_around(o.outline, 0).size;
      if ((b_size - o_size).norm() > 2 * t.place_mm)
        report.add("outline {:.4f} x {:.4f} mm, not {:.4f} x {:.4f}", o_size.x(), o_size.y(), b_size.x(),
                   b_size.y());
      parts = compare_parts(b, o, t, true, report);
    }
    const auto all = by_reference(board).size();
    if (static_cast<std::size_t>(parts) < all) report.add("{} of {} parts", parts, all);
  } catch (const DesignError& error) {
    report.add("refused: {}", error.what());
  }
  EXPECT_EQ(report.text(), "");
  counts.parts += parts;
  ++counts.files;
}

#define DATUM_NEED_PAIRS()                                                                          \
  if (boards().empty())                                                                             \
  GTEST_SKIP() << "no exports of KiCad; ./datum test --pairs makes them and names their folder in " \
                  "DATUM_PAIRS"

void expect_pairs(const std::vector<const char*>& files, const Tolerance& t) {
  Counts counts;
  for (const fs::path& folder : boards()) {
    const Design board = load_design(folder / "board.kicad_pcb").design;
    for (const char* file : files)
      if (fs::exists(folder / file)) expect_same_board(board, folder / file, t, counts);
  }
  EXPECT_GT(counts.files, 0);
  fmt::print("{} files, {} parts\n", counts.files, counts.parts);
}

TEST(Pairs, Ipc2581IsTheBoard) {
  DATUM_NEED_PAIRS();
  expect_pairs({"ipc2581b.xml", "ipc2581c.xml", "ipc2581c-inch.xml"}, {});
}

TEST(Pairs, OdbIsTheBoard) {
  DATUM_NEED_PAIRS();
  expect_pairs({"odb", "odb.zip", "odb.tgz", "odb-inch.zip"}, {});
}

/// What kicad-cli writes by itself: two decimals of a millimetre. A part's and the outline's coordinates are 5 um off each, along both
/// axes: 14.2 um.
TEST(Pairs, OdbOfTwoDecimalsIsTheBoardWithinThem) {
  DATUM_NEED_PAIRS();
  expect_pairs({"odb-two-decimals.zip"}, {0.015, 0.01});
}

TEST(Pairs, CentroidFilesHaveTheBoardsPlaces) {
  DATUM_NEED_PAIRS();
  Counts counts;
  for (const fs::path& folder : boards()) {
    const Design board = load_design(folder / "board.kicad_pcb").design;
    const Box outline = box_around(board.outline, 0);
    for (const char* file : {"all.pos", "all.csv", "inch.csv", "back.pos", "back-negated.pos"}) {
      if (!fs::exists(folder / file)) continue;
      SCOPED_TRACE((folder / file).string());
      CentroidOptions options;
      options.outline = {outline.centre - outline.size / 2, outline.size};
      if (fs::path(file).extension() == ".csv") options.unit = file[0] == 'i' ? "inch" : "mm";
      Report report;
      try {
        // Inches have six decimals; millimetres of the ASCII form four.
        counts.parts += compare_parts(board, load_design(folder / file, options).design, {}, false, report);
      } catch (const DesignError& error) {
        const std::string what = error.what();
        const bool empty_side = file[0] == 'b' && what.find("the table has no rows") != what.npos,
                   shared_name = has_shared_names(board) && what.find("stands in line") != what.npos;
        if (empty_side || shared_name) continue;
        report.add("refused: {}", what);
      }
      EXPECT_EQ(report.text(), "");
      ++counts.files;
    }
  }
  fmt::print("{} files, {} parts\n", counts.files, counts.parts);
}

}  // namespace
}  // namespace datum::pairs_test
