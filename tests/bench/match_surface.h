#pragma once

#include <cstddef>

namespace datum::bench {

/// Prints a point-facet match of the cone's scan with a model of so many facets, the thesis' algorithm beside it.
void point_match_rows(std::size_t facets, std::size_t points, unsigned threads);
/// The same of facet-facet matching: a small cone measured as so many facets.
void facet_match_rows(std::size_t facets, std::size_t measured, unsigned threads);

}  // namespace datum::bench
