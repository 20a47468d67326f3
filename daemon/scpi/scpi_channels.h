// Channel lists (SCPI-99 volume 1, 8.3.2): selection and order of components.
//
//   (@1,3:5)        by number: 1 is the recipe's first component
//   (@C12,R3:R7)    by name; a range follows the recipe's order, backwards where its ends are reversed
//   (@"C-12",'4')   quotes for a name that is no word
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace datum::scpi {

/// A number; a name where that is not empty.
struct Channel {
  std::uint64_t number = 0;
  std::string name;
};
/// One channel where both ends are equal.
struct ChannelRange {
  Channel first, last;
};

/// `text` is the content of the parentheses. Throws Error -171.
std::vector<ChannelRange> read_channels(std::string_view text);

/// Indices into `names` in the requested order. Throws Error: -222 an unknown number, -224 an unknown name, -223 more
/// than most_channels.
std::vector<std::size_t> resolve(const std::vector<ChannelRange>& list,
                                 const std::vector<std::string>& names);
inline constexpr std::size_t most_channels = 10'000;

}  // namespace datum::scpi
