// Signed heads in the store, beside its chain: a table signed_head, made with the first of them, which older programs pass over.
#pragma once

#include <sqlite3.h>

#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "daemon/sign/signed_head.h"

namespace datum {

/// Keeps them, each once, in one transaction; those of links that retention removed go, but for the newest. Throws StoreError.
void keep_signed_heads(sqlite3* db, const std::filesystem::path& file, const std::vector<SignedHead>& heads);
/// The newest as it was kept; none: there is none.
std::optional<std::string> newest_signed_head(sqlite3* db, const std::filesystem::path& file);
/// All of them as they were kept, in the order of their links.
std::vector<std::string> signed_heads_of(sqlite3* db, const std::filesystem::path& file);

}  // namespace datum
