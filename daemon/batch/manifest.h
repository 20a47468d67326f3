// The manifest of a batch: every unit of work with what names it, written once before anything is measured.
//
//   BATCH/manifest.jsonl     a head, a line for each unit sorted by key, a line for each frame or result without a unit, and a
//                            last line with the SHA-256 of all bytes before it
//   BATCH/before.txt         of stored results: key, and decisions, values and u of then, a line for each unit; merge alone reads it
//   BATCH/recipes/SHA256.toml, BATCH/calibrations/ID.toml, BATCH/sensor.toml    copies of what measures
//   BATCH/outputs/KK/KEY.json     what was measured (batch_output.h)
//   BATCH/poison/KEY.json         units that failed each of their attempts, with the reason
//   BATCH/runs/*.jsonl            who measured what, and how long it took; nothing depends on it
#pragma once

#include <cstdint>
#include <filesystem>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "daemon/batch/batch_unit.h"

namespace datum {

struct ManifestHead {
  std::string backend = cpu_backend_name;        // of every unit
  std::string code;                              // version and commit that measures
  int contract = 0;                              // version of the numeric contract
  std::filesystem::path frames;                  // folder, absolute; another machine may name another one
  std::filesystem::path sensor = "sensor.toml";  // profile; one of raw fringes stays where it was, absolute
  std::string sensor_sha256;
  bool calibration_replaced = false;  // asked about its own time, not about that of the frames
  std::string before_sha256;          // of before.txt; empty: there is none
  std::uint64_t units = 0, unmeasurable = 0;
};

/// A frame or a result that no unit measures.
struct Unmeasurable {
  std::string what, why;
};

class Manifest {
 public:
  /// Reads BATCH/manifest.jsonl. Throws std::runtime_error with the file, the line, what is wrong and what to do.
  static Manifest load(const std::filesystem::path& batch);

  const ManifestHead& head() const { return head_; }
  std::size_t size() const { return lines_.size(); }
  /// Sorted, each once. `i` from 0.
  std::string key(std::size_t i) const;
  /// Without what was before. Throws std::runtime_error where the line is no unit, or is not the one that its key names.
  BatchUnit unit(std::size_t i) const;
  const std::vector<Unmeasurable>& unmeasurable() const { return unmeasurable_; }
  /// Of the file without its last line.
  const std::string& sha256() const { return sha256_; }

  friend Manifest manifest_from_text(std::string text, const std::string& name);

 private:
  std::string text_, name_, sha256_;
  ManifestHead head_;
  std::vector<std::pair<std::size_t, std::size_t>>
      lines_;  // of units: where they begin in text_, and their length
  std::vector<Unmeasurable> unmeasurable_;
};

/// `name`: of messages. Throws as Manifest::load.
Manifest manifest_from_text(std::string text, const std::string& name);

/// The last line of a manifest with these lines before it.
std::string manifest_sum(std::string_view text);

/// Units with equal keys become one. Their order does not matter.
std::string manifest_text(ManifestHead head, const std::vector<BatchUnit>& units,
                          const std::vector<Unmeasurable>& unmeasurable);

/// before.txt of these units; empty: none has a result before.
std::string before_text(const std::vector<BatchUnit>& units);

/// What was before, by unit: a line each of before.txt, read when it is asked for.
class BeforeResults {
 public:
  /// Throws std::runtime_error where the file is not the manifest's.
  BeforeResults(const std::filesystem::path& batch, const ManifestHead& head);
  /// None: a unit of an archive. Throws std::runtime_error that names the fault.
  std::optional<BoardVerdict> of(const std::string& key) const;

 private:
  std::string text_;
  std::map<std::string, std::pair<std::size_t, std::size_t>>
      lines_;  // JSON of a result in text_: begin, length
};

}  // namespace datum
