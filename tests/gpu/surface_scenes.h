// Measured points and facets about models.
#pragma once

#include <cmath>
#include <cstring>
#include <random>
#include <string>
#include <vector>

#include "gpu/surface_match/facet_matcher.h"
#include "gpu/surface_match/surface_match.h"
#include "tests/gpu/model_scenes.h"

namespace datum::testing {

/// Facets of about 1 in a cube of 5, most of them over each other.
inline RawModel dense_soup(std::size_t facets, std::uint64_t seed) {
  RawModel raw = soup_model(facets, seed);
  for (auto& v : raw.vertices)
    for (double& c : v) c /= 4;
  for (std::size_t i = 0; i < raw.facets.size(); ++i)  // four times as large again, about their first corner
    for (std::size_t k = 1; k < 3; ++k)
      for (std::size_t axis = 0; axis < 3; ++axis) {
        double& c = raw.vertices[3 * i + k][axis];
        c += 3 * (c - raw.vertices[3 * i][axis]);
      }
  return raw;
}

inline FacetMatchSettings facet_settings(float gate) {
  FacetMatchSettings s;
  s.gate = gate;
  return s;
}

struct Measured {
  std::vector<ModelPoint> points;
  std::vector<PointDirection> directions;
};

/// Points anywhere on a model's facets, `off` away along their normals with a normal noise of `noise`, seen from in front but for
/// one in eight.
inline Measured measured_points(const TriangleModel& model, std::size_t count, double off, double noise,
                                std::uint64_t seed) {
  std::mt19937_64 random(seed);
  std::uniform_real_distribution<double> unit(0, 1);
  std::normal_distribution<double> error(0, noise);
  Measured m;
  for (std::size_t i = 0; i < count; ++i) {
    const std::size_t facet = random() % model.corner.size();
    const auto& c = model.corner[facet];
    const auto& n = model.normal[facet][0];
    double a = unit(random), b = unit(random);
    if (a + b > 1) a = 1 - a, b = 1 - b;
    const double d = off + error(random);
    float at[3];
    for (int k = 0; k < 3; ++k)
      at[k] = static_cast<float>(c[0][k] + a * (c[1][k] - c[0][k]) + b * (c[2][k] - c[0][k]) + d * n[k]);
    m.points.push_back({at[0], at[1], at[2]});
    const float sign = i % 8 == 0 ? -1.f : 1.f;
    m.directions.push_back({sign * n[0], sign * n[1], sign * n[2]});
  }
  return m;
}

inline std::vector<MeasuredFacet> measured_facets(const TriangleModel& model) { return model.corner; }

template <class T>
std::string bytes(const std::vector<T>& v) {
  return {reinterpret_cast<const char*>(v.data()), v.size() * sizeof(T)};
}

inline std::vector<FacetDeviation> matched(const ModelFacets& facets, const Measured& m,
                                           const PointMatchSettings& settings,
                                           const Backend& backend = cpu_backend(0)) {
  std::vector<FacetDeviation> out(facets.facet.size());
  MeasuredPoints(m.points.data(), m.directions.empty() ? nullptr : m.directions.data(), m.points.size())
      .match(facets, settings, backend, out.data());
  return out;
}

inline std::vector<FacetPierced> matched(const ModelFacets& facets,
                                         const std::vector<MeasuredFacet>& measured,
                                         const FacetMatchSettings& settings,
                                         const Backend& backend = cpu_backend(0)) {
  std::vector<FacetPierced> out(facets.facet.size());
  MeasuredFacets(measured, settings.choice).match(facets, settings, backend, out.data());
  return out;
}

/// A model's surface as if it had been scanned in two views.
struct Scan {
  std::vector<ModelPoint> points;
  std::vector<std::uint16_t> view;
  std::vector<PointDirection> directions{{0, 0.6f, 0.8f}, {0, 0, -1}};
  std::vector<ScannedFacet> facets;

  Scan() = default;
  explicit Scan(const RawModel& raw) : facets(raw.facets) {
    for (const auto& v : raw.vertices) {
      view.push_back(static_cast<std::uint16_t>(points.size() % 3 == 0));
      points.push_back({static_cast<float>(v[0]), static_cast<float>(v[1]), static_cast<float>(v[2])});
    }
  }
  ScannedSurface surface() const {
    return {points.data(),     view.data(),   points.size(), directions.data(),
            directions.size(), facets.data(), facets.size()};
  }
  std::vector<PointDirection> direction_of_points() const {
    std::vector<PointDirection> of;
    for (const std::uint16_t v : view) of.push_back(directions[v]);
    return of;
  }
  std::vector<MeasuredFacet> corners() const {
    std::vector<MeasuredFacet> of;
    for (const ScannedFacet& f : facets) {
      MeasuredFacet& c = of.emplace_back();
      for (std::size_t k = 0; k < 3; ++k) c[k] = {points[f[k]].x, points[f[k]].y, points[f[k]].z};
    }
    return of;
  }
};

/// Every seventh facet in no region, one region without any.
inline ModelFacets with_regions(ModelFacets facets, std::size_t regions = 4) {
  std::vector<std::uint16_t> region;
  std::vector<std::int64_t> units;
  for (std::size_t i = 0; i < facets.facet.size(); ++i) {
    region.push_back(i % 7 == 3 ? 0xFFFF : static_cast<std::uint16_t>(i * 31 / 17 % (regions - 1)));
    units.push_back(static_cast<std::int64_t>((i * 7919 % 1009 + 1) << (i % 40)));
  }
  facets.regions = std::make_shared<const FacetRegions>(facet_regions(region, units, regions));
  return facets;
}

inline ScanMatchSettings scan_settings(float gate) {
  ScanMatchSettings s;
  s.by_points.gate = s.by_surface.gate = gate;
  return s;
}

}  // namespace datum::testing
