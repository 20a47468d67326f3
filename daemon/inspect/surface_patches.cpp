#include "daemon/inspect/surface_patches.h"

#include <algorithm>
#include <cmath>
#include <stdexcept>
#include <string>

namespace datum {
namespace {

constexpr std::size_t most_pieces = std::size_t{1} << 24;
constexpr double facing = 0.5;  // cosine
// A point must reach the patch that its own piece of a facet went to: from the point to the piece's center at most 2/3 of
// the piece's longest side, from there to the patch's center at most the voxel's diagonal, 2.4 pieces in all.
constexpr double piece_per_reach = 0.4;

double dot(const SurfacePlace& a, const SurfacePlace& b) { return a[0] * b[0] + a[1] * b[1] + a[2] * b[2]; }
SurfacePlace mix(const SurfacePlace& a, const SurfacePlace& b, double t) {
  return {a[0] + t * (b[0] - a[0]), a[1] + t * (b[1] - a[1]), a[2] + t * (b[2] - a[2])};
}
double square(const SurfacePlace& a, const SurfacePlace& b) {
  const SurfacePlace d{a[0] - b[0], a[1] - b[1], a[2] - b[2]};
  return dot(d, d);
}
SurfacePlace widen(const std::array<float, 3>& v) { return {v[0], v[1], v[2]}; }

double area_of(const std::array<SurfacePlace, 3>& t) {
  const SurfacePlace u{t[1][0] - t[0][0], t[1][1] - t[0][1], t[1][2] - t[0][2]};
  const SurfacePlace v{t[2][0] - t[0][0], t[2][1] - t[0][1], t[2][2] - t[0][2]};
  const SurfacePlace n{u[1] * v[2] - u[2] * v[1], u[2] * v[0] - u[0] * v[2], u[0] * v[1] - u[1] * v[0]};
  return 0.5 * std::sqrt(dot(n, n));
}

std::array<SurfacePlace, 3> corners_of(const TriangleModel& model, std::size_t facet) {
  const auto& c = model.corner[facet];
  return {widen(c[0]), widen(c[1]), widen(c[2])};
}

/// Pieces of a facet whose sides are not longer than `side_mm`, by halving the longest side; each half has half the area.
template <class Take>
void cut(const std::array<SurfacePlace, 3>& t, double area_mm2, double side_mm, const Take& take) {
  std::size_t longest = 0;
  for (std::size_t k = 1; k < 3; ++k)
    if (square(t[k], t[(k + 1) % 3]) > square(t[longest], t[(longest + 1) % 3])) longest = k;
  const SurfacePlace &a = t[longest], &b = t[(longest + 1) % 3], &c = t[(longest + 2) % 3];
  if (square(a, b) <= side_mm * side_mm) return take(mix(mix(a, b, 0.5), c, 1.0 / 3), area_mm2);
  const SurfacePlace middle = mix(a, b, 0.5);
  cut({a, middle, c}, area_mm2 / 2, side_mm, take);
  cut({middle, b, c}, area_mm2 / 2, side_mm, take);
}

[[noreturn]] void too_fine(double reach_mm) {
  throw std::invalid_argument("cover of a surface: reach " + std::to_string(reach_mm) +
                              " mm cuts this model into more than 2^24 pieces; take a larger one");
}

/// Where pieces are put together: a voxel, the axis that they face along, the region.
struct PatchKey {
  std::array<std::int64_t, 3> voxel;
  int axis;
  std::size_t region;
  bool operator==(const PatchKey&) const = default;
};
struct PatchHash {
  std::size_t operator()(const PatchKey& k) const {
    std::uint64_t h = static_cast<std::uint64_t>(k.axis) + 8 * k.region;
    for (const std::int64_t v : k.voxel)
      h = (h ^ (h >> 29) ^ static_cast<std::uint64_t>(v)) * 0xBF58476D1CE4E5B9u;
    return h ^ (h >> 31);
  }
};

int axis_of(const SurfacePlace& n) {
  std::size_t axis = 0;
  for (std::size_t k = 1; k < 3; ++k)
    if (std::abs(n[k]) > std::abs(n[axis])) axis = k;
  return static_cast<int>(2 * axis) + (n[axis] < 0);
}

}  // namespace

SurfacePlace foot_of(const TriangleModel& model, const ModelPoint& point, const ModelDistance& found) {
  const auto& corner = model.corner[found.facet];
  const SurfacePlace p{point.x, point.y, point.z};
  if (found.place == Place::face) {
    const SurfacePlace n = widen(model.normal[found.facet][0]);
    return {p[0] - found.distance * n[0], p[1] - found.distance * n[1], p[2] - found.distance * n[2]};
  }
  const int k = static_cast<int>(found.place) - static_cast<int>(Place::edge_ab);
  if (k >= 3) return widen(corner[static_cast<std::size_t>(k - 3)]);
  const SurfacePlace u = widen(corner[static_cast<std::size_t>(k)]);
  const SurfacePlace v = widen(corner[static_cast<std::size_t>((k + 1) % 3)]);
  const SurfacePlace side{v[0] - u[0], v[1] - u[1], v[2] - u[2]}, to{p[0] - u[0], p[1] - u[1], p[2] - u[2]};
  return mix(u, v, std::clamp(dot(to, side) / dot(side, side), 0.0, 1.0));
}

SurfacePatches::SurfacePatches(const SurfaceMap& map, double reach_mm) : map_(map), reach_mm_(reach_mm) {
  if (!(reach_mm > 0 && std::isfinite(reach_mm)))
    throw std::invalid_argument("cover of a surface: reach " + std::to_string(reach_mm) +
                                " mm; a length above 0 is wanted");
  const TriangleModel& model = *map.model;
  const double side = piece_per_reach * reach_mm;
  double area = 0;
  for (std::size_t f = 0; f < model.corner.size(); ++f) area += area_of(corners_of(model, f));
  // the largest piece has three sides of that length
  if (area > static_cast<double>(most_pieces) * side * side * std::sqrt(3.0) / 4) too_fine(reach_mm);
  std::unordered_map<PatchKey, std::uint32_t, PatchHash> at;
  std::size_t pieces = 0;
  for (std::uint32_t f = 0; f < model.corner.size(); ++f) {
    const std::array<SurfacePlace, 3> t = corners_of(model, f);
    const SurfacePlace n = widen(model.normal[f][0]);
    const int axis = axis_of(n);
    const std::size_t region = region_of(f);
    cut(t, area_of(t), side, [&](const SurfacePlace& center, double part) {
      if (++pieces > most_pieces) too_fine(reach_mm);
      PatchKey key{{}, axis, region};
      for (std::size_t k = 0; k < 3; ++k)
        key.voxel[k] = static_cast<std::int64_t>(std::floor(center[k] / side));
      const auto [found, is_new] = at.try_emplace(key, static_cast<std::uint32_t>(patches_.size()));
      if (is_new) patches_.push_back({{}, {}, 0, region});
      SurfacePatch& patch = patches_[found->second];
      for (std::size_t k = 0; k < 3; ++k) {
        patch.center[k] += part * center[k];
        patch.normal[k] += part * n[k];
      }
      patch.area_mm2 += part;
    });
  }
  for (std::uint32_t i = 0; i < patches_.size(); ++i) {
    SurfacePatch& patch = patches_[i];
    const double length = std::sqrt(dot(patch.normal, patch.normal));
    for (std::size_t k = 0; k < 3; ++k) {
      patch.center[k] /= patch.area_mm2;
      patch.normal[k] /= length;
    }
    cells_[key({cell(patch.center[0]), cell(patch.center[1]), cell(patch.center[2])})].push_back(i);
  }
}

std::size_t SurfacePatches::region_of(std::uint32_t facet) const {
  const std::uint16_t region = map_.region_of_facet.empty() ? no_region : map_.region_of_facet[facet];
  return region == no_region ? map_.regions.size() : region;
}

std::int64_t SurfacePatches::cell(double mm) const {
  return static_cast<std::int64_t>(std::floor(mm / (2 * reach_mm_)));
}

/// 21 bits of each: two cells share a key only 2 million cells apart, where meets() tells them apart.
std::uint64_t SurfacePatches::key(const std::array<std::int64_t, 3>& cell) {
  std::uint64_t k = 0;
  for (const std::int64_t c : cell) k = (k << 21) | (static_cast<std::uint64_t>(c) & 0x1FFFFF);
  return k;
}

bool SurfacePatches::meets(const SurfacePatch& patch, const SurfacePlace& place, std::uint32_t facet) const {
  return square(patch.center, place) <= reach_mm_ * reach_mm_ && patch.region == region_of(facet) &&
         dot(patch.normal, widen(map_.model->normal[facet][0])) >= facing;
}

}  // namespace datum
