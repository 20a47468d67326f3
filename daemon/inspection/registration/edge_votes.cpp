#include "daemon/inspection/registration/edge_votes.h"

#include <numeric>

namespace datum {

EdgeVotes::EdgeVotes(double about_mm, double reach_mm)
    : from_mm_(about_mm - reach_mm), per_mm_(bins / (2 * reach_mm)) {}

std::optional<EdgeVotes::Edge> EdgeVotes::edge(double least, double agreement) const {
  const int all_down = std::accumulate(down_.begin(), down_.end(), 0);
  int up = 0, down = 0;  // before bin i
  int best = all_down, places = 1, sum = 0, first = 0, last = 0, best_up = 0, best_down = 0;
  for (int i = 1; i <= bins; ++i) {
    up += up_[std::size_t(i - 1)];
    down += down_[std::size_t(i - 1)];
    const int agree = up + all_down - down;
    if (agree > best) best = agree, places = 0, sum = 0, first = i, best_up = up, best_down = down;
    if (agree == best) ++places, sum += i, last = i;
  }
  const int all_up = up, behind = all_down - best_down;
  const double demanded = least * (all_up + all_down);
  if (best_up <= demanded || behind <= demanded) return std::nullopt;
  if (best_up < agreement * (best_up + best_down) || behind < agreement * (behind + all_up - best_up))
    return std::nullopt;
  return Edge{from_mm_ + double(sum) / places / per_mm_, (last - first) / per_mm_};
}

}  // namespace datum
