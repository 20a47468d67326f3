#include "daemon/inspection/surface/surface_patches.h"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <stdexcept>
#include <string>

#include "daemon/inspection/surface/in_runs.h"

namespace datum {
namespace {

constexpr std::size_t most_pieces = std::size_t{1} << 24;
constexpr double facing = 0.5;  // cosine
// A voxel's diagonal is then 0.7 reaches: all patches that touch a patch are within its reach.
constexpr double side_per_reach = 0.4;

using Corners = std::array<SurfacePlace, 3>;

double dot(const SurfacePlace& a, const SurfacePlace& b) { return a[0] * b[0] + a[1] * b[1] + a[2] * b[2]; }
SurfacePlace minus(const SurfacePlace& a, const SurfacePlace& b) {
  return {a[0] - b[0], a[1] - b[1], a[2] - b[2]};
}
SurfacePlace cross(const SurfacePlace& u, const SurfacePlace& v) {
  return {u[1] * v[2] - u[2] * v[1], u[2] * v[0] - u[0] * v[2], u[0] * v[1] - u[1] * v[0]};
}
SurfacePlace mix(const SurfacePlace& a, const SurfacePlace& b, double t) {
  return {a[0] + t * (b[0] - a[0]), a[1] + t * (b[1] - a[1]), a[2] + t * (b[2] - a[2])};
}
double square(const SurfacePlace& a, const SurfacePlace& b) {
  const SurfacePlace d = minus(a, b);
  return dot(d, d);
}
SurfacePlace widen(const std::array<float, 3>& v) { return {v[0], v[1], v[2]}; }

Corners corners_of(const TriangleModel& model, std::size_t facet) {
  const auto& c = model.corner[facet];
  return {widen(c[0]), widen(c[1]), widen(c[2])};
}

double area_of(const Corners& t) {
  const SurfacePlace n = cross(minus(t[1], t[0]), minus(t[2], t[0]));
  return 0.5 * std::sqrt(dot(n, n));
}

SurfacePlace center_of(const Corners& t) { return mix(mix(t[0], t[1], 0.5), t[2], 1.0 / 3); }

/// Halves of a facet across its longest side, repeated until no side exceeds the limit; each half has half
/// the area.
struct Halves {
  bool whole;  // short enough
  Corners first, second;
};
Halves halve(const Corners& t, double side_mm) {
  std::size_t longest = 0;
  for (std::size_t k = 1; k < 3; ++k)
    if (square(t[k], t[(k + 1) % 3]) > square(t[longest], t[(longest + 1) % 3])) longest = k;
  const SurfacePlace &a = t[longest], &b = t[(longest + 1) % 3], &c = t[(longest + 2) % 3];
  const SurfacePlace middle = mix(a, b, 0.5);
  return {square(a, b) <= side_mm * side_mm, {a, middle, c}, {middle, b, c}};
}

int axis_of(const SurfacePlace& n) {
  std::size_t axis = 0;
  for (std::size_t k = 1; k < 3; ++k)
    if (std::abs(n[k]) > std::abs(n[axis])) axis = k;
  return static_cast<int>(2 * axis) + (n[axis] < 0);
}

Eigen::AlignedBox3d box_of(const Corners& t) {
  Eigen::AlignedBox3d box;
  for (const SurfacePlace& p : t) box.extend(Eigen::Map<const Eigen::Vector3d>(p.data()));
  return box;
}

[[noreturn]] void too_fine(double reach_mm) {
  throw std::invalid_argument("cover of a surface: reach " + std::to_string(reach_mm) +
                              " mm cuts this model into more than 2^24 pieces; take a larger one");
}

}  // namespace

SurfacePlace foot_of(const TriangleModel& model, const ModelPoint& point, const ModelDistance& found) {
  const area::Place3d foot = area::foot_of(area::place_of(model, found.facet), point, found);
  return {foot.v[0], foot.v[1], foot.v[2]};
}

SurfacePatches::SurfacePatches(const SurfaceMap& map, double reach_mm, const Eigen::AlignedBox3d* about)
    : map_(&map), reach_mm_(reach_mm), side_mm_(side_per_reach * reach_mm), regions_(map.regions.size()) {
  if (!(reach_mm > 0 && std::isfinite(reach_mm)))
    throw std::invalid_argument("cover of a surface: reach " + std::to_string(reach_mm) +
                                " mm; a length above 0 is wanted");
  const TriangleModel& model = *map.model;
  std::vector<std::uint32_t> facets;
  double area = 0;
  for (std::uint32_t f = 0; f < model.corner.size(); ++f) {
    const Corners t = corners_of(model, f);
    if (about && !about->intersects(box_of(t))) continue;
    facets.push_back(f);
    area += area_of(t);
  }
  // the largest piece has three sides of that length
  if (area > static_cast<double>(most_pieces) * side_mm_ * side_mm_ * std::sqrt(3.0) / 4) too_fine(reach_mm);
  lists_.root.resize(model.corner.size());
  for (const std::uint32_t f : facets) {
    const Corners t = corners_of(model, f);
    lists_.root[f] = cut(t, area_of(t), f);
  }
  at_ = {};
  map_ = nullptr;
  finish();
}

void SurfacePatches::list_neighbours(std::size_t most_bytes, unsigned threads) {
  constexpr std::size_t run = 256;
  std::vector<std::uint32_t> first(patches_.size() + 1);
  in_runs(
      threads, patches_.size(),
      [&](std::size_t, std::size_t from, std::size_t to) {
        for (std::size_t k = from; k < to; ++k)
          near(static_cast<std::uint32_t>(k), [&](std::uint32_t) { ++first[k + 1]; });
      },
      run);
  std::size_t all = 0;
  for (std::uint32_t& n : first) {
    all += n;
    n = static_cast<std::uint32_t>(all);
  }
  if (all > std::min<std::size_t>(most_bytes / sizeof first[0], ~std::uint32_t{0})) return;
  std::vector<std::uint32_t> neighbours(all);
  in_runs(
      threads, patches_.size(),
      [&](std::size_t, std::size_t from, std::size_t to) {
        for (std::size_t k = from; k < to; ++k) {
          std::uint32_t at = first[k];
          near(static_cast<std::uint32_t>(k), [&](std::uint32_t other) { neighbours[at++] = other; });
        }
      },
      run);
  lists_.first_near = std::move(first);
  lists_.near = std::move(neighbours);
  by_cell_ = {};
  number_ = {};
  cells_ = {};
}

std::size_t SurfacePatches::bytes() const {
  const auto of = [](const auto& list) { return list.capacity() * sizeof list[0]; };
  return of(patches_) + of(lists_.area_mm2) + of(region_) + of(lists_.root) + of(lists_.cuts) + of(by_cell_) +
         of(number_) + of(lists_.first_near) + of(lists_.near) + cells_.size() * 4 * sizeof(std::uint64_t);
}

std::int32_t SurfacePatches::cut(const Corners& t, double area_mm2, std::uint32_t facet) {
  const Halves halves = halve(t, side_mm_);
  if (halves.whole) {
    if (++pieces_ > most_pieces) too_fine(reach_mm_);
    return ~static_cast<std::int32_t>(add(center_of(t), area_mm2, facet));
  }
  std::vector<PatchCut>& cuts = lists_.cuts;
  const auto at = static_cast<std::int32_t>(cuts.size());
  // across the cut from the middle to the corner opposite, towards the second half
  const SurfacePlace& middle = halves.second[0];
  const SurfacePlace across = cross(minus(halves.second[2], middle), widen(map_->model->normal[facet][0]));
  cuts.push_back({{middle[0], middle[1], middle[2]},
                  {across[0], across[1], across[2]},
                  dot(across, minus(halves.second[1], middle)),
                  {}});
  const std::int32_t first = cut(halves.first, area_mm2 / 2, facet);
  const std::int32_t second = cut(halves.second, area_mm2 / 2, facet);
  if (first == second) {  // pieces of one patch: the last cut is this one, and nobody need ask
    cuts.pop_back();
    return first;
  }
  std::int32_t(&half)[2] = cuts[static_cast<std::size_t>(at)].half;
  half[0] = first;
  half[1] = second;
  return at;
}

std::size_t SurfacePatches::KeyHash::operator()(const Key& k) const {
  std::uint64_t h = static_cast<std::uint64_t>(k.axis) + 8 * k.region;
  for (const std::int64_t v : k.voxel)
    h = (h ^ (h >> 29) ^ static_cast<std::uint64_t>(v)) * 0xBF58476D1CE4E5B9u;
  return h ^ (h >> 31);
}

SurfacePatches::Key SurfacePatches::key_of(const SurfacePlace& center, std::uint32_t facet) const {
  Key key{{}, axis_of(widen(map_->model->normal[facet][0])), region_of(facet)};
  for (std::size_t k = 0; k < 3; ++k)
    key.voxel[k] = static_cast<std::int64_t>(std::floor(center[k] / side_mm_));
  return key;
}

std::uint32_t SurfacePatches::add(const SurfacePlace& center, double area_mm2, std::uint32_t facet) {
  const auto [found, is_new] =
      at_.try_emplace(key_of(center, facet), static_cast<std::uint32_t>(patches_.size()));
  if (is_new) patches_.push_back({{}, {}, 0, region_of(facet)});
  SurfacePatch& patch = patches_[found->second];
  const SurfacePlace n = widen(map_->model->normal[facet][0]);
  for (std::size_t k = 0; k < 3; ++k) {
    patch.center[k] += area_mm2 * center[k];
    patch.normal[k] += area_mm2 * n[k];
  }
  patch.area_mm2 += area_mm2;
  return found->second;
}

/// Sums become means; patches are put where near() looks for them, those of a cell in their order.
void SurfacePatches::finish() {
  std::vector<std::uint64_t> keys;
  for (SurfacePatch& patch : patches_) {
    const double length = std::sqrt(dot(patch.normal, patch.normal));
    for (std::size_t k = 0; k < 3; ++k) {
      patch.center[k] /= patch.area_mm2;
      patch.normal[k] /= length;
    }
    keys.push_back(key({cell(patch.center[0]), cell(patch.center[1]), cell(patch.center[2])}));
    lists_.area_mm2.push_back(patch.area_mm2);
    region_.push_back(static_cast<std::uint16_t>(patch.region));
  }
  areas_ = areas_mm2([](std::size_t) { return true; });
  number_.resize(patches_.size());
  std::iota(number_.begin(), number_.end(), 0u);
  std::stable_sort(number_.begin(), number_.end(),
                   [&](std::uint32_t a, std::uint32_t b) { return keys[a] < keys[b]; });
  for (std::uint32_t i = 0; i < number_.size(); ++i) {
    by_cell_.push_back(patches_[number_[i]]);
    cells_.try_emplace(keys[number_[i]], i, i).first->second.second = i + 1;
  }
}

std::size_t SurfacePatches::region_of(std::uint32_t facet) const {
  const std::uint16_t region = map_->region_of_facet.empty() ? no_region : map_->region_of_facet[facet];
  return region == no_region ? map_->regions.size() : region;
}

std::int64_t SurfacePatches::cell(double mm) const {
  return static_cast<std::int64_t>(std::floor(mm / (2 * reach_mm_)));
}

/// 21 bits per axis: two cells share a key only 2 million cells apart, where meet() distinguishes them.
std::uint64_t SurfacePatches::key(const std::array<std::int64_t, 3>& cell) {
  std::uint64_t k = 0;
  for (const std::int64_t c : cell) k = (k << 21) | (static_cast<std::uint64_t>(c) & 0x1FFFFF);
  return k;
}

bool SurfacePatches::meet(const SurfacePatch& a, const SurfacePatch& b) const {
  return square(a.center, b.center) <= reach_mm_ * reach_mm_ && a.region == b.region &&
         dot(a.normal, b.normal) >= facing;
}

}  // namespace datum
