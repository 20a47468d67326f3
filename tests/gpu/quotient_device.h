#pragma once

#include <cstdint>

namespace datum::testing {

/// How many of `count` pairs drawn from `seed`, a = 0 or 2^-80 to 2^60 over b = 2^-40 to 2^45 with either sign, have a
/// quotient() on the device whose bits are not those of IEEE division there, or a number of 2^-100 to 2^100 with it whose
/// square_root() is not IEEE's. Throws GpuError.
std::uint64_t quotients_that_differ(std::uint64_t seed, std::uint64_t count);

}  // namespace datum::testing
