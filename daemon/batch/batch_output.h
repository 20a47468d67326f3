// The output of a unit: a file named by the unit's key, complete and checked by its own SHA-256, or absent.
//
//   {"datumd_batch_output":1,"what_if":true,"key":"...","backend":"cpu"}
//   {...}                         the verdict (comparable(), batch_unit.h)
//   {"sha256":"..."}              of the bytes before
#pragma once

#include <filesystem>
#include <optional>
#include <string>

#include "daemon/batch/batch_unit.h"

namespace datum {

std::filesystem::path output_file(const std::filesystem::path& batch, const std::string& key);
std::filesystem::path poison_file(const std::filesystem::path& batch, const std::string& key);

/// Equal bytes for equal units, whoever measured them.
std::string output_text(const std::string& key, const std::string& backend, const BoardVerdict& measured);

struct BatchOutput {
  std::string key, backend;
  std::string verdict;  // JSON
};
/// Throws std::runtime_error: cut off, changed, or no output.
BatchOutput output_from_text(const std::string& text);

enum class OutputState { good, absent, damaged };
struct FoundOutput {
  OutputState state = OutputState::absent;
  std::string why;     // of a damaged one
  BatchOutput output;  // of a good one
};
/// Of the unit `key`. A file with another unit's output is damaged.
FoundOutput find_output(const std::filesystem::path& batch, const std::string& key);

/// Writes a file that several processes of several machines may write at once: under a name of its own in the same folder,
/// synchronised, then renamed; the last one stays. Throws std::system_error.
void write_beside_others(const std::filesystem::path& file, const std::string& text);

/// Removes what killed writers left behind, for when every unit has its output: a writer whose file goes writes it again.
void remove_left_overs(const std::filesystem::path& batch);

}  // namespace datum
