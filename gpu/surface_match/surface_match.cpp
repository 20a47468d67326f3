#include "gpu/surface_match/surface_match.h"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <stdexcept>
#include <string>

#include "gpu/core/parallel_for.h"
#include "gpu/surface_match/surface_match_kernels.h"

namespace datum {

using namespace match;

namespace match {

extern const Kernels kernels_scalar, kernels_avx2;

namespace {

constexpr std::size_t most = std::size_t{1} << 25;

void check_count(std::size_t count, const char* of_what) {
  if (count > most)
    throw std::invalid_argument("surface match: " + std::to_string(count) + " measured " + of_what +
                                "; 2^25 are the most");
}

const Kernels& kernels_of(Isa isa) {
#if defined(__x86_64__)
  if (isa == Isa::avx2 || isa == Isa::avx512) return kernels_avx2;
#endif
  return (void)isa, kernels_scalar;  // the compiler's lanes of this machine, NEON's among them
}

void check_common(float gate, float least_cosine, float sharp_cosine) {
  if (!(gate > 1e-15f && gate <= 1e15f))
    throw std::invalid_argument("surface match: gate " + std::to_string(gate) +
                                "; a length above 1e-15 and up to 1e15 is wanted");
  for (const float cosine : {least_cosine, sharp_cosine})
    if (!(cosine >= -1 && cosine <= 1))
      throw std::invalid_argument("surface match: least_cosine and sharp_cosine are cosines");
}

/// Runs of facets over the backend's threads.
template <class Task>
void run_all(const ModelFacets& facets, unsigned threads, const Task& task,
             void (*run)(const Task&, const std::uint32_t*, std::size_t)) {
  constexpr std::size_t share = 1024;
  const std::size_t count = facets.order.size();
  parallel_for(threads, (count + share - 1) / share, [&](std::size_t i, unsigned) {
    run(task, facets.order.data() + i * share, std::min(share, count - i * share));
  });
}

/// Calls work(i) for all i below count, in runs.
template <class Work>
void each_of(unsigned threads, std::size_t count, const Work& work) {
  constexpr std::size_t share = 1 << 14;
  parallel_for(threads, (count + share - 1) / share, [&](std::size_t run, unsigned) {
    for (std::size_t i = run * share; i < std::min(count, (run + 1) * share); ++i) work(i);
  });
}

/// In the order of the centroids' distances from the origin, at the same distance in that of the facets.
void sort_for_walks(FacetIndex* s) {
  std::vector<float> distance;
  for (std::uint32_t at = 0; at < s->grid.size(); ++at)
    distance.push_back(from_origin(s->grid.x[at], s->grid.y[at], s->grid.z[at]));
  std::vector<std::uint32_t> order(s->grid.size());
  std::iota(order.begin(), order.end(), 0u);
  std::sort(order.begin(), order.end(), [&](std::uint32_t a, std::uint32_t b) {
    return distance[a] != distance[b] ? distance[a] < distance[b] : s->grid.number[a] < s->grid.number[b];
  });
  s->place.resize(order.size());
  for (std::uint32_t i = 0; i < order.size(); ++i) {
    s->distance.push_back(distance[order[i]]);
    s->place[order[i]] = i;
  }
}

}  // namespace

float scale_of(float gate) {
  int exponent = 0;
  std::frexp(gate, &exponent);  // gate < 2^exponent
  return std::ldexp(1.f, 19 - exponent);
}

void check(const PointMatchSettings& s) { check_common(s.gate, s.least_cosine, s.sharp_cosine); }

void check(const FacetMatchSettings& s, bool sorted) {
  check_common(s.gate, s.least_cosine, s.sharp_cosine);
  if (s.choice == FacetChoice::first_found && !sorted)
    throw std::invalid_argument("surface match: the first found wants facets that were sorted for it");
  if (s.choice == FacetChoice::first_found && !(s.vicinity >= 0))
    throw std::invalid_argument("surface match: the first found wants a vicinity of 0 or more");
}

}  // namespace match

MeasuredPoints::MeasuredPoints(const ModelPoint* points, const PointDirection* directions, std::size_t count)
    : index_(new PointIndex) {
  check_count(count, "points");
  std::vector<Ball> balls(count);
  for (std::size_t i = 0; i < count; ++i) balls[i] = {points[i].x, points[i].y, points[i].z, 0};
  index_->grid = cell_grid(balls, false);
  if (directions)
    for (const std::uint32_t i : index_->grid.number) index_->direction.push_back(directions[i]);
}

MeasuredPoints::~MeasuredPoints() = default;

void MeasuredPoints::match(const ModelFacets& facets, const PointMatchSettings& settings,
                           const Backend& backend, FacetDeviation* out) const {
  check(settings);
  const PointTask task{index_->grid,
                       index_->direction.empty() ? nullptr : index_->direction.data(),
                       facets,
                       settings,
                       scale_of(settings.gate),
                       std::max(facets.farthest, index_->grid.farthest),
                       out};
  run_all(facets, backend.threads, task, kernels_of(backend.isa).points);
}

MeasuredFacets::MeasuredFacets(const std::vector<MeasuredFacet>& facets, FacetChoice choice, unsigned threads)
    : index_(new FacetIndex) {
  check_count(facets.size(), "facets");
  FacetIndex& s = *index_;
  std::vector<Ball> balls(facets.size());
  each_of(threads, balls.size(), [&](std::size_t i) { balls[i] = ball_about(facets[i][0].data()); });
  s.grid = cell_grid(balls, true);
  s.corners.resize(s.grid.size());
  each_of(threads, s.corners.size(),
          [&](std::size_t at) { s.corners[at] = corners_of(facets[s.grid.number[at]][0].data()); });
  if (choice == FacetChoice::first_found) sort_for_walks(&s);
}

MeasuredFacets::~MeasuredFacets() = default;

void MeasuredFacets::match(const ModelFacets& facets, const FacetMatchSettings& settings,
                           const Backend& backend, FacetPierced* out) const {
  check(settings, index_->place.size() == index_->grid.size());
  const FacetTask task{*index_, facets, settings, std::max(facets.farthest, index_->grid.farthest), out};
  run_all(facets, backend.threads, task, kernels_of(backend.isa).facets);
}

}  // namespace datum
