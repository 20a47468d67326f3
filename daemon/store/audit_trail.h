// Who did what, from the statements of the chain of results (result_chain.h): commands of hosts, steps of reference checks with
// the persons who are named, removals, renewals.
#pragma once

#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

namespace datum {

struct AuditEntry {
  std::uint64_t link = 0;   // of the chain
  std::string utc;          // ISO 8601; empty: the statement has none
  std::string who;          // person, "PERSON at HOST", host, or "datumd"
  std::string role;         // of a host
  std::string certificate;  // of an authenticated host
  std::string what;         // as text
};

/// Of `from` or later and before `before` (ISO 8601 prefixes; empty: any), oldest first. Retention removes old statements. Throws
/// StoreError; a statement that can't be read is an entry that says so.
std::vector<AuditEntry> audit_trail(const std::filesystem::path& store, const std::string& from,
                                    const std::string& before);

}  // namespace datum
