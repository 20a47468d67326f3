#include "gpu/model_distance/facet_tree.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstring>
#include <limits>

#include "gpu/core/parallel_for.h"

namespace datum::model {
namespace {

constexpr float infinite = std::numeric_limits<float>::infinity();
constexpr float nowhere = 1e30f;  // its squares overflow

/// Two zeros before each of ten bits.
std::uint32_t spread(std::uint32_t v) {
  v = (v | (v << 16)) & 0x030000FFu;
  v = (v | (v << 8)) & 0x0300F00Fu;
  v = (v | (v << 4)) & 0x030C30C3u;
  return (v | (v << 2)) & 0x09249249u;
}

std::uint32_t cell(float v, float low, float per_cell) {
  const float c = (v - low) * per_cell;
  return c > 0 ? c < 1023 ? static_cast<std::uint32_t>(c) : 1023 : 0;  // NaN: 0
}

void empty(Node* node) {
  for (int axis = 0; axis < 3; ++axis)
    for (std::uint32_t k = 0; k < width; ++k) {
      node->low[axis][k] = infinite;
      node->high[axis][k] = -infinite;
    }
}

void widen(Node* node, std::uint32_t lane, const float* low, const float* high) {
  for (int axis = 0; axis < 3; ++axis) {
    node->low[axis][lane] = std::min(node->low[axis][lane], low[axis]);
    node->high[axis][lane] = std::max(node->high[axis][lane], high[axis]);
  }
}

void put(const Facet<float>& facet, std::uint32_t number, std::uint32_t lane, Block* block) {
  static_assert(sizeof facet == sizeof(float) * 24);
  float values[24];
  std::memcpy(values, &facet, sizeof facet);
  for (int i = 0; i < 24; ++i) block->number[i][lane] = values[i];
  block->facet[lane] = number;
}

/// A facet's place among the others.
struct Centre {
  float at[3];  // three times its centroid
  std::uint32_t facet;
};

std::vector<Centre> centres_of(const TriangleModel& model, float* farthest) {
  std::vector<Centre> centres(model.corner.size());
  for (std::uint32_t i = 0; i < centres.size(); ++i) {
    const auto& c = model.corner[i];
    centres[i].facet = i;
    for (int axis = 0; axis < 3; ++axis) {
      centres[i].at[axis] = c[0][axis] + c[1][axis] + c[2][axis];
      for (const auto& corner : c) *farthest = std::max(*farthest, std::fabs(corner[axis]));
    }
  }
  return centres;
}

int widest_axis(const Centre* first, const Centre* last) {
  float low[3] = {infinite, infinite, infinite}, high[3] = {-infinite, -infinite, -infinite};
  for (const Centre* c = first; c != last; ++c)
    for (int axis = 0; axis < 3; ++axis) {
      low[axis] = std::min(low[axis], c->at[axis]);
      high[axis] = std::max(high[axis], c->at[axis]);
    }
  int widest = 0;
  for (int axis = 1; axis < 3; ++axis)
    if (high[axis] - low[axis] > high[widest] - low[widest]) widest = axis;
  return widest;
}

/// How many of `size` facets go to the near side: half of the children that the range has in the tree, each full.
std::size_t near_side(std::size_t size) {
  std::size_t child = width;
  while (child * width < size) child *= width;
  const std::size_t children = (size + child - 1) / child;
  return (children + 1) / 2 * child;
}

/// Halves the range where it is widest until `most` are left; tells the ranges that remain.
template <class Remaining>
void halve(Centre* first, Centre* last, std::size_t most, const Remaining& remaining) {
  const auto size = static_cast<std::size_t>(last - first);
  if (size <= std::max<std::size_t>(most, width)) return remaining(first, last);
  const int axis = widest_axis(first, last);
  Centre* const middle = first + near_side(size);
  std::nth_element(first, middle, last,
                   [axis](const Centre& a, const Centre& b) { return a.at[axis] < b.at[axis]; });
  halve(first, middle, most, remaining);
  halve(middle, last, most, remaining);
}

std::vector<Centre> order_of(const TriangleModel& model, unsigned threads, float* farthest) {
  std::vector<Centre> centres = centres_of(model, farthest);
  struct Range {
    Centre *first, *last;
  };
  std::vector<Range> ranges;
  const std::size_t share = threads > 1 ? centres.size() / 16 : 0;
  halve(centres.data(), centres.data() + centres.size(), std::max<std::size_t>(share, width),
        [&](Centre* first, Centre* last) {
          if (share > width) ranges.push_back({first, last});
        });
  parallel_for(threads, ranges.size(), [&](std::size_t i, unsigned) {
    halve(ranges[i].first, ranges[i].last, width, [](Centre*, Centre*) {});
  });
  return centres;
}

}  // namespace

CurveBox curve_box(const float* low, const float* high) {
  CurveBox box{};
  float side = 0;  // one size of cell for all axes: blocks are as long as wide
  for (int axis = 0; axis < 3; ++axis) side = std::max(side, high[axis] - low[axis]);
  for (int axis = 0; axis < 3; ++axis) {
    box.low[axis] = low[axis];
    box.per_cell[axis] = side > 0 ? 1023 / side : 0;
  }
  return box;
}

std::uint32_t curve_key(const CurveBox& box, float x, float y, float z) {
  return spread(cell(x, box.low[0], box.per_cell[0])) | (spread(cell(y, box.low[1], box.per_cell[1])) << 1) |
         (spread(cell(z, box.low[2], box.per_cell[2])) << 2);
}

std::vector<std::uint32_t> sorted_by_key(std::vector<std::uint32_t> keys) {
  std::vector<std::uint32_t> order(keys.size()), other(keys.size()), other_keys(keys.size());
  for (std::uint32_t i = 0; i < order.size(); ++i) order[i] = i;
  for (int shift = 0; shift < 30; shift += 10) {
    std::array<std::uint32_t, 1025> begin{};
    for (const std::uint32_t k : keys) ++begin[((k >> shift) & 1023) + 1];
    for (int i = 0; i < 1024; ++i) begin[i + 1] += begin[i];
    for (std::size_t i = 0; i < keys.size(); ++i) {
      const std::uint32_t to = begin[(keys[i] >> shift) & 1023]++;
      other[to] = order[i];
      other_keys[to] = keys[i];
    }
    order.swap(other);
    keys.swap(other_keys);
  }
  return order;
}

Facet<float> facet_of(const TriangleModel& model, std::uint32_t i) {
  const auto& c = model.corner[i];
  const auto& n = model.normal[i][0];
  Facet<float> f;
  double ab[3], ac[3], bc[3];
  for (int k = 0; k < 3; ++k) {
    f.a[k] = c[0][k];
    f.normal[k] = n[k];
    ab[k] = double{c[1][k]} - c[0][k];
    ac[k] = double{c[2][k]} - c[0][k];
    bc[k] = ac[k] - ab[k];
    f.ab[k] = static_cast<float>(ab[k]);
    f.ac[k] = static_cast<float>(ac[k]);
  }
  const auto inwards = [&](const double* side, double sign, float* out) {
    const double v[3] = {n[1] * side[2] - n[2] * side[1], n[2] * side[0] - n[0] * side[2],
                         n[0] * side[1] - n[1] * side[0]};
    const double l = sign / std::sqrt(v[0] * v[0] + v[1] * v[1] + v[2] * v[2]);
    for (int k = 0; k < 3; ++k) out[k] = static_cast<float>(v[k] * l);
  };
  inwards(ab, 1, f.in_ab);
  inwards(bc, 1, f.in_bc);
  inwards(ac, -1, f.in_ca);
  const auto per = [](const double* v) {
    return static_cast<float>(1 / (v[0] * v[0] + v[1] * v[1] + v[2] * v[2]));
  };
  f.per_ab = per(ab);
  f.per_bc = per(bc);
  f.per_ac = per(ac);
  return f;
}

FacetTree facet_tree(const TriangleModel& model, unsigned threads) {
  FacetTree tree;
  const std::vector<Centre> order = order_of(model, threads, &tree.farthest);
  const std::size_t blocks = (order.size() + width - 1) / width;
  tree.blocks.resize(blocks);
  std::size_t below = blocks;
  do {
    tree.first_node[tree.levels++] = static_cast<std::uint32_t>(tree.nodes.size());
    below = (below + width - 1) / width;
    tree.nodes.resize(tree.nodes.size() + below);
  } while (below > 1);
  for (Node& node : tree.nodes) empty(&node);
  constexpr std::size_t run = std::size_t{64} * width * width;  // of whole nodes
  parallel_for(threads, (blocks * width + run - 1) / run, [&](std::size_t part, unsigned) {
    for (std::size_t i = part * run; i < std::min(blocks * width, (part + 1) * run); ++i) {
      Block& block = tree.blocks[i / width];
      const std::uint32_t lane = i % width;
      if (i >= order.size()) {
        for (auto& number : block.number) number[lane] = nowhere;
        block.facet[lane] = UINT32_MAX;
        continue;
      }
      const std::uint32_t facet = order[i].facet;
      put(facet_of(model, facet), facet, lane, &block);
      for (const auto& corner : model.corner[facet])
        widen(&tree.nodes[i / width / width], (i / width) % width, corner.data(), corner.data());
    }
  });
  for (int level = 1; level < tree.levels; ++level)
    for (std::uint32_t i = tree.first_node[level - 1]; i < tree.first_node[level]; ++i) {
      const Node& child = tree.nodes[i];
      const std::uint32_t at = i - tree.first_node[level - 1];
      for (std::uint32_t k = 0; k < width; ++k) {
        const float low[3] = {child.low[0][k], child.low[1][k], child.low[2][k]};
        const float high[3] = {child.high[0][k], child.high[1][k], child.high[2][k]};
        widen(&tree.nodes[tree.first_node[level] + at / width], at % width, low, high);
      }
    }
  return tree;
}

}  // namespace datum::model
