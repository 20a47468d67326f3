// Results of gauge studies, from the studies' files beside the store (daemon/quality/study/study_file.h writes them).
#pragma once

#include <cstdint>
#include <filesystem>
#include <set>
#include <string>
#include <vector>

namespace datum {

/// Sequence numbers that the files FOLDER/*.jsonl record for a store. A line that can't be read, such as one that is being written, and a
/// file of another store are passed over.
std::set<std::uint64_t> studied_results(const std::filesystem::path& folder, const std::string& store_id);

/// A study that is not complete: its next result is stored before the study records it.
struct RunningStudy {
  std::string recipe_sha256;
  std::uint64_t after = 0;  // its results are newer
  std::set<std::string> parts;
  bool takes_unnamed = true;  // boards without a number may be its parts
};
std::vector<RunningStudy> running_studies(const std::filesystem::path& folder, const std::string& store_id);

/// A study as its file has it.
struct KeptStudy {
  std::string id, by, at, recipe, recipe_sha256;
  std::string plan_sha256;  // of the file's first line
  std::string sha256;       // of the file; empty where it is not complete
  std::uint64_t after = 0;  // the newest result when it began
  std::size_t runs = 0, results = 0;
  std::uint64_t first = 0, last = 0;  // results
  bool complete = false;
};
/// Of a store, in the order of ids. A file that is no study, or has over 64 MiB, is passed over.
std::vector<KeptStudy> kept_studies(const std::filesystem::path& folder, const std::string& store_id);

}  // namespace datum
