// Heights by their rank, on the CPU: the heights between two bounds are copied, and ranks are selected among those. C++17.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "gpu/core/backend.h"
#include "gpu/core/kept_array.h"

namespace datum::height {

/// Copies of some heights. Memory is kept from one choice to the next.
class HeightChoice {
 public:
  /// Chooses those of `count` heights that lie from `low` to `high`, low > no_height.
  void choose(const std::int32_t* nm, std::size_t count, std::int32_t low, std::int32_t high, Isa isa);
  std::size_t size() const { return size_; }
  /// Number of the others that lie below `low`; no_height counts as one of them.
  std::uint32_t below() const { return below_; }
  /// z_(rank) among the chosen for ranks from 1 to size(), ascending, which become useless. Drops heights: once a choice.
  void select(std::uint32_t* ranks, int count, std::int32_t* found);

 private:
  void keep_buckets_of(std::uint32_t* ranks, int count);

  KeptArray<std::int32_t> kept_;
  std::int32_t* nm_ = nullptr;  // in kept_
  std::size_t size_ = 0;
  Isa isa_ = Isa::scalar;
  std::uint32_t below_ = 0;
};

/// Exact order statistics of heights: a sample of them tells between which values a rank lies, a selection among those
/// does the rest. Where the sample was no good one, all are selected among.
class RankSelector {
 public:
  /// `nm`: `count` heights, `valid` of them not no_height, at least one; they and `choice` outlive the selector.
  RankSelector(const std::int32_t* nm, std::size_t count, std::uint32_t valid, Isa isa, HeightChoice* choice);
  /// z_(rank) for ranks[0] <= ranks[1] <= ..., each from 1 to `valid`, at most 8 of them; one pass over the heights.
  void at(const std::uint32_t* ranks, int count, std::int32_t* found);

 private:
  void bound(double first, double last, std::int32_t* low, std::int32_t* high);

  const std::int32_t* nm_;
  const std::size_t count_;
  const std::uint32_t valid_;
  const Isa isa_;
  HeightChoice* choice_;
  std::vector<std::int32_t> sample_;
};

}  // namespace datum::height
