// Runs of pixels whose phases are known to each other but for whole turns, linked to regions with the turns between them
// (union-find with potentials).
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <vector>

namespace datum::fringe {

class LinkedRuns {
 public:
  struct Region {
    std::uint32_t root = UINT32_MAX;  // of none where nothing can be kept
    std::uint32_t contradictory = 0;  // regions of two runs and more that contradict themselves
  };

  std::uint32_t add();
  void count(std::uint32_t run) { ++parent_[run].pixels; }

  /// One pixel says that b has `turns` more than a. All votes up to decide() are about the same two.
  void vote(std::uint32_t a, std::uint32_t b, std::int32_t turns);
  void decide();

  std::uint32_t root(std::uint32_t run);
  /// Whole turns to add to a run's, against its region's root.
  std::int32_t turns(std::uint32_t run);
  /// Of most pixels without a contradiction, the first of equals.
  Region largest();

 private:
  struct Node {
    std::uint32_t parent = 0;
    std::int32_t turns = 0;  // more than the parent
    std::size_t pixels = 0;
    bool contradicts = false;
  };
  void link(std::uint32_t a, std::uint32_t b, std::int32_t turns);

  std::vector<Node> parent_;
  std::uint32_t a_ = 0, b_ = 0;
  std::map<std::int32_t, std::size_t> votes_;
};

}  // namespace datum::fringe
