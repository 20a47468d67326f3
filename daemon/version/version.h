// Identity of the code: in every verdict, in *IDN? and in the log.
#pragma once

#include <string>

namespace datum {

/// "0.1.0 1a2b3c4d5e6f": version and commit ("-dirty" where the tree had changes).
std::string code_id();
/// Compiler, CUDA or none, and libraries of this build; for the log.
std::string features();

}  // namespace datum
