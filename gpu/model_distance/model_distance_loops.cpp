// The search on a CPU, eight facets or boxes at a time. Compiled once for each instruction set.
#include <cstring>

#include "gpu/core/eight_lanes.h"
#include "gpu/core/isa_table.h"
#include "gpu/model_distance/model_distance_kernels.h"

namespace datum::model {
namespace {

static_assert(width == lane_count, "balls and boxes come in whole vectors");

struct Found {
  float square;
  std::uint32_t facet, at;  // number of the facet, and where it stands in the tree: block * 8 + lane
};

/// The lowest facet among the nearest.
inline void look_in(const Block& block, std::uint32_t number, const ModelPoint& p, Found* found) {
  Facet<Lanes> facet;
  std::memcpy(&facet, block.number, sizeof facet);
  const Lanes none{};
  const Lanes squares = square_of(facet, none + p.x, none + p.y, none + p.z);
  for (std::uint32_t left = bits_of_marks(squares <= none + found->square); left != 0; left &= left - 1) {
    const auto k = static_cast<std::uint32_t>(__builtin_ctz(left));
    if (squares[k] < found->square || (squares[k] == found->square && block.facet[k] < found->facet))
      *found = {squares[k], block.facet[k], number * width + k};
  }
}

struct Waiting {
  float square;
  std::uint32_t level, node;
};

/// Children of a node that are near enough, the nearest on top of the stack.
inline int push_children(const Node& node, std::uint32_t level, std::uint32_t first, float reach,
                         const ModelPoint& p, Waiting* stack, int depth) {
  Lanes low[3], high[3];
  for (int axis = 0; axis < 3; ++axis) {
    low[axis] = load(node.low[axis]);
    high[axis] = load(node.high[axis]);
  }
  const Lanes none{};
  const Lanes squares = square_from_box(low, high, none + p.x, none + p.y, none + p.z);
  const int base = depth;
  for (std::uint32_t left = bits_of_marks(squares <= none + reach); left != 0; left &= left - 1) {
    const auto k = static_cast<std::uint32_t>(__builtin_ctz(left));
    int at = depth++;
    for (; at > base && stack[at - 1].square < squares[k]; --at) stack[at] = stack[at - 1];
    stack[at] = {squares[k], level, first + k};
  }
  return depth;
}

inline Found nearest(const FacetTree& tree, const ModelPoint& p, Found found, float slack) {
  Waiting stack[most_levels * width];
  float reach = reach_of(found.square, slack);
  stack[0] = {0, static_cast<std::uint32_t>(tree.levels), 0};
  for (int depth = 1; depth > 0;) {
    const Waiting next = stack[--depth];
    if (next.square > reach) continue;
    if (next.level == 0) {
      const float before = found.square;
      look_in(tree.blocks[next.node], next.node, p, &found);
      if (found.square < before) reach = reach_of(found.square, slack);
    } else {
      const std::uint32_t level = next.level - 1;
      depth = push_children(tree.nodes[tree.first_node[level] + next.node], level, next.node * width, reach,
                            p, stack, depth);
    }
  }
  return found;
}

inline Facet<float> facet_at(const FacetTree& tree, std::uint32_t at) {
  float values[24];
  for (int i = 0; i < 24; ++i) values[i] = tree.blocks[at / width].number[i][at % width];
  Facet<float> facet;
  std::memcpy(&facet, values, sizeof facet);
  return facet;
}

inline void find_run(const Task& task, const std::uint32_t* order, std::size_t count) {
  constexpr std::uint32_t nobody = UINT32_MAX;
  std::uint32_t hint = nobody;  // where the point before found its facet: this one's is rarely far
  for (std::size_t i = 0; i < count; ++i) {
    const ModelPoint& p = task.points[order[i]];
    ModelDistance& out = task.out[order[i]];
    out = ModelDistance{};
    const float farthest = farthest_of(p, task.tree.farthest);
    if (!(farthest <= largest_coordinate)) continue;
    Found found{task.search * task.search, nobody, nobody};
    if (hint != nobody) {
      const float square = square_of(facet_at(task.tree, hint), p.x, p.y, p.z);
      if (square <= found.square) found = {square, task.tree.blocks[hint / width].facet[hint % width], hint};
    }
    found = nearest(task.tree, p, found, slack_of(farthest));
    if (found.at == nobody) continue;
    hint = found.at;
    out = distance_at(facet_at(task.tree, found.at), task.model.normal[found.facet].data(),
                      task.model.cosine[found.facet].data(), found.facet, p.x, p.y, p.z, found.square,
                      task.sharp_cosine);
  }
}

}  // namespace

extern const FindRun DATUM_OF_ISA(find_run);
const FindRun DATUM_OF_ISA(find_run) = find_run;

}  // namespace datum::model
