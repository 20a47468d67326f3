#include "daemon/inspection/board/body_ranks.h"

#include <algorithm>
#include <cmath>

#include "gpu/component_height/height_ranks.h"

namespace datum {

RankPair heights_of_ranks(const BodyHeights& body, std::uint32_t valid, const OrderStatistic& near,
                          std::int64_t low, std::int64_t high) {
  low = std::clamp<std::int64_t>(low, 1, valid);
  high = std::clamp<std::int64_t>(high, 1, valid);
  const double between = std::max(1.0, static_cast<double>(near.high_rank) - near.low_rank);
  const double spacing = (static_cast<double>(near.high_nm) - near.low_nm) / between;
  const auto reach = [&](std::int64_t rank, double more) {
    const double away = static_cast<double>(rank) - near.rank;
    const double nm = near.nm + spacing * (1.5 * away + more);
    return static_cast<std::int32_t>(std::clamp<double>(nm, -max_height_nm, max_height_nm));
  };
  const double slack = 3 * std::sqrt(static_cast<double>(high - low + 1));
  const std::uint32_t pixels = body.site.body_pixels, missing = pixels - valid;
  height::HeightChoice choice;
  choice.choose(body.nm, pixels, reach(std::min<std::int64_t>(low, near.rank), -slack) - 1,
                reach(std::max<std::int64_t>(high, near.rank), slack) + 1, best_isa());
  // no_height counts as lowest
  std::uint32_t ranks[] = {static_cast<std::uint32_t>(low) + missing,
                           static_cast<std::uint32_t>(high) + missing};
  if (ranks[0] <= choice.below() || ranks[1] > choice.below() + choice.size())
    choice.choose(body.nm, pixels, -max_height_nm, max_height_nm, best_isa());
  for (std::uint32_t& rank : ranks) rank -= choice.below();
  std::int32_t found[2];
  choice.select(ranks, 2, found);
  return {found[0], found[1]};
}

MissingRanks missing_ranks(const BodyHeights& body, std::uint32_t missing, const HeightStatistics& heights,
                           const WantedRanks& wanted) {
  MissingRanks ranks;
  ranks.quantiles.resize(wanted.quantiles.size());
  if (missing == 0) return ranks;
  const auto of = [&](double q, const OrderStatistic& near) {
    const std::int64_t rank = nearest_rank(q, body.site.body_pixels);
    return heights_of_ranks(body, heights.valid, near, rank - missing, rank);
  };
  if (wanted.median) ranks.median = of(0.5, heights.median_low);
  for (std::size_t i = 0; i < wanted.quantiles.size(); ++i)
    ranks.quantiles[i] = of(wanted.quantiles[i], heights.quantiles[i]);
  return ranks;
}

}  // namespace datum
