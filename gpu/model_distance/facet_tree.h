// Facets packed for the search of the nearest: eight to a block, eight blocks to a node, eight nodes to the next, all
// full but the last. Which go together is decided from the top, by halving where a range is widest; along a Z-order curve
// (Kamel and Faloutsos, "On packing R-trees", CIKM 1993) it would be sooner made, but a search would look into six times
// as many blocks. Its shape follows from the number of facets alone: no pointers.
#pragma once

#include <cstdint>
#include <vector>

#include "gpu/core/backend.h"
#include "gpu/model_distance/model_distance_finish.h"
#include "gpu/model_distance/triangle_model.h"

namespace datum::model {

constexpr std::uint32_t width = 8;
constexpr int most_levels = 11;  // 8^11 facets and more

/// Eight facets, each number at eight places: lane k of every array belongs to facet[k]. Lanes without a facet are
/// nowhere: their squares are infinite or NaN.
struct Block {
  float number[24][width];  // the members of Facet in their order
  std::uint32_t facet[width];
};

/// Boxes of eight blocks or nodes.
struct Node {
  float low[3][width], high[3][width];
};

struct FacetTree {
  std::vector<Block> blocks;
  std::vector<Node> nodes;                     // level by level, the blocks' nodes first, the root last
  std::uint32_t first_node[most_levels] = {};  // of each level
  int levels = 0;
  float farthest = 0;  // largest coordinate, without its sign
};

FacetTree facet_tree(const TriangleModel& model, unsigned threads = 1);

/// Facet i of a model, made ready.
Facet<float> facet_of(const TriangleModel& model, std::uint32_t i);

/// Throws std::invalid_argument for settings that mean nothing.
void check(const DistanceSettings& settings);

/// Order of points along the curve, for searches that follow each other closely. Points beyond the box or not finite are
/// put at its rim.
struct CurveBox {
  float low[3], per_cell[3];
};
CurveBox curve_box(const float* low, const float* high);
std::uint32_t curve_key(const CurveBox& box, float x, float y, float z);
/// Indices in the order of their keys, equal keys in their own order.
std::vector<std::uint32_t> sorted_by_key(std::vector<std::uint32_t> keys);

}  // namespace datum::model
