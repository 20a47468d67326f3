// Signed heads in the store: a table signed_head, created with the first of them; older programs ignore it.
#pragma once

#include <sqlite3.h>

#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "daemon/sign/signed_head.h"

namespace datum {

/// Stores the heads, without duplicates, in one transaction. Heads of removed entries are deleted except the newest.
/// Throws StoreError.
void keep_signed_heads(sqlite3* db, const std::filesystem::path& file, const std::vector<SignedHead>& heads);
/// The newest stored one; none: there is none.
std::optional<std::string> newest_signed_head(sqlite3* db, const std::filesystem::path& file);
/// All stored ones, in the order of their entries.
std::vector<std::string> signed_heads_of(sqlite3* db, const std::filesystem::path& file);

}  // namespace datum
