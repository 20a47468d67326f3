#include "tests/scenario/process_usage.h"

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <stdexcept>
#include <string>

namespace datum::scenario {

Usage usage_of(pid_t pid) {
  const std::string folder = "/proc/" + std::to_string(pid);
  std::ifstream status(folder + "/status");
  if (!status) throw std::runtime_error(folder + ": no such process");
  Usage usage;
  for (std::string key; status >> key; status.ignore(4096, '\n')) {
    if (key == "VmRSS:") status >> usage.rss_kib;
    if (key == "VmHWM:") status >> usage.peak_kib;
    if (key == "RssAnon:") status >> usage.anon_kib;
    if (key == "Threads:") status >> usage.threads;
  }
  const std::filesystem::directory_iterator descriptors(folder + "/fd"), end;
  usage.descriptors = static_cast<int>(std::distance(descriptors, end));
  return usage;
}

Growth growth_of(const std::vector<double>& values) {
  Growth growth;
  std::vector<double> slopes;
  for (std::size_t i = 0; i < values.size(); ++i) {
    growth.mean += values[i] / static_cast<double>(values.size());
    for (std::size_t j = i + 1; j < values.size(); ++j)
      slopes.push_back((values[j] - values[i]) / static_cast<double>(j - i));
  }
  const auto middle = slopes.begin() + static_cast<std::ptrdiff_t>(slopes.size() / 2);
  std::nth_element(slopes.begin(), middle, slopes.end());
  growth.per_step = *middle;
  growth.whole = growth.per_step * static_cast<double>(values.size() - 1) / growth.mean;
  const auto [least, most] = std::minmax_element(values.begin(), values.end());
  growth.span = (*most - *least) / growth.mean;
  return growth;
}

}  // namespace datum::scenario
