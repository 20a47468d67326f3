// What of a manifest is done: by its outputs alone, whatever an engine said.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "daemon/batch/manifest.h"

namespace datum {

struct PoisonedUnit {
  std::size_t unit = 0;  // in the manifest
  std::string why;
};

struct BatchStatus {
  std::vector<std::size_t> done, absent, damaged;  // units in the manifest
  std::vector<PoisonedUnit> poison;                // of those without a good output
  std::vector<std::string> damage;                 // one line for each damaged output

  std::vector<std::size_t> missing() const;  // absent and damaged ones, sorted
  bool complete() const { return absent.empty() && damaged.empty(); }
};

/// Reads and checks each output of these units.
BatchStatus status_of(const std::filesystem::path& batch, const Manifest& manifest,
                      const std::vector<std::size_t>& units);

std::vector<std::size_t> all_units(const Manifest& manifest);
/// "3/10": each tenth unit from the third on. Throws std::invalid_argument.
std::vector<std::size_t> part_of(const Manifest& manifest, const std::string& part);
/// "1,4-9": numbers from 1. Throws std::invalid_argument.
std::vector<std::size_t> listed_units(const Manifest& manifest, const std::string& list);
/// A deterministic sample: the units with the lowest hashes of their keys, rounded up, at least one. `percent`: above 0, at most 100.
std::vector<std::size_t> sample_of(const Manifest& manifest, double percent);

}  // namespace datum
