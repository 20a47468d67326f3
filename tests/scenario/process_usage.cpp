#include "tests/scenario/process_usage.h"

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
  const auto n = static_cast<double>(values.size());
  Growth growth;
  for (const double v : values) growth.mean += v / n;
  double above = 0, below = 0;
  for (std::size_t i = 0; i < values.size(); ++i) {
    const double step = static_cast<double>(i) - (n - 1) / 2;
    above += step * (values[i] - growth.mean);
    below += step * step;
  }
  growth.per_step = above / below;
  growth.whole = growth.per_step * (n - 1) / growth.mean;
  return growth;
}

}  // namespace datum::scenario
