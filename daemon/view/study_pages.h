// Pages of the gauge studies beside the store: which there are, how far they have come, and the results of one.
#pragma once

#include <chrono>
#include <filesystem>
#include <string>

#include "daemon/view/result_reader.h"

namespace datum {

/// Studies of this folder, the newest first; a file that can't be read is named with its fault. Throws PageTimeout after `limit`.
std::string studies_page(const std::filesystem::path& folder, std::chrono::milliseconds limit);

/// One of them with its newest results, each compared with the store's chain. Empty: there is no study of this id.
std::string study_page(const std::filesystem::path& folder, const std::string& id, ResultReader& store);

}  // namespace datum
