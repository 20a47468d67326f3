#include "calib/artefact/drawing_file.h"

#include <cmath>
#include <numbers>

#include "calib/angle_units.h"
#include "config/toml_reader.h"

namespace datum {

namespace {

using config::Range;
using config::TomlTable;

constexpr std::int64_t schema = 1;
// Areas' coordinates are compared with slot edges that are computed from depth and slope.
constexpr double drawing_rounding_mm = 1e-9;

/// Plane through `bottom` that rises by `slope_rad` towards the direction of angle `azimuth_rad`.
Plane3 rising_plane(double bottom_mm, double slope_rad, double azimuth_rad) {
  return {{0, 0, bottom_mm},
          {-std::sin(slope_rad) * std::cos(azimuth_rad), -std::sin(slope_rad) * std::sin(azimuth_rad),
           std::cos(slope_rad)}};
}

std::vector<DrawnArea> areas(TomlTable& table, const DrawnArea& plate) {
  constexpr const char* key = "areas_mm";
  constexpr const char* form = "x_min, x_max, y_min, y_max of each rectangle, within the plate";
  const std::vector<double> numbers = table.numbers_between(key, 4, 64);
  if (numbers.size() % 4 != 0) {
    table.refuse(key, "has " + std::to_string(numbers.size()) + " numbers",
                 std::string("four for each: ") + form);
  }
  std::vector<DrawnArea> found;
  for (std::size_t i = 0; i < numbers.size(); i += 4) {
    const DrawnArea a{numbers[i], numbers[i + 1], numbers[i + 2], numbers[i + 3]};
    const std::string which = "rectangle " + std::to_string(i / 4 + 1);
    if (!(a.x_min_mm < a.x_max_mm && a.y_min_mm < a.y_max_mm)) table.refuse(key, which + " is empty", form);
    if (!plate.contains(a.x_min_mm, a.y_min_mm) || !plate.contains(a.x_max_mm, a.y_max_mm)) {
      table.refuse(key, which + " reaches beyond the plate", form);
    }
    found.push_back(a);
  }
  return found;
}

/// Every corner of a flank's areas must lie between the bottom line and the plane.
void check_on_flank(const TomlTable& table, const DrawnFace& face, double depth_mm) {
  for (const DrawnArea& a : face.areas) {
    for (double x : {a.x_min_mm, a.x_max_mm}) {
      for (double y : {a.y_min_mm, a.y_max_mm}) {
        const double z = face.z_mm(x, y);
        if (z >= -depth_mm - drawing_rounding_mm && z <= drawing_rounding_mm) continue;
        table.refuse("areas_mm",
                     "the corner (" + config::shown(x) + ", " + config::shown(y) +
                         ") is not on this flank: it would be at z = " + config::shown(z) + " mm",
                     "places where the flank lies between the slot's bottom, " + config::shown(-depth_mm) +
                         " mm, and the plane, 0 mm");
      }
    }
  }
}

DrawnFace flank(TomlTable& slot, const char* name, const DrawnArea& plate, double depth_mm,
                double azimuth_rad) {
  TomlTable table = slot.table(name);
  DrawnFace face;
  // A flatter flank does not determine the slot's place; an optical sensor does not see a steeper one.
  const double slope_deg = table.number("slope_deg", Range{10, 60});
  face.plane = rising_plane(-depth_mm, slope_deg * rad_per_deg, azimuth_rad);
  face.areas = areas(table, plate);
  check_on_flank(table, face, depth_mm);
  table.finish();
  return face;
}

DrawnFace plane_face(TomlTable& plane, const char* name, const DrawnArea& plate) {
  TomlTable table = plane.table(name);
  DrawnFace face{{Eigen::Vector3d::Zero(), Eigen::Vector3d::UnitZ()}, areas(table, plate)};
  table.finish();
  return face;
}

bool overlap(const DrawnArea& a, const DrawnArea& b) {
  return a.x_min_mm < b.x_max_mm && b.x_min_mm < a.x_max_mm && a.y_min_mm < b.y_max_mm &&
         b.y_min_mm < a.y_max_mm;
}

void check_isolated(const TomlTable& file, const ArtefactDrawing& drawing) {
  for (Face f : all_faces) {
    for (Face g : all_faces) {
      if (f >= g) continue;
      for (const DrawnArea& a : drawing.face(f).areas) {
        for (const DrawnArea& b : drawing.face(g).areas) {
          if (!overlap(a, b)) continue;
          file.refuse("plane", std::string("areas of ") + name_of(f) + " and " + name_of(g) + " overlap",
                      "areas that belong to one face each");
        }
      }
    }
  }
}

/// LP must lie left of the long slot's opening, RP right of it.
void check_beside_slot(TomlTable& plane, const ArtefactDrawing& drawing) {
  for (Face f : {Face::lp, Face::rp}) {
    const DrawnFace& flank = drawing.face(f == Face::lp ? Face::ll : Face::lr);
    const double edge_mm = drawing.long_depth_mm * flank.plane.normal.z() / flank.plane.normal.x();
    for (const DrawnArea& a : drawing.face(f).areas) {
      const bool beside = f == Face::lp ? a.x_max_mm <= -edge_mm + drawing_rounding_mm
                                        : a.x_min_mm >= -edge_mm - drawing_rounding_mm;
      if (beside) continue;
      plane.refuse(name_of(f), "an area reaches into the long slot or beyond it",
                   f == Face::lp ? "x up to " + config::shown(-edge_mm) + " mm"
                                 : "x from " + config::shown(-edge_mm) + " mm");
    }
  }
}

DrawnArea plate_of(TomlTable table, double& thickness_mm) {
  const std::vector<double> x = table.numbers("x_mm", 2), y = table.numbers("y_mm", 2);
  const char* const form = "the lower and the higher edge, the origin between them";
  if (!(x[0] < 0 && x[1] > 0)) table.refuse("x_mm", "does not hold the origin", form);
  if (!(y[0] < 0 && y[1] > 0)) table.refuse("y_mm", "does not hold the origin", form);
  thickness_mm = table.number("thickness_mm", config::positive);
  table.finish();
  return {x[0], x[1], y[0], y[1]};
}

ArtefactTolerance tolerance_of(TomlTable table) {
  ArtefactTolerance t;
  t.angle_deg = table.number("angle_deg", Range{1e-3, 2});
  t.position_mm = table.number("position_mm", Range{1e-4, 1});
  t.flatness_mm = table.number("flatness_mm", Range{1e-4, 1});
  t.form_um = table.number("form_um", Range{0, 100});
  table.finish();
  return t;
}

}  // namespace

ArtefactDrawing load_artefact_drawing(const std::filesystem::path& path) {
  auto file = TomlTable::from_file(path);
  file.integer("schema", schema, schema);
  file.choice<int>("kind", {{"angled-slot", 0}});
  ArtefactDrawing d;
  d.serial = file.text("serial");
  if (d.serial.empty()) file.refuse("serial", "is empty", "the serial number engraved on the artefact");
  d.title = file.text("title");
  d.plate = plate_of(file.table("plate"), d.thickness_mm);
  TomlTable long_slot = file.table("long_slot"), short_slot = file.table("short_slot");
  const Range depth{0.2, d.thickness_mm};
  d.long_depth_mm = long_slot.number("depth_mm", depth);
  d.short_depth_mm = short_slot.number("depth_mm", depth);
  d.short_direction_rad = short_slot.number("direction_deg", Range{-45, 45}) * rad_per_deg;
  const double across = d.short_direction_rad + std::numbers::pi / 2;
  d.faces[index_of(Face::ll)] = flank(long_slot, "LL", d.plate, d.long_depth_mm, std::numbers::pi);
  d.faces[index_of(Face::lr)] = flank(long_slot, "LR", d.plate, d.long_depth_mm, 0);
  d.faces[index_of(Face::su)] = flank(short_slot, "SU", d.plate, d.short_depth_mm, across);
  d.faces[index_of(Face::sl)] = flank(short_slot, "SL", d.plate, d.short_depth_mm, across - std::numbers::pi);
  long_slot.finish();
  short_slot.finish();
  TomlTable plane = file.table("plane");
  d.faces[index_of(Face::lp)] = plane_face(plane, "LP", d.plate);
  d.faces[index_of(Face::rp)] = plane_face(plane, "RP", d.plate);
  plane.finish();
  check_beside_slot(plane, d);
  check_isolated(file, d);
  d.tolerance = tolerance_of(file.table("tolerance"));
  d.sha256 = file.sha256();
  file.finish();
  return d;
}

}  // namespace datum
