#pragma once

#include <cstddef>

namespace datum::bench {

/// Prints a point-facet match of the cone's scan with a model of so many facets, the thesis' algorithm beside it,
/// for some facets or, `whole`, for all on all threads.
void point_match_rows(std::size_t facets, std::size_t points, unsigned threads, bool whole);
/// The same of facet-facet matching: a small cone measured as so many facets.
void facet_match_rows(std::size_t facets, std::size_t measured, unsigned threads, bool whole);

}  // namespace datum::bench
