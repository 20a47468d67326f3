// Version of the numeric contract: equal inputs give equal bytes on every backend of one version.
#pragma once

namespace datum {

/// Counted up by a change after which a kernel gives other bytes for the same input (tests/gpu/kernel_hashes.cpp shows one).
inline constexpr int numeric_contract = 1;

}  // namespace datum
