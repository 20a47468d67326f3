#include "gpu/model_distance/model_distance.h"

#include <algorithm>
#include <cmath>
#include <stdexcept>
#include <string>
#include <vector>

#include "gpu/core/parallel_for.h"
#include "gpu/model_distance/model_distance_kernels.h"

namespace datum {

using namespace model;

struct ModelSearch::State {
  std::shared_ptr<const TriangleModel> model;
  FacetTree tree;
  CurveBox box;
};

ModelSearch::ModelSearch(std::shared_ptr<const TriangleModel> model, unsigned threads) : state_(new State) {
  State& s = *state_;
  s.model = std::move(model);
  s.tree = facet_tree(*s.model, threads);
  const float low[3] = {-s.tree.farthest, -s.tree.farthest, -s.tree.farthest},
              high[3] = {s.tree.farthest, s.tree.farthest, s.tree.farthest};
  s.box = curve_box(low, high);
}

ModelSearch::~ModelSearch() = default;

void ModelSearch::find(const ModelPoint* points, std::size_t count, const DistanceSettings& settings,
                       const Backend& backend, ModelDistance* out) const {
  check(settings);
  const FindRun find = find_run_of(backend.isa);
  std::vector<std::uint32_t> keys(count);
  for (std::size_t i = 0; i < count; ++i)
    keys[i] = curve_key(state_->box, points[i].x, points[i].y, points[i].z);
  const std::vector<std::uint32_t> order = sorted_by_key(std::move(keys));
  const Task task{state_->tree, *state_->model, points, out, settings.search, settings.sharp_cosine};
  constexpr std::size_t run = 1024;
  parallel_for(backend.threads, (count + run - 1) / run, [&](std::size_t i, unsigned) {
    find(task, order.data() + i * run, std::min(run, count - i * run));
  });
}

namespace model {

void check(const DistanceSettings& settings) {
  if (!(settings.search > 0 && settings.search <= largest_coordinate))
    throw std::invalid_argument("model distance: search " + std::to_string(settings.search) +
                                "; a length above 0 and up to 1e15 is wanted");
  if (!(settings.sharp_cosine >= -1 && settings.sharp_cosine <= 1))
    throw std::invalid_argument("model distance: sharp_cosine is a cosine");
}

extern const FindRun find_run_scalar, find_run_avx2, find_run_avx512;

FindRun find_run_of(Isa isa) {
  switch (isa) {
#if defined(__x86_64__)
    case Isa::avx2:
      return find_run_avx2;
#if !defined(DATUM_WITHOUT_AVX512)
    case Isa::avx512:
      return find_run_avx512;
#endif
#endif
    default:
      return find_run_scalar;  // the compiler's lanes of this machine, NEON's among them
  }
}

}  // namespace model
}  // namespace datum
