// Matching on a CUDA device gives the CPU's bytes.
#include "gpu/surface_match/surface_match_cuda.h"

#include <gtest/gtest.h>

#include <cstring>
#include <limits>

#include "gpu/core/cuda_device.h"
#include "gpu/surface_match/facet_matcher_cuda.h"
#include "tests/gpu/surface_scenes.h"

namespace datum {
namespace {

using namespace testing;

class SurfaceMatchCuda : public ::testing::Test {
 protected:
  void SetUp() override {
    const CudaDevice device = probe_cuda_device();
    if (!device.usable) GTEST_SKIP() << device.why;
  }
};

void expect_same(const RawModel& raw, const Measured& m, float gate, const char* what) {
  const ModelFacets facets = model_facets(triangle_model(raw));
  PointMatchSettings settings;
  settings.gate = gate;
  const MeasuredPoints points(m.points.data(), m.directions.empty() ? nullptr : m.directions.data(),
                              m.points.size());
  CudaPointMatch device(facets);
  device.upload(nullptr, points);
  device.launch(nullptr, settings);
  std::vector<FacetDeviation> out(facets.facet.size());
  device.fetch(nullptr, out.data());
  EXPECT_TRUE(bytes(out) == bytes(matched(facets, m, settings))) << what;
}

void expect_same(const RawModel& raw, const std::vector<MeasuredFacet>& measured,
                 const FacetMatchSettings& settings, const char* what) {
  const ModelFacets facets = model_facets(triangle_model(raw));
  CudaFacetMatch device(facets);
  device.upload(nullptr, MeasuredFacets(measured, settings.choice));
  device.launch(nullptr, settings);
  std::vector<FacetPierced> out(facets.facet.size());
  device.fetch(nullptr, out.data());
  EXPECT_TRUE(bytes(out) == bytes(matched(facets, measured, settings))) << what;
}

TEST_F(SurfaceMatchCuda, PointsGiveTheBytesOfTheCpu) {
  for (const std::size_t facets : {1, 33, 3000}) {
    const RawModel soup = soup_model(facets, facets);
    for (const float gate : {0.01f, 0.5f, 40.f})
      expect_same(soup, measured_points(triangle_model(soup), 20000, 0.01, 0.2, facets), gate, "soup");
  }
  const RawModel sphere = sphere_model(20, 100);
  expect_same(sphere, measured_points(triangle_model(sphere), 60000, 0.1, 0.02, 1), 0.3f, "sphere");
  const RawModel box = box_model(40, 30, 2, 1);  // two facets a side, each a block's
  expect_same(box, measured_points(triangle_model(box), 200000, 0.05, 0.02, 2), 0.3f, "box");
  expect_same(box, Measured{}, 0.3f, "nothing");
  Measured bad = measured_points(triangle_model(box), 300, 0, 0.02, 3);
  bad.directions.clear();
  bad.points[7].x = std::numeric_limits<float>::quiet_NaN();
  bad.points[9].z = std::numeric_limits<float>::infinity();
  expect_same(box, bad, 0.3f, "without directions, places that are none");
}

TEST_F(SurfaceMatchCuda, FacetsGiveTheBytesOfTheCpu) {
  FacetMatchSettings nearest, walk;
  walk.choice = FacetChoice::first_found;
  for (const std::size_t facets : {1, 40, 4000})
    for (const float gate : {0.1f, 30.f}) {
      nearest.gate = walk.gate = gate;
      walk.vicinity = 2;
      RawModel other = soup_model(facets, facets + 1);
      for (std::size_t i = 0; i < other.vertices.size(); i += 97)
        for (double& c : other.vertices[i]) c *= 3;
      auto measured = measured_facets(triangle_model(other));
      const std::size_t once = measured.size();
      for (std::size_t i = 0; i < once; i += 3) measured.push_back(measured[i]);  // the lower one counts
      expect_same(soup_model(facets, facets), measured, nearest, "nearest");
      expect_same(soup_model(facets, facets), measured, walk, "walk");
    }
  nearest.gate = 0.5f;
  expect_same(sphere_model(20.1, 150), measured_facets(triangle_model(sphere_model(20, 200))), nearest,
              "spheres");
  expect_same(sphere_model(20.1, 50), {}, nearest, "nothing");
  expect_same(sphere_model(20.1, 50), {}, walk, "nothing to walk");
}

void expect_same(DeviceMatch& device, const ModelFacets& model, const Scan& scan, float gate,
                 const std::string& what) {
  const ScanMatchSettings settings = scan_settings(gate);
  std::vector<FacetDeviation> by_points(model.facet.size()), expected_by_points(model.facet.size());
  std::vector<FacetPierced> by_surface(model.facet.size()), expected_by_surface(model.facet.size());
  std::memset(static_cast<void*>(by_points.data()), 0xab, by_points.size() * sizeof by_points[0]);
  std::memset(static_cast<void*>(by_surface.data()), 0xab, by_surface.size() * sizeof by_surface[0]);
  device.match(scan.surface(), settings, by_points.data(), by_surface.data());
  match_scan(model, scan.surface(), settings, cpu_backend(0), expected_by_points.data(),
             expected_by_surface.data());
  EXPECT_TRUE(bytes(by_points) == bytes(expected_by_points)) << what << ", by points";
  EXPECT_TRUE(bytes(by_surface) == bytes(expected_by_surface)) << what << ", by surface";
  if (!model.regions) return;
  std::vector<FacetSums> sums(model.regions->total.size()), expected(sums.size());
  for (const bool both : {true, false}) {
    std::vector<FacetSums> of_surface(sums.size()), expected_of_surface(sums.size());
    std::memset(static_cast<void*>(sums.data()), 0xab, sums.size() * sizeof sums[0]);
    device.sum(scan.surface(), settings, sums.data(), both ? of_surface.data() : nullptr);
    sum_facets(model, expected_by_points.data(), 1, expected.data());
    sum_facets(model, expected_by_surface.data(), 1, expected_of_surface.data());
    EXPECT_TRUE(bytes(sums) == bytes(expected)) << what << ", sums by points";
    if (both) {
      EXPECT_TRUE(bytes(of_surface) == bytes(expected_of_surface)) << what << ", sums by surface";
    }
  }
}

TEST_F(SurfaceMatchCuda, ScansGiveTheBytesOfTheCpu) {
  for (const std::size_t facets : {1, 33, 3000}) {
    const ModelFacets model = with_regions(model_facets(triangle_model(soup_model(facets, facets))));
    const auto device = cuda_device_match(model);
    RawModel other = dense_soup(facets, facets + 1);
    for (std::size_t i = 0; i < other.vertices.size(); i += 97)  // long ones: more levels of size
      for (double& c : other.vertices[i]) c *= 3;
    Scan scan(other);
    for (const float gate : {0.1f, 30.f}) expect_same(*device, model, scan, gate, "soup");
    scan.points[1].y = std::numeric_limits<float>::quiet_NaN();
    scan.points[2].z = std::numeric_limits<float>::infinity();
    expect_same(*device, model, scan, 2, "places that are none");
    expect_same(*device, model, Scan{}, 2, "nothing");
  }
  const ModelFacets sphere = with_regions(model_facets(triangle_model(sphere_model(20.1, 150))));
  const auto device = cuda_device_match(sphere);
  for (const int rings : {400, 30, 200})  // memory that is kept
    expect_same(*device, sphere, Scan(sphere_model(20, rings)), 0.5f, "sphere " + std::to_string(rings));
  const ModelFacets box =
      with_regions(model_facets(triangle_model(box_model(40, 30, 2, 1))), 2);  // each facet a block's
  expect_same(*cuda_device_match(box), box, Scan(box_model(40, 30, 2, 150)), 0.3f, "box");
}

TEST_F(SurfaceMatchCuda, NumbersThatThereAreNoneOfMatchNothing) {
  const ModelFacets sphere = model_facets(triangle_model(sphere_model(20.1, 50)));
  const auto device = cuda_device_match(sphere);
  Scan scan(sphere_model(20, 60)), holes = scan;
  for (std::size_t i = 0; i < scan.facets.size(); i += 7) {
    scan.facets[i][1] = 0xFFFFFFF0u;
    holes.facets[i][1] = holes.facets[i][0];  // without a normal
  }
  std::vector<FacetDeviation> by_points(sphere.facet.size());
  std::vector<FacetPierced> by_surface(sphere.facet.size()), expected(sphere.facet.size());
  device->match(scan.surface(), scan_settings(0.5f), by_points.data(), by_surface.data());
  device->match(holes.surface(), scan_settings(0.5f), by_points.data(), expected.data());
  EXPECT_TRUE(bytes(by_surface) == bytes(expected));
}

}  // namespace
}  // namespace datum
