// Files that come damaged: bits and bytes altered, cut, left out, repeated.
#pragma once

#include <random>
#include <string>

namespace datum::testing {

/// The remainder of mt19937's own numbers is the same with every library.
inline std::string damaged(std::string bytes, std::mt19937& random) {
  const auto below = [&](std::size_t n) { return static_cast<std::size_t>(random() % n); };
  for (std::size_t times = 1 + below(4); times > 0 && !bytes.empty(); --times) {
    const std::size_t at = below(bytes.size());
    switch (below(5)) {
      case 0:
        bytes[at] = static_cast<char>(bytes[at] ^ (1 << below(8)));
        break;
      case 1:
        bytes[at] = static_cast<char>(below(256));
        break;
      case 2:
        bytes.resize(at);
        break;
      case 3:
        bytes.erase(at, 1 + below(8));
        break;
      case 4:
        bytes.insert(at, bytes.substr(below(bytes.size()), 1 + below(64)));
        break;
    }
  }
  return bytes;
}

}  // namespace datum::testing
