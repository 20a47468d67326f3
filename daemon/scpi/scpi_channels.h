// Channel lists (SCPI-99 volume 1, 8.3.2): which components are asked for, and in which order.
//
//   (@1,3:5)        by number: 1 is the recipe's first component
//   (@C12,R3:R7)    by name; a range goes in the recipe's order, backwards where its ends say so
//   (@"C-12",'4')   a name that is no word stands in quotes
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace datum::scpi {

/// A number, or a name where it is not empty.
struct Channel {
  std::uint64_t number = 0;
  std::string name;
};
/// One channel where both ends are the same.
struct ChannelRange {
  Channel first, last;
};

/// `text` is what stands between the brackets. Throws Error -171.
std::vector<ChannelRange> read_channels(std::string_view text);

/// Indexes into `names`, in the order asked for. Throws Error: -222 a number that there is not, -224 a name, -223
/// more than most_channels.
std::vector<std::size_t> resolve(const std::vector<ChannelRange>& list,
                                 const std::vector<std::string>& names);
inline constexpr std::size_t most_channels = 10'000;

}  // namespace datum::scpi
