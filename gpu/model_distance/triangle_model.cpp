#include "gpu/model_distance/triangle_model.h"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <stdexcept>
#include <string>
#include <unordered_map>

namespace datum {
namespace {

using Vector = std::array<double, 3>;
using Corners = std::array<std::uint32_t, 3>;

Vector minus(const Vector& a, const Vector& b) { return {a[0] - b[0], a[1] - b[1], a[2] - b[2]}; }
double dot(const Vector& a, const Vector& b) { return a[0] * b[0] + a[1] * b[1] + a[2] * b[2]; }
Vector cross(const Vector& a, const Vector& b) {
  return {a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]};
}
double length(const Vector& v) { return std::sqrt(dot(v, v)); }
Vector unit(const Vector& v) {
  const double l = length(v);
  return l > 0 ? Vector{v[0] / l, v[1] / l, v[2] / l} : v;
}
void add(Vector& to, const Vector& v, double weight) {
  for (int k = 0; k < 3; ++k) to[k] += weight * v[k];
}
std::array<float, 3> narrow(const Vector& v) {
  return {static_cast<float>(v[0]), static_cast<float>(v[1]), static_cast<float>(v[2])};
}

void check(const RawModel& raw) {
  if (raw.facets.empty()) throw std::invalid_argument("the model has no facets");
  if (raw.facets.size() > (std::size_t{1} << 31))
    throw std::invalid_argument("the model has more than 2^31 facets");
  check_corners(raw);
}

struct PlaceHash {
  std::size_t operator()(const std::array<float, 3>& p) const {
    std::uint32_t w[3];
    std::memcpy(w, p.data(), sizeof w);
    std::uint64_t h = w[0] * 0x9E3779B97F4A7C15ull;
    h = (h ^ (h >> 29) ^ w[1]) * 0xBF58476D1CE4E5B9ull;
    h = (h ^ (h >> 31) ^ w[2]) * 0x94D049BB133111EBull;
    return h ^ (h >> 30);
  }
};

/// A facet's side, under the places that it joins.
struct Side {
  std::uint64_t places;
  std::uint32_t facet;
  std::uint8_t number;  // 0 ab, 1 bc, 2 ca
  bool forwards;        // from the lower place to the higher
};

/// What meets at a side.
struct Edge {
  Vector normal{};
  double cosine = -2;
};

class Builder {
 public:
  explicit Builder(const RawModel& raw) : raw_(raw) {
    centre();
    weld();
    for (std::uint32_t i = 0; i < raw.facets.size(); ++i) take(i);
    if (corners_.empty()) throw std::invalid_argument("every facet of the model is degenerate");
    join();
    for (Vector& n : corner_normals_) n = unit(n);
    for (std::size_t i = 0; i < corners_.size(); ++i) turn_corners(i);
    for (std::size_t i = 0; i < corners_.size(); ++i) give_normals(i);
  }
  TriangleModel take_model() { return std::move(model_); }

 private:
  void centre() {
    Vector low = raw_.vertices.front(), high = low;
    for (const Vector& v : raw_.vertices)
      for (int k = 0; k < 3; ++k) {
        low[k] = std::min(low[k], v[k]);
        high[k] = std::max(high[k], v[k]);
      }
    for (int k = 0; k < 3; ++k) model_.origin[k] = 0.5 * (low[k] + high[k]);
  }
  void weld() {
    std::unordered_map<std::array<float, 3>, std::uint32_t, PlaceHash> at;
    at.reserve(raw_.vertices.size());
    for (const Vector& v : raw_.vertices) {
      std::array<float, 3> p = narrow(minus(v, model_.origin));
      for (float& c : p) c += 0.f;  // -0 and 0 are one place
      const auto [found, is_new] = at.try_emplace(p, static_cast<std::uint32_t>(places_.size()));
      if (is_new) places_.push_back(p);
      place_of_.push_back(found->second);
    }
    corner_normals_.resize(places_.size());
    corner_cosine_.resize(places_.size(), 1);
  }
  Vector place(std::uint32_t i) const { return {places_[i][0], places_[i][1], places_[i][2]}; }

  void take(std::uint32_t i) {
    const Corners& f = raw_.facets[i];
    const Corners c{place_of_[f[0]], place_of_[f[1]], place_of_[f[2]]};
    const Vector p[3] = {place(c[0]), place(c[1]), place(c[2])};
    const Vector area = cross(minus(p[1], p[0]), minus(p[2], p[0]));
    const double longest =
        std::max({length(minus(p[1], p[0])), length(minus(p[2], p[1])), length(minus(p[0], p[2]))});
    // a height below 2^-20 of the longest side: in float its normal would be rounding
    if (!(length(area) > std::ldexp(longest * longest, -20))) {
      ++model_.faults.degenerate;
      return;
    }
    const Vector normal = unit(area);
    for (int k = 0; k < 3; ++k) {
      const int next = (k + 1) % 3, last = (k + 2) % 3;
      const Vector out = unit(minus(p[next], p[k])), back = unit(minus(p[last], p[k]));
      add(corner_normals_[c[k]], normal, std::acos(std::clamp(dot(out, back), -1.0, 1.0)));
      const std::uint32_t low = std::min(c[k], c[next]), high = std::max(c[k], c[next]);
      sides_.push_back({(std::uint64_t{low} << 32) | high, static_cast<std::uint32_t>(corners_.size()),
                        static_cast<std::uint8_t>(k), c[k] == low});
    }
    corners_.push_back(c);
    face_normals_.push_back(normal);
    model_.facet.push_back(i);
  }

  /// Sides that join the same places are one edge.
  void join() {
    edges_.resize(corners_.size());
    std::sort(sides_.begin(), sides_.end(), [](const Side& a, const Side& b) {
      return a.places != b.places ? a.places < b.places : a.facet < b.facet;
    });
    for (std::size_t first = 0, last = 0; first < sides_.size(); first = last) {
      Edge edge;
      bool turned = false;
      for (last = first; last < sides_.size() && sides_[last].places == sides_[first].places; ++last) {
        add(edge.normal, face_normals_[sides_[last].facet], 1);
        turned = turned || (last > first && sides_[last].forwards == sides_[first].forwards);
      }
      const std::size_t facets = last - first;
      if (facets == 2)
        edge.cosine = dot(face_normals_[sides_[first].facet], face_normals_[sides_[first + 1].facet]);
      if (facets > 2) edge.cosine = -1;
      edge.normal = unit(edge.normal);
      model_.faults.open_edges += facets == 1;
      model_.faults.branched_edges += facets > 2;
      model_.faults.turned_edges += facets == 2 && turned;
      for (std::size_t i = first; i < last; ++i) edges_[sides_[i].facet][sides_[i].number] = edge;
    }
  }

  void turn_corners(std::size_t i) {
    const Corners& c = corners_[i];
    for (int k = 0; k < 3; ++k) {
      const double edge = edges_[i][k].cosine;
      const double half = dot(face_normals_[i], corner_normals_[c[k]]);
      const double tip = half > 0 ? 2 * half * half - 1 : -1;
      for (const std::uint32_t end : {c[k], c[(k + 1) % 3]})
        corner_cosine_[end] = std::min(corner_cosine_[end], edge);
      corner_cosine_[c[k]] = std::min(corner_cosine_[c[k]], tip);
    }
  }

  void give_normals(std::size_t i) {
    const Corners& c = corners_[i];
    model_.corner.push_back({places_[c[0]], places_[c[1]], places_[c[2]]});
    std::array<std::array<float, 3>, 7> normal;
    std::array<float, 6> cosine;
    normal[0] = narrow(face_normals_[i]);
    for (int k = 0; k < 3; ++k) {
      normal[1 + k] = narrow(edges_[i][k].normal);
      cosine[k] = static_cast<float>(edges_[i][k].cosine);
      normal[4 + k] = narrow(corner_normals_[c[k]]);
      cosine[3 + k] = static_cast<float>(corner_cosine_[c[k]]);
    }
    model_.normal.push_back(normal);
    model_.cosine.push_back(cosine);
  }

  const RawModel& raw_;
  TriangleModel model_;
  std::vector<std::array<float, 3>> places_;
  std::vector<std::uint32_t> place_of_;
  std::vector<Vector> corner_normals_, face_normals_;
  std::vector<double> corner_cosine_;
  std::vector<Corners> corners_;
  std::vector<Side> sides_;
  std::vector<std::array<Edge, 3>> edges_;  // of each facet
};

}  // namespace

void check_corners(const RawModel& raw) {
  for (std::size_t i = 0; i < raw.vertices.size(); ++i)
    for (const double c : raw.vertices[i])
      if (!std::isfinite(c)) throw std::invalid_argument("vertex " + std::to_string(i) + " is not finite");
  for (std::size_t i = 0; i < raw.facets.size(); ++i)
    for (const std::uint32_t c : raw.facets[i])
      if (c >= raw.vertices.size())
        throw std::invalid_argument("facet " + std::to_string(i) + " has corner " + std::to_string(c) +
                                    " of " + std::to_string(raw.vertices.size()) + " vertices");
}

TriangleModel triangle_model(const RawModel& raw) {
  check(raw);
  return Builder(raw).take_model();
}

}  // namespace datum
