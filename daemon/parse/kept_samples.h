// Inputs over which a parser ended, kept for whoever maintains datumd: the input as it came, and the reason beside it.
#pragma once

#include <filesystem>
#include <span>
#include <string>

namespace datum {

class KeptSamples {
 public:
  explicit KeptSamples(std::filesystem::path folder) : folder_(std::move(folder)) {}

  /// FOLDER/HASH-NAME and FOLDER/HASH-NAME.reason.txt; the same input once. Of a common hour's worth of them, or of a large
  /// one, the reason alone is in the log: where there are most_samples, or it has more than most_sample_bytes. Never throws;
  /// the file's path, empty where it is not kept.
  std::filesystem::path keep(const std::string& name, std::span<const std::uint8_t> bytes,
                             const std::string& reason) const;

  static constexpr std::size_t most_samples = 32, most_sample_bytes = std::size_t{64} << 20;

 private:
  std::filesystem::path folder_;
};

}  // namespace datum
