// Record of a claim: recipe, trigger and unit for which a delivery was claimed. It is written before the
// claim, so that the next process can measure the delivery as the previous one would have, or state why not.
//
//   work/N/.claim   datum claim 1
//                   recipe demo-board
//                   sha256 <64 hex digits, of the recipe's file>
//                   trigger on_frame
//                   unit SN%20001        non-ASCII and non-printable bytes, blanks and % as %XX; empty: not
//                                        stated
//                   boards SN%201,,SN%203  serial numbers of a panel's boards, ',' too as %XX; no such line: not stated
#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace datum {

struct ClaimRecord {
  std::string recipe, recipe_sha256;
  std::string trigger;  // "on_frame" or "bus"
  std::string unit;
  std::vector<std::string> boards = {};  // serial numbers of a panel's, in the order of its places
  bool operator==(const ClaimRecord&) const = default;
};

std::string to_text(const ClaimRecord& record);
/// None: not such a text, or incomplete.
std::optional<ClaimRecord> claim_record_from_text(std::string_view text);

/// Writes into the folder of a claim. False: the file system refuses. Durable after sync_claim_record.
bool write_claim_record(const std::filesystem::path& folder, const ClaimRecord& record);
void sync_claim_record(const std::filesystem::path& folder);
/// None: missing or damaged.
std::optional<ClaimRecord> claim_record_in(const std::filesystem::path& folder);
void remove_claim_record(const std::filesystem::path& folder);

}  // namespace datum
