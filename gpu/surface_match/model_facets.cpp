#include "gpu/surface_match/model_facets.h"

#include <algorithm>
#include <cmath>
#include <stdexcept>
#include <string>
#include <unordered_map>

#include "gpu/model_distance/facet_tree.h"

namespace datum {

ModelFacets model_facets(const TriangleModel& model) {
  ModelFacets out;
  out.facet.reserve(model.corner.size());
  for (std::size_t i = 0; i < model.corner.size(); ++i) {
    const auto& corner = model.corner[i];
    ModelFacet f;
    for (int k = 0; k < 3; ++k) {
      f.centre[k] = static_cast<float>((double{corner[0][k]} + corner[1][k] + corner[2][k]) / 3);
      f.normal[k] = model.normal[i][0][k];
    }
    double square = 0;
    for (const auto& c : corner) {
      double from_centre = 0;
      for (int k = 0; k < 3; ++k) {
        from_centre += (double{c[k]} - f.centre[k]) * (double{c[k]} - f.centre[k]);
        out.farthest = std::max(out.farthest, std::fabs(c[k]));
      }
      square = std::max(square, from_centre);
    }
    f.radius = static_cast<float>(std::sqrt(square));
    f.turn = *std::min_element(model.cosine[i].begin(), model.cosine[i].end());
    out.facet.push_back(f);
  }
  const float low[3] = {-out.farthest, -out.farthest, -out.farthest},
              high[3] = {out.farthest, out.farthest, out.farthest};
  const model::CurveBox box = model::curve_box(low, high);
  std::vector<std::uint32_t> keys;
  keys.reserve(out.facet.size());
  for (const ModelFacet& f : out.facet)
    keys.push_back(model::curve_key(box, f.centre[0], f.centre[1], f.centre[2]));
  out.order = model::sorted_by_key(std::move(keys));
  return out;
}

namespace {

constexpr double most_facets = 1 << 24;

class Cutter {
 public:
  Cutter(const RawModel& raw, double longest) : longest_(longest), cut_{raw, {}} {
    cut_.origin.resize(raw.facets.size());
    for (std::uint32_t i = 0; i < cut_.origin.size(); ++i) cut_.origin[i] = i;
  }

  CutModel run() {
    check(fewest());
    while (round()) check(static_cast<double>(cut_.model.facets.size()));
    return std::move(cut_);
  }

 private:
  using Facet = std::array<std::uint32_t, 3>;

  void check(double facets) const {
    if (!(facets <= most_facets))
      throw std::invalid_argument("cutting the model into edges of at most " + std::to_string(longest_) +
                                  " takes more than 2^24 facets; a longer edge is wanted");
  }

  /// As many as the longest edges alone demand.
  double fewest() const {
    double sum = 0;
    for (const Facet& f : cut_.model.facets)
      sum += std::max({length(f[0], f[1]), length(f[1], f[2]), length(f[2], f[0]), longest_}) / longest_;
    return sum;
  }
  double length(std::uint32_t a, std::uint32_t b) const {
    const auto &p = cut_.model.vertices[a], &q = cut_.model.vertices[b];
    return std::hypot(p[0] - q[0], p[1] - q[1], p[2] - q[2]);
  }

  bool is_long(std::uint32_t a, std::uint32_t b) const { return length(a, b) > longest_; }

  std::uint32_t middle(std::uint32_t a, std::uint32_t b) {
    if (a > b) std::swap(a, b);  // one place for both sides of the edge
    const auto [at, is_new] = middle_.try_emplace((std::uint64_t{a} << 32) | b,
                                                  static_cast<std::uint32_t>(cut_.model.vertices.size()));
    if (is_new) {
      const auto p = cut_.model.vertices[a], q = cut_.model.vertices[b];
      cut_.model.vertices.push_back({0.5 * (p[0] + q[0]), 0.5 * (p[1] + q[1]), 0.5 * (p[2] + q[2])});
    }
    return at->second;
  }

  /// Every long edge is halved. Whether an edge is long depends on its ends alone, so both sides agree.
  bool round() {
    middle_.clear();
    std::vector<Facet> facets;
    std::vector<std::uint32_t> origin;
    bool any = false;
    for (std::size_t i = 0; i < cut_.model.facets.size(); ++i) {
      const Facet f = cut_.model.facets[i];
      const auto add = [&](std::uint32_t a, std::uint32_t b, std::uint32_t c) {
        facets.push_back({a, b, c});
        origin.push_back(cut_.origin[i]);
      };
      int first = -1, cuts = 0;  // of the long edges, k from corner k to the next
      bool is_cut[3];
      for (int k = 0; k < 3; ++k) {
        is_cut[k] = is_long(f[k], f[(k + 1) % 3]);
        cuts += is_cut[k];
      }
      any = any || cuts > 0;
      for (int k = 0; k < 3; ++k)
        if (is_cut[k] && (cuts == 1 || is_cut[(k + 1) % 3])) first = k;
      if (cuts == 0) {
        add(f[0], f[1], f[2]);
        continue;
      }
      // turned so that edge ab is cut, and of two cut ones the other is bc
      const std::uint32_t a = f[first], b = f[(first + 1) % 3], c = f[(first + 2) % 3], ab = middle(a, b);
      if (cuts == 1) {
        add(a, ab, c);
        add(ab, b, c);
        continue;
      }
      const std::uint32_t bc = middle(b, c);
      add(ab, b, bc);
      if (cuts == 2) {
        add(a, ab, bc);
        add(a, bc, c);
        continue;
      }
      const std::uint32_t ca = middle(c, a);
      add(a, ab, ca);
      add(ab, bc, ca);
      add(ca, bc, c);
    }
    cut_.model.facets = std::move(facets);
    cut_.origin = std::move(origin);
    return any;
  }

  double longest_;
  CutModel cut_;
  std::unordered_map<std::uint64_t, std::uint32_t> middle_;
};

}  // namespace

CutModel cut(const RawModel& raw, double longest) {
  if (!(longest > 0)) throw std::invalid_argument("cutting a model: the longest edge must be above 0");
  check_corners(raw);
  return Cutter(raw, longest).run();
}

}  // namespace datum
