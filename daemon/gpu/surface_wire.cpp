#include "daemon/gpu/surface_wire.h"

#include <cstring>

namespace datum {
namespace {

/// The arrays of a model that a search reads, in their order in the memory.
template <class Model, class Visit>
void each_array(Model& model, const Visit& visit) {
  visit(model.corner);
  visit(model.normal);
  visit(model.cosine);
}

}  // namespace

std::uint64_t model_bytes(std::uint64_t facets) {
  const TriangleModel none;
  std::uint64_t bytes = 0;
  each_array(none, [&](const auto& array) { bytes += facets * sizeof array[0]; });
  return bytes;
}

std::uint64_t points_bytes(std::uint64_t capacity) {
  return capacity * (sizeof(ModelPoint) + sizeof(ModelDistance));
}

void put_model(const TriangleModel& model, std::byte* to) {
  each_array(model, [&](const auto& array) {
    const std::size_t bytes = array.size() * sizeof array[0];
    std::memcpy(to, array.data(), bytes);
    to += bytes;
  });
}

TriangleModel get_model(const std::byte* from, std::uint64_t facets) {
  TriangleModel model;
  each_array(model, [&](auto& array) {
    array.resize(facets);
    const std::size_t bytes = array.size() * sizeof array[0];
    std::memcpy(array.data(), from, bytes);
    from += bytes;
  });
  return model;
}

}  // namespace datum
