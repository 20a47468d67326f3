// Who matches a scan with a model's facets, by points and by surface (surface_match.h): this program's CPU, or a GPU with
// the CPU in reserve. The bytes are the same. C++17: CUDA sources include this header.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>

#include "gpu/surface_match/facet_sums.h"
#include "gpu/surface_match/surface_match.h"

namespace datum {

using ScannedFacet = std::array<std::uint32_t, 3>;  // numbers of points, anticlockwise seen from the sensor

/// A scan as snapshots give it. Coordinates as those of the model's facets.
struct ScannedSurface {
  const ModelPoint* points = nullptr;
  const std::uint16_t* view = nullptr;  // of each point: its snapshot
  std::size_t point_count = 0;
  const PointDirection* directions = nullptr;  // of each view
  std::size_t view_count = 0;
  const ScannedFacet* facets = nullptr;
  std::size_t facet_count = 0;
};

constexpr std::size_t most_scanned = std::size_t{1} << 25;  // points, and facets

struct ScanMatchSettings {
  PointMatchSettings by_points;
  FacetMatchSettings by_surface;  // FacetChoice::nearest
};

/// Throws std::invalid_argument for settings that mean nothing, more than 2^25 points or facets, and numbers of points or
/// views that there are none of.
void check(const ScannedSurface& surface, const ScanMatchSettings& settings);

class FacetMatcher {
 public:
  virtual ~FacetMatcher() = default;
  /// Makes a model ready where it will be matched, so that the first scan does not wait for it. Never throws.
  virtual void prepare(const std::shared_ptr<const ModelFacets>&) {}
  /// Of so many points, joined and model facets together, that few for it: who matches them instead, and why. Empty: it does.
  virtual std::string declines(std::size_t, bool /*by_surface*/) const { return ""; }
  /// by_points[i] and by_surface[i] belong to model->facet[i]; null: not wanted, and what only it needs is not done. Throws as
  /// check(). Of several threads one waits for the other.
  virtual void match(const std::shared_ptr<const ModelFacets>& model, const ScannedSurface& surface,
                     const ScanMatchSettings& settings, FacetDeviation* by_points,
                     FacetPierced* by_surface) = 0;
  /// The same, and of the lists only what the facets of each of model->regions say together. Throws std::invalid_argument also for
  /// a model without regions.
  virtual void sum(const std::shared_ptr<const ModelFacets>& model, const ScannedSurface& surface,
                   const ScanMatchSettings& settings, FacetSums* by_points, FacetSums* by_surface) = 0;
  /// Who matched the last one: "cuda NVIDIA H200 sm_90", "cpu avx512 x16".
  virtual std::string describe() const = 0;
};

/// On this program's CPU; null: not wanted.
void match_scan(const ModelFacets& model, const ScannedSurface& surface, const ScanMatchSettings& settings,
                const Backend& backend, FacetDeviation* by_points, FacetPierced* by_surface);
void sum_scan(const ModelFacets& model, const ScannedSurface& surface, const ScanMatchSettings& settings,
              const Backend& backend, FacetSums* by_points, FacetSums* by_surface);

class CpuFacetMatcher final : public FacetMatcher {
 public:
  explicit CpuFacetMatcher(Backend backend) : backend_(std::move(backend)) {}
  void match(const std::shared_ptr<const ModelFacets>& model, const ScannedSurface& surface,
             const ScanMatchSettings& settings, FacetDeviation* by_points,
             FacetPierced* by_surface) override {
    match_scan(*model, surface, settings, backend_, by_points, by_surface);
  }
  void sum(const std::shared_ptr<const ModelFacets>& model, const ScannedSurface& surface,
           const ScanMatchSettings& settings, FacetSums* by_points, FacetSums* by_surface) override {
    sum_scan(*model, surface, settings, backend_, by_points, by_surface);
  }
  std::string describe() const override { return datum::describe(backend_); }

 private:
  Backend backend_;
};

/// One model on one device.
class DeviceMatch {
 public:
  virtual ~DeviceMatch() = default;
  /// Numbers of points or views that there are none of match nothing. Null: not wanted.
  virtual void match(const ScannedSurface& surface, const ScanMatchSettings& settings,
                     FacetDeviation* by_points, FacetPierced* by_surface) = 0;
  /// Likewise the sums of the model's regions.
  virtual void sum(const ScannedSurface& surface, const ScanMatchSettings& settings, FacetSums* by_points,
                   FacetSums* by_surface) = 0;
};

}  // namespace datum
