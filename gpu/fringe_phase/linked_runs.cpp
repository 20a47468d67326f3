#include "gpu/fringe_phase/linked_runs.h"

#include <utility>

namespace datum::fringe {

std::uint32_t LinkedRuns::add() {
  const auto run = static_cast<std::uint32_t>(parent_.size());
  parent_.push_back({run, 0, 0, false});
  return run;
}

void LinkedRuns::vote(std::uint32_t a, std::uint32_t b, std::int32_t turns) {
  a_ = a;
  b_ = b;
  ++votes_[turns];
}

void LinkedRuns::decide() {
  std::size_t all = 0, most = 0;
  std::int32_t turns = 0;
  for (const auto& [value, votes] : votes_) {
    all += votes;
    if (votes > most) {
      most = votes;
      turns = value;
    }
  }
  votes_.clear();
  if (all > 0 && 10 * most >= 9 * all) link(a_, b_, turns);
}

std::uint32_t LinkedRuns::root(std::uint32_t run) {
  while (parent_[run].parent != run) {
    Node& node = parent_[run];
    const Node& above = parent_[node.parent];
    if (above.parent != node.parent) {  // halves the way for the next one
      node.turns += above.turns;
      node.parent = above.parent;
    }
    run = node.parent;
  }
  return run;
}

std::int32_t LinkedRuns::turns(std::uint32_t run) {
  std::int32_t sum = 0;
  for (; parent_[run].parent != run; run = parent_[run].parent) sum += parent_[run].turns;
  return sum;
}

void LinkedRuns::link(std::uint32_t a, std::uint32_t b, std::int32_t more) {
  std::uint32_t first = root(a), second = root(b);
  std::int32_t between = turns(a) + more - turns(b);  // the second root's, against the first's
  if (first == second) {
    parent_[first].contradicts = parent_[first].contradicts || between != 0;
    return;
  }
  if (parent_[first].pixels < parent_[second].pixels) {
    std::swap(first, second);
    between = -between;
  }
  parent_[second].parent = first;
  parent_[second].turns = between;
  parent_[first].pixels += parent_[second].pixels;
  parent_[first].contradicts = parent_[first].contradicts || parent_[second].contradicts;
}

LinkedRuns::Region LinkedRuns::largest() {
  Region region;
  std::size_t most = 0;
  for (std::uint32_t run = 0; run < parent_.size(); ++run) {
    const Node& node = parent_[run];
    if (node.parent != run) continue;
    region.contradictory += node.contradicts;
    if (node.contradicts || node.pixels <= most) continue;
    most = node.pixels;
    region.root = run;
  }
  return region;
}

}  // namespace datum::fringe
