#include "drivers/genicam/block_counter.h"

#include <fmt/format.h>

#include <utility>

namespace datum::genicam {
namespace {

constexpr std::uint64_t ids = 65535;  // 1 to 65535

}  // namespace

std::string BlockCounter::next(std::uint64_t id) {
  const auto last = std::exchange(last_, id);
  const std::uint64_t unnamed = std::exchange(unnamed_, 0);
  if (!last) return "";
  std::uint64_t ahead = id - *last;  // wraps around if it decreased
  const bool short_ids = id <= ids && *last <= ids;
  if (short_ids) ahead = (id + ids - *last) % ids;
  const bool back = ahead == 0 || (short_ids ? ahead > ids / 2 : id < *last);
  if (!back && ahead - 1 <= unnamed) return "";
  if (back) return fmt::format("its block id {} comes after {}", id, *last);
  const std::uint64_t lost = ahead - 1 - unnamed;
  lost_ += lost;
  return fmt::format("{} frames before it were lost: block id {} after {}", lost, id, *last);
}

}  // namespace datum::genicam
