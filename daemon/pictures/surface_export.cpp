#include "daemon/pictures/surface_export.h"

#include <fmt/format.h>

#include <bit>
#include <cmath>
#include <cstring>
#include <limits>

#include "daemon/inspection/surface/surface_statistics.h"
#include "daemon/pictures/deviation_colors.h"
#include "daemon/pictures/part_file.h"

namespace datum {
namespace {

static_assert(std::endian::native == std::endian::little, "the PLY is written as memory holds it");

std::string ascii(std::string text) {
  for (char& c : text)
    if (c < ' ' || c > '~') c = '?';
  return text;
}

const char* word_of(MatchClass kind) {
  switch (kind) {
    case MatchClass::face:
      return "FACE";
    case MatchClass::edge:
      return "EDGE";
    case MatchClass::rim:
      return "RIM";
    default:
      return "NO_DATA";
  }
}

std::size_t region_of(const SurfaceMap& map, const ModelDistance& d) {
  return d.kind == MatchClass::no_data || map.region_of_facet.empty() ? no_region
                                                                      : map.region_of_facet[d.facet];
}

/// The colour of a point, as in a picture.
Rgb color_of(const SurfaceMap& map, const ModelDistance& d, double range_um) {
  if (d.kind == MatchClass::no_data) return no_data_color;
  if (d.kind != MatchClass::face) return d.kind == MatchClass::edge ? edge_color : rim_color;
  const std::size_t r = region_of(map, d);
  if (r < map.regions.size() && is_within(map.regions[r], d.distance)) return within_color;
  return deviation_colors[deviation_step(1000.0 * d.distance, range_um)];
}

std::array<double, 3> place_of(const SurfaceMap& map, std::size_t i) {
  const ModelPoint& p = map.points[i];
  const auto& o = map.model->origin;
  return {o[0] + p.x, o[1] + p.y, o[2] + p.z};
}

void put_comments(PartFile& out, const BoardVerdict& verdict, const char* mark) {
  for (const std::string& line : provenance_of(verdict)) out.write(fmt::format("{} {}\n", mark, line));
}

/// A CSV number; empty for NaN.
std::string cell(double value) { return std::isfinite(value) ? fmt::format("{:.6g}", value) : std::string(); }
/// A quoted CSV text.
std::string quoted(const std::string& text) {
  std::string out = "\"";
  for (char c : ascii(text)) out += c == '"' ? std::string("\"\"") : std::string(1, c);
  return out + "\"";
}

std::string statistics_row(const std::string& name, const SurfaceRegion& tolerance, double area_mm2,
                           double covered_mm2, const SurfaceStatistics& s) {
  std::string row = quoted(name);
  const double infinite = std::numeric_limits<double>::infinity();
  for (const double value :
       {1000 * tolerance.lower_mm, 1000 * tolerance.upper_mm, area_mm2, covered_mm2,
        area_mm2 > 0 ? covered_mm2 / area_mm2 : infinite, s.mean_um, s.rms_um, s.p1_um, s.p50_um, s.p99_um,
        s.least_um, s.largest_um, s.fraction_out, s.edge_least_um, s.edge_largest_um})
    row += "," + cell(value);
  for (const std::size_t n : {s.points, s.face, s.edge, s.rim, s.face_out, s.edge_out})
    row += fmt::format(",{}", n);
  return row + "\n";
}

}  // namespace

std::vector<std::string> provenance_of(const BoardVerdict& v) {
  std::vector<std::string> lines{
      "datumd " + v.code,
      fmt::format("part {}, result {} of store {}, {}", v.unit_id.empty() ? "-" : v.unit_id, v.sequence,
                  v.store_id, v.measured_at),
      fmt::format("verdict {}", name_of(v.decision)),
      fmt::format("recipe {} sha256 {}", v.recipe, v.recipe_sha256),
      fmt::format("calibration {} sha256 {}", v.calibration, v.calibration_sha256),
      fmt::format("sensor {}, last frame {}", v.sensor_serial, v.frame_id),
      "coordinates: mm, the model's own; deviation: um, positive where there is too much material",
  };
  for (std::string& line : lines) line = ascii(line);
  return lines;
}

void write_surface_ply(const std::filesystem::path& file, const SurfaceMap& map, const BoardVerdict& verdict,
                       double range_um) {
  PartFile out(file);
  out.write("ply\nformat binary_little_endian 1.0\n");
  put_comments(out, verdict, "comment");
  out.write(fmt::format("element vertex {}\n", map.points.size()));
  for (const char* property : {"double x", "double y", "double z", "float scalar_deviation", "uchar class",
                               "uchar red", "uchar green", "uchar blue"})
    out.write(fmt::format("property {}\n", property));
  out.write("end_header\n");
  std::string rows;
  for (std::size_t i = 0; i < map.points.size(); ++i) {
    const ModelDistance& d = map.distances[i];
    const Rgb color = color_of(map, d, range_um);
    for (const double c : place_of(map, i)) append_bytes(rows, c);
    append_bytes(rows,
                 d.kind == MatchClass::no_data ? std::numeric_limits<float>::quiet_NaN() : 1000 * d.distance);
    for (const std::uint8_t byte : {static_cast<std::uint8_t>(d.kind), color.r, color.g, color.b})
      append_bytes(rows, byte);
    out.write_some(rows);
  }
  out.write(rows);
  out.finish();
}

void write_points_csv(const std::filesystem::path& file, const SurfaceMap& map, const BoardVerdict& verdict) {
  PartFile out(file);
  put_comments(out, verdict, "#");
  out.write("x_mm,y_mm,z_mm,deviation_um,class,region,facet,snapshot,area_mm2\n");
  std::string rows;
  for (std::size_t i = 0; i < map.points.size(); ++i) {
    const ModelDistance& d = map.distances[i];
    const auto p = place_of(map, i);
    const std::size_t r = region_of(map, d);
    fmt::format_to(std::back_inserter(rows), "{:.6f},{:.6f},{:.6f},", p[0], p[1], p[2]);
    if (d.kind == MatchClass::no_data) {
      rows += ",NO_DATA,,";
    } else {
      fmt::format_to(std::back_inserter(rows), "{:.3f},{},{},{}", 1000.0 * d.distance, word_of(d.kind),
                     r < map.regions.size() ? quoted(map.regions[r].name) : std::string(),
                     map.model->facet[d.facet]);
    }
    fmt::format_to(std::back_inserter(rows), ",{},{:.6g}\n",
                   i < map.snapshot.size() ? map.snapshot[i] + 1 : 1,
                   i < map.area_mm2.size() ? map.area_mm2[i] : 0.0);
    out.write_some(rows);
  }
  out.write(rows);
  out.finish();
}

void write_statistics_csv(const std::filesystem::path& file, const SurfaceMap& map, const SurfaceCover& cover,
                          const BoardVerdict& verdict) {
  PartFile out(file);
  put_comments(out, verdict, "#");
  out.write(fmt::format("# points without data: {}\n", points_without_data(map)));
  out.write(
      "region,lower_um,upper_um,area_mm2,covered_mm2,coverage,mean_um,rms_um,p1_um,p50_um,p99_um,least_um,"
      "largest_um,"
      "fraction_out,edge_least_um,edge_largest_um,points,face,edge,rim,face_out,edge_out\n");
  double area = 0, covered = 0;
  for (std::size_t r = 0; r < cover.area_mm2.size(); ++r)
    area += cover.area_mm2[r], covered += cover.covered_mm2[r];
  for (std::size_t r = 0; r < map.regions.size(); ++r)
    out.write(statistics_row(map.regions[r].name, map.regions[r], cover.area_mm2[r], cover.covered_mm2[r],
                             statistics_of(map, static_cast<std::uint16_t>(r))));
  const double any = std::numeric_limits<double>::infinity();
  out.write(statistics_row("(all)", {"", -any, any}, area, covered, statistics_of(map)));
  out.finish();
}

}  // namespace datum
