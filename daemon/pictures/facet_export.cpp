#include "daemon/pictures/facet_export.h"

#include <fmt/format.h>

#include <array>
#include <cmath>
#include <cstring>
#include <limits>

#include "daemon/pictures/deviation_colors.h"
#include "daemon/pictures/part_file.h"

namespace datum {
namespace {

constexpr const char* words[] = {"FACE", "EDGE", "RIM", "NO_DATA"};

std::array<double, 3> place(const FacetMap& map, const std::array<double, 3>& origin, const float* at) {
  std::array<double, 3> p;
  for (std::size_t k = 0; k < 3; ++k) p[k] = origin[k] + map.model->origin[k] + at[k];
  return p;
}

double area_of(const std::array<std::array<float, 3>, 3>& f) {
  double u[3], v[3];
  for (std::size_t k = 0; k < 3; ++k) {
    u[k] = double{f[1][k]} - f[0][k];
    v[k] = double{f[2][k]} - f[0][k];
  }
  return 0.5 * std::sqrt(std::pow(u[1] * v[2] - u[2] * v[1], 2) + std::pow(u[2] * v[0] - u[0] * v[2], 2) +
                         std::pow(u[0] * v[1] - u[1] * v[0], 2));
}

void provenance(PartFile& out, const BoardVerdict& verdict, const FacetMap& map, const char* mark) {
  for (const std::string& line : provenance_of(verdict)) out.write(fmt::format("{} {}\n", mark, line));
  out.write(fmt::format("{} facets cut to edges of at most {:g} mm, gate {:g} mm, at least {} points\n", mark,
                        map.settings.longest_mm, map.settings.gate_mm, map.settings.least));
}

struct FacetValue {
  MatchClass kind;
  float mm;
};

FacetValue value_of(const FacetMap& map, FacetsBy by, std::size_t i) {
  if (by == FacetsBy::points) return {map.by_points[i].kind, map.by_points[i].mean};
  return {map.by_surface[i].kind, map.by_surface[i].distance};
}

Rgb color_of(const FacetValue& d, double range_um) {
  if (d.kind == MatchClass::no_data) return no_data_color;
  if (d.kind != MatchClass::face) return d.kind == MatchClass::edge ? edge_color : rim_color;
  return deviation_colors[deviation_step(1000.0 * d.mm, range_um)];
}

}  // namespace

void write_facets_csv(const std::filesystem::path& file, const FacetMap& map,
                      const std::array<double, 3>& model_origin_mm, const BoardVerdict& verdict) {
  PartFile out(file);
  provenance(out, verdict, map, "#");
  out.write(
      "facet,x_mm,y_mm,z_mm,area_mm2,class,points,mean_um,least_um,largest_um,s_um,surface_class,surface_"
      "um\n");
  std::string rows;
  for (std::size_t i = 0; i < map.by_points.size(); ++i) {
    const auto& corner = map.model->corner[i];
    float middle[3];
    for (std::size_t k = 0; k < 3; ++k) middle[k] = (corner[0][k] + corner[1][k] + corner[2][k]) / 3;
    const auto at = place(map, model_origin_mm, middle);
    const FacetDeviation& p = map.by_points[i];
    fmt::format_to(std::back_inserter(rows), "{},{:.6f},{:.6f},{:.6f},{:.6g},{},{},",
                   map.pieces->facet_in_file[i], at[0], at[1], at[2], area_of(corner),
                   words[static_cast<std::size_t>(p.kind)], p.count);
    if (p.kind == MatchClass::no_data) {
      rows += ",,,,";
    } else {
      fmt::format_to(std::back_inserter(rows), "{:.3f},{:.3f},{:.3f},{:.3f},", 1e3 * p.mean, 1e3 * p.lowest,
                     1e3 * p.highest, 1e3 * p.s);
    }
    const FacetPierced& s = map.by_surface[i];
    rows += words[static_cast<std::size_t>(s.kind)];
    rows += s.kind == MatchClass::no_data ? ",\n" : fmt::format(",{:.3f}\n", 1e3 * s.distance);
    out.write_some(rows);
  }
  out.write(rows);
  out.finish();
}

void write_facets_ply(const std::filesystem::path& file, const FacetMap& map, FacetsBy by,
                      const std::array<double, 3>& model_origin_mm, const BoardVerdict& verdict,
                      double range_um) {
  PartFile out(file);
  out.write("ply\nformat binary_little_endian 1.0\n");
  provenance(out, verdict, map, "comment");
  out.write(by == FacetsBy::points
                ? "comment scalar_deviation: mean of the points in front of a facet (PFM), um\n"
                : "comment scalar_deviation: measured surface along a facet's normal (FFM), um\n");
  out.write(fmt::format("element vertex {}\n", 3 * map.by_points.size()));
  for (const char* property : {"double x", "double y", "double z", "float scalar_deviation", "uchar red",
                               "uchar green", "uchar blue"})
    out.write(fmt::format("property {}\n", property));
  out.write(fmt::format("element face {}\nproperty list uchar int vertex_indices\nend_header\n",
                        map.by_points.size()));
  std::string rows;
  for (std::size_t i = 0; i < map.by_points.size(); ++i) {
    const FacetValue d = value_of(map, by, i);
    const Rgb color = color_of(d, range_um);
    for (const auto& corner : map.model->corner[i]) {
      for (const double c : place(map, model_origin_mm, corner.data())) append_bytes(rows, c);
      append_bytes(rows,
                   d.kind == MatchClass::no_data ? std::numeric_limits<float>::quiet_NaN() : 1000 * d.mm);
      for (const std::uint8_t byte : {color.r, color.g, color.b}) append_bytes(rows, byte);
    }
    out.write_some(rows);
  }
  for (std::size_t i = 0; i < map.by_points.size(); ++i) {
    append_bytes(rows, std::uint8_t{3});
    for (std::size_t k = 0; k < 3; ++k) append_bytes(rows, static_cast<std::int32_t>(3 * i + k));
    out.write_some(rows);
  }
  out.write(rows);
  out.finish();
}

}  // namespace datum
