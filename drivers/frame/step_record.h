// StepRecord: one processing step of a frame before it is measured, for the verdict.
#pragma once

#include <string>
#include <utility>
#include <vector>

namespace datum {

/// Settings sufficient to repeat the step, and its health numbers. Names carry their units.
struct StepRecord {
  std::string name, version;
  std::vector<std::pair<std::string, std::string>> parameters;
  std::string input_sha256, output_sha256;             // lower-case hex
  std::vector<std::pair<std::string, double>> health;  // counts of pixels, medians ...
  std::vector<std::string> warnings;                   // text for the operator
};

}  // namespace datum
