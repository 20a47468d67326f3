// A surface, a map and a set of fringes, processed by a given backend and compared with the CPU's bytes.
#pragma once

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <memory>
#include <numbers>
#include <string>
#include <vector>

#include "gpu/area_share/area_sharer.h"
#include "gpu/diffusion/diffuser.h"
#include "gpu/fourier_profilometry/fringe_demodulator.h"
#include "gpu/lu/system_inverter.h"
#include "gpu/model_distance/distance_finder.h"
#include "gpu/phase_correlation/correlator.h"
#include "tests/gpu/area_scenes.h"
#include "tests/gpu/correlation_scenes.h"
#include "tests/gpu/fourier_scenes.h"
#include "tests/gpu/lu_scenes.h"
#include "tests/gpu/model_scenes.h"
#include "tests/gpu/surface_scenes.h"

namespace datum::testing {

inline SearchedModel searched(const RawModel& raw) {
  SearchedModel model;
  model.triangles = std::make_shared<TriangleModel>(triangle_model(raw));
  model.search = std::make_shared<ModelSearch>(model.triangles);
  return model;
}

/// Each function returns the executor.
inline std::string find_by(DistanceFinder& finder, const SearchedModel& model, std::size_t count = 5000) {
  const auto points = points_in_cube(count, 12, 3);
  std::vector<ModelDistance> found(count), expected(count);
  DistanceSettings settings;
  settings.search = 6;
  finder.find(model, points.data(), count, settings, found.data());
  model.search->find(points.data(), count, settings, cpu_backend(1), expected.data());
  EXPECT_TRUE(bytes_of(found) == bytes_of(expected));
  return finder.describe();
}

/// A ball scanned as triangles of `rings`, matched with a model.
inline std::string match_by(FacetMatcher& matcher, const std::shared_ptr<const ModelFacets>& model,
                            int rings = 40) {
  const Scan scan = rings > 0 ? Scan(sphere_model(9, rings)) : Scan();
  const ScanMatchSettings settings = scan_settings(0.3f);
  std::vector<FacetDeviation> by_points(model->facet.size()), expected_by_points(model->facet.size());
  std::vector<FacetPierced> by_surface(model->facet.size()), expected_by_surface(model->facet.size());
  matcher.match(model, scan.surface(), settings, by_points.data(), by_surface.data());
  match_scan(*model, scan.surface(), settings, cpu_backend(1), expected_by_points.data(),
             expected_by_surface.data());
  EXPECT_TRUE(bytes(by_points) == bytes(expected_by_points));
  EXPECT_TRUE(bytes(by_surface) == bytes(expected_by_surface));
  return matcher.describe();
}
/// The same ball; what the facets of the model's regions say together.
inline std::string sum_by(FacetMatcher& matcher, const std::shared_ptr<const ModelFacets>& model,
                          int rings = 40, bool by_surface = true) {
  const Scan scan = rings > 0 ? Scan(sphere_model(9, rings)) : Scan();
  const ScanMatchSettings settings = scan_settings(0.3f);
  std::vector<FacetSums> points(model->regions->total.size()), expected_points(points.size());
  std::vector<FacetSums> surface(points.size()), expected_surface(points.size());
  matcher.sum(model, scan.surface(), settings, points.data(), by_surface ? surface.data() : nullptr);
  sum_scan(*model, scan.surface(), settings, cpu_backend(1), expected_points.data(),
           by_surface ? expected_surface.data() : nullptr);
  EXPECT_TRUE(bytes(points) == bytes(expected_points));
  EXPECT_TRUE(bytes(surface) == bytes(expected_surface));
  return matcher.describe();
}
inline std::shared_ptr<const ModelFacets> ball_facets(double radius) {
  return std::make_shared<const ModelFacets>(
      with_regions(model_facets(triangle_model(sphere_model(radius, 30)))));
}

/// Points that share a ball's area.
inline std::string share_by(AreaSharer& sharer, std::size_t count = 3000, std::size_t reaches = 2) {
  const AreaScene scene(count, reaches);
  SharedAreas areas(scene);
  sharer.share(scene.model, scene.judged(), areas.out());
  EXPECT_TRUE(areas == shared_on_cpu(scene));
  return sharer.describe();
}

/// Three systems: one that has an inverse, a singular one, one that is not finite.
inline std::string invert_by(SystemInverter& inverter, std::uint32_t n = 70) {
  for (const double value : {1.0, 0.0, std::nan("")}) {
    std::vector<double> a = random_matrix<double>(n, n);
    const auto middle = a.begin() + static_cast<std::ptrdiff_t>(n / 2 * n);
    if (value != 1) std::fill(middle, middle + n, value);
    std::vector<double> factors(a.size()), inverse(a.size()), expected_factors(a.size()), expected(a.size());
    std::vector<std::int32_t> pivots(n), expected_pivots(n);
    const std::int32_t info = inverter.invert({a.data(), n, factors.data(), pivots.data(), inverse.data()});
    EXPECT_EQ(info,
              invert_system({a.data(), n, expected_factors.data(), expected_pivots.data(), expected.data()},
                            cpu_backend(1)));
    EXPECT_EQ(info == 0, value == 1);
    EXPECT_TRUE(bytes(factors) == bytes(expected_factors));
    EXPECT_EQ(pivots, expected_pivots);
    if (info == 0) {
      EXPECT_TRUE(bytes(inverse) == bytes(expected));
    }
  }
  return inverter.describe();
}

/// A map with a step, a hole and a slope.
inline std::string diffuse_by(Diffuser& diffuser, std::uint32_t side = 40) {
  std::vector<std::int32_t> counts(std::size_t{side} * side);
  for (std::size_t i = 0; i < counts.size(); ++i)
    counts[i] =
        i % 97 == 3 ? no_count_32 : static_cast<std::int32_t>(i * 7919 % 101 + (i % side > 9 ? 40'000 : 0));
  std::vector<std::int32_t> expected = counts;
  const DiffusionGrid grid{side, side, 1};
  const DiffusionSettings settings{Conduction::rational, KappaRule::robust, 0, 0.2, 5};
  const DiffusionRecord record = diffuser.diffuse(counts.data(), grid, settings);
  const DiffusionRecord said = datum::diffuse(expected.data(), grid, settings, cpu_backend(1));
  EXPECT_EQ(counts, expected);
  EXPECT_EQ(record.last_kappa, said.last_kappa);
  EXPECT_EQ(record.faces, said.faces);
  return diffuser.describe();
}

/// Two periods of four steps each, partly dark; with a height model.
inline std::string demodulate_by(FringeDemodulator& demodulator, std::uint32_t width = 37) {
  const std::uint32_t height = 11;
  const FringePattern pattern{4, 2, {15, 16, 0}, 200, 1, 0};
  FringeLimits limits;
  limits.camera_maximum = 255;
  std::vector<std::vector<std::uint8_t>> samples;
  std::vector<const void*> images;
  for (int p = 0; p < 2; ++p)
    for (int k = 0; k < 4; ++k) {
      auto& image = samples.emplace_back(std::size_t{width} * height);
      for (std::size_t i = 0; i < image.size(); ++i) {
        const double turns = (20 + 2.5 * static_cast<double>(i % width)) / pattern.period_px[p] + k / 4.0;
        image[i] = static_cast<std::uint8_t>(
            i % 29 == 0 ? 3 : std::lround(120 + 90 * std::cos(2 * std::numbers::pi * turns)));
      }
    }
  for (const auto& image : samples) images.push_back(image.data());
  std::vector<HeightNode> nodes(std::size_t{nodes_along(width, 8)} * nodes_along(height, 8));
  for (HeightNode& n : nodes) n = {60, 1 / 50.0f, {100, 900, 0, 0}, 0.1f, 0};
  const HeightModel model{8, nodes_along(width, 8), nodes_along(height, 8), nodes.data(), 0.01f};
  struct Results {
    explicit Results(std::size_t n) : classes(n), column(n), sigma(n), counts(n) {}
    FringeMaps maps() {
      FringeMaps m;
      m.classes = classes.data();
      m.column_px = column.data();
      m.sigma_px = sigma.data();
      m.height = counts.data();
      return m;
    }
    std::vector<FringeClass> classes;
    std::vector<float> column, sigma;
    std::vector<std::int32_t> counts;
  } got(samples[0].size()), expected(samples[0].size());
  const FringeImages set{images.data(), SampleType::u8, width, height};
  demodulator.demodulate(set, pattern, limits, &model, got.maps());
  datum::demodulate(set, pattern, limits, &model, cpu_backend(1), expected.maps());
  EXPECT_EQ(got.classes, expected.classes);
  EXPECT_EQ(got.column, expected.column);
  EXPECT_EQ(got.sigma, expected.sigma);
  EXPECT_EQ(got.counts, expected.counts);
  EXPECT_GT(std::count(got.classes.begin(), got.classes.end(), FringeClass::ok), 100);
  return demodulator.describe();
}

/// A single image with a saturated spot.
template <class Sample>
std::string single_shot_by(FringeDemodulator& demodulator, std::uint32_t width, bool modulation = true) {
  FringeScene scene;
  scene.width = width;
  scene.height = 9;
  std::vector<Sample> samples = fringes<Sample>(scene, 1);
  samples[width + width / 2] = 255;
  FourierSettings settings;
  settings.period_px = 12.3f;
  settings.camera_maximum = 255;
  const FourierProfilometry profilometry(width, settings);
  FourierResult got(samples.size()), expected(samples.size());
  const auto demodulated = [&](FringeDemodulator& by, FourierResult& to) {
    FourierMaps maps = to.maps();
    if (!modulation) maps.modulation = nullptr;
    by.demodulate(profilometry, image_of(samples, width), maps);
  };
  demodulated(demodulator, got);
  CpuFringeDemodulator here(cpu_backend(1));
  demodulated(here, expected);
  EXPECT_TRUE(got == expected);
  EXPECT_GT(std::count(got.classes.begin(), got.classes.end(), FourierClass::ok), width);
  return demodulator.describe();
}

/// A board's picture that is shifted, another board's, and none.
inline std::string correlate_by(Correlator& correlator, std::uint32_t cols = 64, std::uint32_t rows = 32) {
  CorrelationSettings settings;
  settings.most_shift_px = 6;
  const auto reference = parts(cols, rows, 0, 0, 1);
  for (const auto& image : {parts(cols, rows, 3.25, -2, 1), parts(cols, rows, 0, 0, 7),
                            std::vector<float>(reference.size()), reference}) {
    const CorrelationShift got = correlator.find({reference.data(), image.data(), cols, rows}, settings);
    const CorrelationShift expected =
        PhaseCorrelation(reference.data(), cols, rows, settings).find(image.data(), cpu_backend(1));
    EXPECT_EQ(got.kind, expected.kind);
    EXPECT_EQ(got.x_px, expected.x_px);
    EXPECT_EQ(got.y_px, expected.y_px);
    EXPECT_EQ(got.peak, expected.peak);
    EXPECT_EQ(got.ratio, expected.ratio);
  }
  return correlator.describe();
}

}  // namespace datum::testing
