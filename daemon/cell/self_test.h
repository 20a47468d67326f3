// The kernels against known answers, on the machine that is about to decide.
#pragma once

#include <string>
#include <vector>

#include "gpu/core/backend.h"

namespace datum {

/// One line per failure; empty: the backend gives the known plane, and the same bytes as the scalar code.
std::vector<std::string> kernel_self_test(const Backend& backend);

}  // namespace datum
