// A board as its design file describes it, in one form for every format.
//
// Coordinates: mm, seen from the top side, x right, y up, angles in degrees counter-clockwise. The origin is the file's own. What
// lies on the bottom is stored as it is seen through the board; seen_from() (daemon/design/board_side.h) turns it over.
#pragma once

#include <Eigen/Core>
#include <cstdint>
#include <optional>
#include <stdexcept>
#include <string>
#include <vector>

namespace datum::design {

using Point = Eigen::Vector2d;
using Polygon = std::vector<Point>;  // without repeating its first point

enum class Side : std::uint8_t { top, bottom };
const char* name_of(Side side);  // "top", "bottom"

/// Refused design file. what() is "FILE:LINE: what is wrong; what is allowed".
class DesignError : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

/// Rectangle with its own axes.
struct Box {
  Point centre = Point::Zero(), size = Point::Zero();
  double rotation_deg = 0;
};

/// Copper and the opening of the mask over it, as rectangles around their shapes.
struct Pad {
  std::string number;
  Box copper;
  bool on_top = false, on_bottom = false;      // copper
  bool open_top = false, open_bottom = false;  // mask opening
  double mask_margin_mm = 0;                   // opening beyond the copper, on each side
  bool round = false;
};

enum class Population : std::uint8_t { populated, not_populated, unknown };
enum class Mount : std::uint8_t { surface, through_hole, other };

struct Component {
  std::string reference, package, value, part_number;
  Side side = Side::top;
  Population population = Population::unknown;
  Mount mount = Mount::other;
  Point origin = Point::Zero();
  /// Of the library's package, seen from the component's own side after a turn about the board's vertical (left-right).
  double rotation_deg = 0;
  Polygon body;             // outline of the body, of any side; empty: the file has none
  std::string body_source;  // "F.Fab", "package outline"
  Polygon courtyard;
  std::vector<Pad> pads;
  std::optional<double> height_um, standoff_um;  // stated in the file
  bool fiducial = false;
  bool mechanical = false;  // no part of the assembly: mounting hole, logo, test point
  int line = 0;             // of the file; 0: unknown
};

/// A line with round ends: track, silkscreen.
struct Stroke {
  Side side = Side::top;
  Point from = Point::Zero(), to = Point::Zero();
  double width = 0;
};

struct Area {
  Side side = Side::top;
  std::vector<Polygon> rings;  // even-odd: the first is an island, the others are islands or holes
};

struct Via {
  Point centre = Point::Zero();
  double land_mm = 0, drill_mm = 0;
  bool tented = true;
};

/// Drilled hole or milled slot with round ends.
struct Hole {
  Point from = Point::Zero(), to = Point::Zero();
  double diameter_mm = 0;
};

struct Fiducial {
  std::string name;
  Side side = Side::top;
  Point centre = Point::Zero();
  double diameter_mm = 0;  // of the copper; 0: unknown
  bool global = true;
};

/// A panel's rows and columns of this board.
struct StepRepeat {
  Point at = Point::Zero(), pitch = Point::Zero();
  int columns = 1, rows = 1;
  double angle_deg = 0;
  bool mirrored = false;
};

struct Text {
  Side side = Side::top;
  Box box;
};

struct Design {
  std::string name;    // of the board, or the file's stem
  std::string format;  // "KiCad 20211014"
  Polygon outline;     // empty: the format has none
  std::vector<Polygon> cutouts;
  std::vector<Component> components;
  std::vector<Via> vias;
  std::vector<Hole> holes;
  std::vector<Stroke> tracks, silkscreen;
  std::vector<Area> copper_areas, mask_openings, silkscreen_areas;
  std::vector<Text> silkscreen_texts;
  std::vector<Fiducial> fiducials;
  std::vector<StepRepeat> panel;
  bool knows_copper = false;  // tracks and filled areas are in the file
  bool knows_mask = false;
  double copper_um = 35;
  std::vector<std::string> remarks;  // for the engineer
};

/// Its reference or its package begins with "fid", in either case: what files without a flag of their own show.
bool is_named_fiducial(const Component& c);
/// Box around points in axes turned by rotation_deg. At least one point.
Box box_around(const Polygon& points, double rotation_deg);
Polygon corners_of(const Box& box, double margin_mm = 0);
Point turned(const Point& p, double rotation_deg);
double area_of(const Polygon& polygon);  // positive: counter-clockwise
bool is_inside(const Polygon& polygon, const Point& p);
/// Points of an arc about `centre` from `from`, `sweep_deg` counter-clockwise, without `from`; chords leave it by at most 5 um.
Polygon arc_points(const Point& centre, const Point& from, double sweep_deg);
/// Angle in [0, 360).
double normal_angle(double deg);

}  // namespace datum::design
