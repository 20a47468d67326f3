// Arguments that mean nothing are refused before anything is touched.
#pragma once

#include <cstdint>

namespace datum::lu {

/// Throws std::invalid_argument, naming the argument.
void check_matrix(const void* a, std::uint32_t n, std::uint32_t leading, const char* name);
void check_present(const void* values, std::uint64_t count, const char* name);

}  // namespace datum::lu
