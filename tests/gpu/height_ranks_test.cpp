#include "gpu/component_height/height_ranks.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <random>

#include "gpu/component_height/component_height_math.h"

namespace datum::height_ranks_test {
namespace {

std::vector<Isa> isas() {
  std::vector<Isa> all{Isa::scalar};
  if (best_isa() != Isa::scalar) all.push_back(best_isa());
  if (best_isa() == Isa::avx512) all.push_back(Isa::avx2);
  return all;
}

TEST(HeightRanks, ChosenHeightsHaveTheRanksOfASortedList) {
  std::mt19937 random(11);
  const auto lists = [&](int kind, std::size_t n) {
    std::vector<std::int32_t> nm(n);
    for (std::int32_t& h : nm) {
      const auto r = static_cast<std::int32_t>(random() % 100000);
      h = kind == 0   ? r - 50000                                  // spread
          : kind == 1 ? (r % 7) * 250                              // few values
          : kind == 2 ? (r % 50 == 0 ? max_height_nm - r : r % 9)  // most in one of the buckets
                      : 7;
      if (kind != 3 && r % 23 == 0) h = height::no_height;
    }
    return nm;
  };
  height::HeightChoice choice;
  for (const int kind : {0, 1, 2, 3})
    for (const std::size_t n : {1u, 15u, 16u, 17u, 191u, 193u, 5000u})
      for (const Isa isa : isas()) {
        const std::vector<std::int32_t> nm = lists(kind, n);
        for (const auto& [low, high] :
             {std::pair{height::no_height + 1, INT32_MAX}, std::pair{-300, 40000}, {3, 3}}) {
          std::vector<std::int32_t> in;
          std::uint32_t below = 0;
          for (const std::int32_t h : nm) {
            if (h >= low && h <= high) in.push_back(h);
            below += h < low;
          }
          std::sort(in.begin(), in.end());
          choice.choose(nm.data(), n, low, high, isa);
          ASSERT_EQ(choice.size(), in.size()) << kind << ' ' << n << ' ' << name_of(isa);
          ASSERT_EQ(choice.below(), below);
          if (in.empty()) continue;
          const auto last = static_cast<std::uint32_t>(in.size());
          std::uint32_t ranks[] = {1, (last + 3) / 4, (last + 3) / 4, (last + 1) / 2, last};
          std::vector<std::int32_t> expected;
          for (const std::uint32_t rank : ranks) expected.push_back(in[rank - 1]);
          std::vector<std::int32_t> found(5);
          choice.select(ranks, 5, found.data());
          EXPECT_EQ(found, expected) << kind << ' ' << n << ' ' << name_of(isa);
        }
      }
}

}  // namespace
}  // namespace datum::height_ranks_test
