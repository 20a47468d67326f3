#include "gpu/surface_match/facet_sums.h"

#include <algorithm>
#include <stdexcept>

#include "gpu/core/parallel_for.h"
#include "gpu/surface_match/facet_sums_math.h"

namespace datum {
namespace {

constexpr std::size_t share = std::size_t{1} << 14;  // of facets, for a thread at a time

template <class Found>
void sum_up(const ModelFacets& facets, const Found* found, unsigned threads, FacetSums* sums) {
  check_summable(facets);
  const FacetRegions* const of = facets.regions.get();
  const std::size_t count = of->region.size(), regions = of->total.size();
  std::vector<std::vector<FacetSums>> of_share((count + share - 1) / share);
  parallel_for(threads, of_share.size(), [&](std::size_t k, unsigned) {
    std::vector<FacetSums> own(regions);
    for (std::size_t i = k * share; i < std::min(count, (k + 1) * share); ++i)
      if (of->region[i] < regions)
        match::add(match::value_of(found[i]), static_cast<std::uint32_t>(i), of->units[i],
                   &own[of->region[i]]);
    of_share[k] = std::move(own);
  });
  std::fill_n(sums, regions, FacetSums());
  for (const std::vector<FacetSums>& some : of_share)
    for (std::size_t r = 0; r < regions; ++r) match::merge(some[r], &sums[r]);
}

}  // namespace

void check_summable(const ModelFacets& facets) {
  if (!facets.regions) throw std::invalid_argument("sums of facets: the model's facets have no regions");
}

FacetRegions facet_regions(std::vector<std::uint16_t> region, std::vector<std::int64_t> units,
                           std::size_t regions) {
  FacetRegions of{std::move(region), std::move(units), std::vector<FacetRegions::Total>(regions)};
  for (std::size_t i = 0; i < of.region.size(); ++i) {
    if (of.region[i] >= regions) continue;
    FacetRegions::Total& total = of.total[of.region[i]];
    ++total.count;
    total.units += of.units.at(i);
  }
  return of;
}

void sum_facets(const ModelFacets& facets, const FacetDeviation* found, unsigned threads, FacetSums* sums) {
  sum_up(facets, found, threads, sums);
}

void sum_facets(const ModelFacets& facets, const FacetPierced* found, unsigned threads, FacetSums* sums) {
  sum_up(facets, found, threads, sums);
}

}  // namespace datum
