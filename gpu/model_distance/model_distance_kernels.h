// The search that a CPU's instruction set supplies.
#pragma once

#include "gpu/model_distance/facet_tree.h"
#include "gpu/model_distance/model_distance_finish.h"

namespace datum::model {

struct Task {
  const FacetTree& tree;
  const TriangleModel& model;
  const ModelPoint* points;
  ModelDistance* out;
  float search, sharp_cosine;
};

/// Points in the order given. A result does not depend on it.
using FindRun = void (*)(const Task& task, const std::uint32_t* order, std::size_t count);
/// Throws std::runtime_error where this build carries no search for the instruction set.
FindRun find_run_of(Isa isa);

}  // namespace datum::model
