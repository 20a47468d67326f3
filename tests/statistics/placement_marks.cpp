#include "tests/statistics/placement_marks.h"

#include <algorithm>
#include <cmath>
#include <stdexcept>

#include "daemon/inspection/board/site_map.h"
#include "daemon/inspection/recipe/recipe_overlap.h"
#include "tests/virtual_cell/twin_grey.h"

namespace datum::statistics {
namespace {

using Form = TwinInk::Form;

constexpr auto grey_stream = static_cast<TwinStream>(103);  // of this file alone
constexpr double finest_px = 6, beside_mm = 1.5, window_grey = 45;

BoardRect square(const Fiducial& f, double around_mm) {
  return {f.centre_mm, Eigen::Vector2d::Constant(f.size_mm + 2 * around_mm), 0};
}

Fiducial mark_of(int which, double pixel_mm) {
  const double fine_mm = std::max(0.3, finest_px * pixel_mm);
  Fiducial f;
  f.name = "F" + std::to_string(which + 1);
  f.u_um = 5;
  switch (which % 3) {
    case 0:
      f.shape = FiducialShape::circle;
      f.size_mm = std::max(1.0, 1.5 * fine_mm);
      break;
    case 1:
      f.shape = FiducialShape::cross;
      f.line_mm = fine_mm;
      f.size_mm = 4 * fine_mm;
      break;
    default:
      f.shape = FiducialShape::ring;
      f.inner_mm = 1.2 * fine_mm;
      f.size_mm = 3.4 * fine_mm;
  }
  f.clear_mm = 0.25 * f.size_mm;
  return f;
}

TwinInk copy_of(const Fiducial& f, const Eigen::Vector2d& at, double grey) {
  Fiducial moved = f;
  moved.centre_mm = at;
  std::vector<TwinInk> ink;
  add_mark(ink, moved, grey);
  return ink.front();
}

/// One mark's figures from the window up. `u`: uniform numbers of this mark.
class MarkDrawing {
 public:
  MarkDrawing(const Fiducial& mark, double grey, const TwinRandom& random, std::uint64_t first,
              TwinGrey& image)
      : mark_(mark), grey_(grey), random_(random), first_(first), image_(image) {}

  void print() { add_mark(image_.inks, mark_, grey_, window_grey); }
  void print_window() { add_mark(image_.inks, mark_, window_grey, window_grey); }
  /// Nothing, a pad, or a smaller disc, in the mark's place or up to 0.4 mm beside it.
  void print_other() {
    print_window();
    const Eigen::Vector2d at = mark_.centre_mm + 0.4 * u(0) * unit_way(u(1));
    if (u(2) < 0.35)
      image_.inks.push_back(
          {Form::rect, at, Eigen::Vector2d::Constant(0.9 * mark_.size_mm), 90 * u(3), grey_});
    else if (u(2) < 0.7)
      image_.inks.push_back({Form::disc, at, {0.7 * mark_.size_mm, 0}, 0, grey_});
  }
  void drown() { image_.glares.push_back({mark_.centre_mm, 1.2 * mark_.size_mm, 2000}); }
  void scratch() {
    image_.inks.push_back({Form::rect,
                           mark_.centre_mm + 0.4 * mark_.size_mm * (2 * u(4) - 1) * unit_way(u(5)),
                           {3 * mark_.size_mm, 0.06 * mark_.size_mm},
                           180 * u(6),
                           window_grey});
  }
  void glare_at_rim() {
    image_.glares.push_back(
        {mark_.centre_mm + 0.55 * mark_.size_mm * unit_way(u(7)), 0.3 * mark_.size_mm, 500});
  }
  /// The same figure beside the clear zone, and a pad.
  void print_beside() {
    const double off = 1.1 * mark_.size_mm + 2 * mark_.clear_mm;
    image_.inks.push_back(copy_of(mark_, mark_.centre_mm + off * unit_way(u(8)), grey_));
    image_.inks.push_back({Form::rect, mark_.centre_mm + off * unit_way(u(8) + 0.5),
                           Eigen::Vector2d::Constant(mark_.size_mm), 90 * u(9), grey_});
  }

 private:
  double u(std::uint64_t i) const { return random_.uniform(first_ + i); }
  const Fiducial& mark_;
  double grey_;
  const TwinRandom& random_;
  std::uint64_t first_;
  TwinGrey& image_;
};

void add_pads(const TwinBody& body, TwinGrey& g) {
  for (const double side : {-0.4, 0.4})
    g.inks.push_back({Form::rect,
                      body.outline.centre_mm +
                          side * body.outline.size_mm.x() * rotation_by_deg(body.outline.rotation_deg).col(0),
                      body.outline.size_mm.cwiseProduct(Eigen::Vector2d(0.3, 1)), body.outline.rotation_deg,
                      210});
}

bool hidden(const Fiducial& f, const TwinBoard& twin) {
  return std::any_of(twin.bodies.begin(), twin.bodies.end(), [&](const TwinBody& b) {
    const BoardRect body{b.outline.centre_mm, b.outline.size_mm, b.outline.rotation_deg};
    return !b.missing && shared_area_mm2(square(f, f.clear_mm), body) > 0;
  });
}

}  // namespace

Eigen::Vector2d unit_way(double share) { return rotation_by_deg(360 * share).col(0); }

bool is_whole(const TwinRelief& relief, const BoardRect& rect) {
  constexpr int n = 12;
  for (int i = 0; i <= n; ++i)
    for (int k = 0; k <= n; ++k) {
      const Eigen::Vector2d at =
          rect.centre_mm + rect.size_mm.cwiseProduct(Eigen::Vector2d(i, k) / n - Eigen::Vector2d(0.5, 0.5));
      if (std::isnan(relief.at(at.x(), at.y()))) return false;
    }
  return true;
}

Eigen::Vector2d bare_place_near(const Eigen::Vector2d& corner, const Recipe& recipe, double half_mm,
                                const std::vector<TakenPlace>& taken, const std::string& name,
                                const TwinRelief& relief) {
  constexpr double step_mm = 0.7;
  double nearest = 1e9;
  Eigen::Vector2d best(0, 0);
  for (double x = half_mm; x <= recipe.board_size_mm.x() - half_mm; x += step_mm)
    for (double y = half_mm; y <= recipe.board_size_mm.y() - half_mm; y += step_mm) {
      const Eigen::Vector2d at(x, y);
      const double off = (at - corner).norm();
      if (off >= nearest) continue;
      const BoardRect around{at, Eigen::Vector2d::Constant(2 * half_mm), 0};
      const bool bare = std::all_of(recipe.components.begin(), recipe.components.end(),
                                    [&](const Component& c) { return shared_area_mm2(around, c.body) == 0; });
      const bool apart = std::all_of(taken.begin(), taken.end(), [&](const TakenPlace& other) {
        return (other.centre_mm - at).norm() > other.apart_mm;
      });
      if (bare && apart && is_whole(relief, around)) nearest = off, best = at;
    }
  if (nearest > 1e8) throw std::runtime_error("no bare place for " + name + " on " + recipe.name);
  return best;
}

std::vector<Fiducial> marks_of(const Recipe& recipe, double pixel_mm) {
  const Eigen::Vector2d size = recipe.board_size_mm;
  std::vector<Fiducial> marks;
  for (const Eigen::Vector2d& corner :
       {Eigen::Vector2d(0, 0), Eigen::Vector2d(size.x(), 0), Eigen::Vector2d(0, size.y())}) {
    Fiducial f = mark_of(int(marks.size()), pixel_mm);
    std::vector<TakenPlace> taken;
    for (const Fiducial& other : marks) taken.push_back({other.centre_mm, 2 * (other.size_mm + f.size_mm)});
    f.centre_mm = bare_place_near(corner, recipe, f.size_mm / 2 + f.clear_mm + beside_mm, taken, f.name);
    marks.push_back(f);
  }
  return marks;
}

void displace_parts(TwinBoard& twin, double sigma_mm, const TwinRandom& random) {
  const Eigen::Vector2d middle = twin.size_mm / 2,
                        off = sigma_mm * Eigen::Vector2d(random.normal(40), random.normal(41));
  const double turn_rad = sigma_mm * random.normal(42) / middle.norm();
  for (TwinBody& body : twin.bodies) {
    const Eigen::Vector2d arm = body.outline.centre_mm - middle;
    body.outline.centre_mm += off + turn_rad * Eigen::Vector2d(-arm.y(), arm.x());
  }
}

SeenMarks draw_marks(const std::vector<Fiducial>& marks, const TwinBoard& twin, const TwinView& view,
                     const PlaneMotion& stretch, bool hostile, std::uint64_t seed) {
  const TwinRandom random(64 * seed + twin.bodies.size(), grey_stream);  // of each board its own
  TwinGrey g;
  double grey = 190;
  if (hostile) {
    g.vignetting = 0.5 * random.uniform(0);
    g.noise_grey = 2 + 8 * random.uniform(1);
    g.blur_px = 0.5 + 0.6 * random.uniform(2);
    // Above the five times that are demanded in the frame's dark corners, too.
    grey = window_grey + std::max(13 * g.noise_grey, 40 + 110 * random.uniform(3));
    const Eigen::Vector2d lamp = twin.size_mm / 2 + twin.size_mm.norm() * unit_way(random.uniform(4));
    g.glares.push_back({lamp, 2 * twin.size_mm.norm(), 60 * random.uniform(5)});
  }
  for (const TwinBody& body : twin.bodies) add_pads(body, g);
  const std::size_t spoiled = hostile ? random.word(6) % (2 * marks.size()) : marks.size();
  SeenMarks seen;
  for (std::size_t i = 0; i < marks.size(); ++i) {
    Fiducial f = marks[i];
    const std::uint64_t first = 100 + 20 * i;
    f.centre_mm += 1e-3 * f.u_um * Eigen::Vector2d(random.normal(first + 10), random.normal(first + 11));
    f.centre_mm = stretched(f.centre_mm, stretch);
    MarkDrawing drawing(f, grey, random, first, g);
    const bool whole = i != spoiled && !hidden(f, twin);
    seen.whole += whole;
    if (i == spoiled && random.uniform(7) < 0.7) {
      drawing.print_other();
      continue;
    }
    drawing.print();
    if (i == spoiled) drawing.drown();
    if (!hostile) continue;
    const bool scratched = random.uniform(first + 12) < 0.4, glaring = random.uniform(first + 13) < 0.4;
    if (scratched) drawing.scratch();
    if (glaring) drawing.glare_at_rim();
    // A copy that lies within the search is the mark where the mark itself is not seen: no hostility, but a recipe's mistake.
    if (whole && !scratched && !glaring) drawing.print_beside();
  }
  for (const TwinBody& body : twin.bodies)
    if (!body.missing)
      g.inks.push_back({Form::rect, body.outline.centre_mm, body.outline.size_mm, body.outline.rotation_deg,
                        20 + 15 * body.height_um / (500 + body.height_um)});
  HeightFrame grid;
  grid.rows = view.rows, grid.cols = view.cols;
  grid.x = view.x, grid.y = view.y;
  const BoardView over(grid, Htm<Board, Sensor>(Htm<Sensor, Board>(view.sensor_from_board).inverse()));
  seen.image =
      draw_grey(g, twin.size_mm, {grid.rows, grid.cols, over.origin(), over.per_col(), over.per_row()}, seed);
  return seen;
}

}  // namespace datum::statistics
