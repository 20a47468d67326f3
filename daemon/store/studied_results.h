// Results of gauge studies, from the studies' files beside the store (daemon/quality/study/study_file.h writes them).
#pragma once

#include <cstdint>
#include <filesystem>
#include <set>
#include <string>

namespace datum {

/// Sequence numbers that the files FOLDER/*.jsonl record for a store. A line that can't be read, such as one that is being written, and a
/// file of another store are passed over.
std::set<std::uint64_t> studied_results(const std::filesystem::path& folder, const std::string& store_id);

}  // namespace datum
