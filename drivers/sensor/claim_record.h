// What a delivery was claimed for: written beside it in work/ before it is claimed, so that a process that finds it there
// measures it as the one before would have, or says why not.
//
//   work/N/.claim   datum claim 1
//                   recipe demo-board
//                   sha256 <64 hex digits, of the recipe's file>
//                   trigger on_frame
//                   unit SN%20001        bytes that are no printable ASCII, blanks and % as %XX; empty: none was told
#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <string_view>

namespace datum {

struct ClaimRecord {
  std::string recipe, recipe_sha256;
  std::string trigger;  // "on_frame" or "bus"
  std::string unit;
  bool operator==(const ClaimRecord&) const = default;
};

std::string to_text(const ClaimRecord& record);
/// None: it is no such text, or not whole.
std::optional<ClaimRecord> claim_record_from_text(std::string_view text);

/// In the folder of a claim. False: the file system refuses. It is durable after sync_claim_record.
bool write_claim_record(const std::filesystem::path& folder, const ClaimRecord& record);
void sync_claim_record(const std::filesystem::path& folder);
/// None: there is none, or it is damaged.
std::optional<ClaimRecord> claim_record_in(const std::filesystem::path& folder);
void remove_claim_record(const std::filesystem::path& folder);

}  // namespace datum
