#include "gpu/surface_match/facet_matcher.h"

#include <algorithm>
#include <cstddef>
#include <memory>
#include <stdexcept>
#include <vector>

#include "gpu/core/parallel_for.h"
#include "gpu/surface_match/surface_match_kernels.h"

namespace datum {
namespace {

constexpr std::size_t share = std::size_t{1} << 16;  // for a thread at a time

/// Calls take(from, to) for pieces of a range.
template <class Take>
void in_pieces(unsigned threads, std::size_t count, const Take& take) {
  parallel_for(threads, (count + share - 1) / share,
               [&](std::size_t i, unsigned) { take(i * share, std::min(count, (i + 1) * share)); });
}

/// Room for so many values, each of which is written before it is read: setting millions of them first takes as long as to sum them.
template <class T>
class Unset {
 public:
  explicit Unset(std::size_t count) : bytes_(new std::byte[count * sizeof(T)]) {}
  T* get() const { return reinterpret_cast<T*>(bytes_.get()); }

 private:
  std::unique_ptr<std::byte[]> bytes_;
};

}  // namespace

void check(const ScannedSurface& surface, const ScanMatchSettings& settings) {
  if (std::max(surface.point_count, surface.facet_count) > most_scanned)
    throw std::invalid_argument("surface match: a scan of " + std::to_string(surface.point_count) +
                                " points and " + std::to_string(surface.facet_count) +
                                " facets; 2^25 of each are the most");
  match::check(settings.by_points);
  match::check(settings.by_surface, true);
  if (settings.by_surface.choice != FacetChoice::nearest)
    throw std::invalid_argument("surface match: of a scan's facets the nearest is taken");
  if (!std::all_of(surface.view, surface.view + surface.point_count,
                   [&](std::uint16_t v) { return v < surface.view_count; }))
    throw std::invalid_argument("surface match: a point of a view that there is none of");
  if (!std::all_of(surface.facets, surface.facets + surface.facet_count, [&](const ScannedFacet& f) {
        return std::max({f[0], f[1], f[2]}) < surface.point_count;
      }))
    throw std::invalid_argument("surface match: a facet of a point that there is none of");
}

void match_scan(const ModelFacets& model, const ScannedSurface& surface, const ScanMatchSettings& settings,
                const Backend& backend, FacetDeviation* by_points, FacetPierced* by_surface) {
  check(surface, settings);
  if (by_points) {
    std::vector<PointDirection> directions(surface.point_count);
    in_pieces(backend.threads, directions.size(), [&](std::size_t from, std::size_t to) {
      for (std::size_t i = from; i < to; ++i) directions[i] = surface.directions[surface.view[i]];
    });
    MeasuredPoints(surface.points, directions.data(), surface.point_count)
        .match(model, settings.by_points, backend, by_points);
  }
  if (!by_surface) return;
  std::vector<MeasuredFacet> facets(surface.facet_count);
  in_pieces(backend.threads, facets.size(), [&](std::size_t from, std::size_t to) {
    for (std::size_t i = from; i < to; ++i)
      for (std::size_t k = 0; k < 3; ++k) {
        const ModelPoint& p = surface.points[surface.facets[i][k]];
        facets[i][k] = {p.x, p.y, p.z};
      }
  });
  MeasuredFacets(facets, FacetChoice::nearest, backend.threads)
      .match(model, settings.by_surface, backend, by_surface);
}

void sum_scan(const ModelFacets& model, const ScannedSurface& surface, const ScanMatchSettings& settings,
              const Backend& backend, FacetSums* by_points, FacetSums* by_surface) {
  check_summable(model);
  const Unset<FacetDeviation> deviations(by_points ? model.facet.size() : 0);
  const Unset<FacetPierced> pierced(by_surface ? model.facet.size() : 0);
  match_scan(model, surface, settings, backend, by_points ? deviations.get() : nullptr,
             by_surface ? pierced.get() : nullptr);
  if (by_points) sum_facets(model, deviations.get(), backend.threads, by_points);
  if (by_surface) sum_facets(model, pierced.get(), backend.threads, by_surface);
}

}  // namespace datum
