// StepRecord: what one stage did to a frame before it was measured, as a verdict tells it.
#pragma once

#include <string>
#include <utility>
#include <vector>

namespace datum {

/// Enough to repeat the stage and to see whether it worked. Names carry their units.
struct StepRecord {
  std::string name, version;
  std::vector<std::pair<std::string, std::string>> parameters;
  std::string input_sha256, output_sha256;             // lower-case hex
  std::vector<std::pair<std::string, double>> health;  // counts of pixels, medians ...
  std::vector<std::string> warnings;                   // in words, for the operator
};

}  // namespace datum
