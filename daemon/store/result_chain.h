// The chain of results: each link's SHA-256 covers the one before it and all that its row holds, so that a result that
// was altered, taken out or put in is found. What is not a result but befell the store (made, migrated, results removed,
// another id) is a link too, a statement. Behind a statement of another id all links are hashed with that id.
//
//   hash of a result    = SHA-256 of the netstrings ("LENGTH:BYTES,") of: hash of the link before, id of the store,
//                         sequence, measured_at, unit_id, recipe, decision as a number, reason, frame_id, frame_sha256, JSON
//   hash of a statement = the same of: hash of the link before, id of the store, "statement", its JSON
//
// Hashes are 64 lower-case hex digits; before the first link stands chain_begin. Netstrings: D. J. Bernstein, 1997.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace datum {

struct StoredResult;

inline constexpr std::string_view chain_begin =
    "0000000000000000000000000000000000000000000000000000000000000000";

/// Hash of the link that `result` is, behind the link with hash `before`.
std::string chain_hash(std::string_view before, const StoredResult& result);
/// Hash of a statement's link.
std::string chain_hash(std::string_view before, const std::string& store_id, const std::string& statement);

/// All that these hash behind `before`, as netstrings: what a signer is shown (daemon/sign).
std::string chain_body(const StoredResult& result);
std::string chain_body(const std::string& store_id, const std::string& statement);

/// One link as it is stored.
struct ChainEntry {
  std::uint64_t link = 0;      // counts from 1, without holes
  std::uint64_t sequence = 0;  // of the result; 0: a statement
  std::string statement;       // JSON
  std::string sha256;
};

/// That results, oldest first, were taken out of the store by rule; stands in the chain behind the newest of them that
/// are left. With it the chain begins at link `last_link` + 1, behind a link with hash `last_sha256`.
struct Removal {
  std::uint64_t results = 0;
  std::uint64_t first = 0, last = 0;  // sequences, 0 where no result was among the links
  std::uint64_t last_link = 0;
  std::string last_sha256;
  std::string altered;  // what was found wrong with them before they went; empty: nothing
  std::string rule;     // why they went, in words
  std::string utc;      // when, ISO 8601
  bool more = false;    // as many again may be due; not in the statement
};
std::string to_statement(const Removal& removal);
/// False where the statement states something else. Throws std::runtime_error where it can't be read.
bool from_statement(const std::string& statement, Removal& removal);

/// That the store goes on under another id, since numbers may have been given under `former_id` of which it knows nothing:
/// it was set back, or is a copy. The last link that is hashed with the former id.
struct Renewal {
  std::string former_id, id;
  std::uint64_t last = 0;  // the newest result there was
  std::uint64_t given =
      0;  // the highest number known to have been given under the former id; the next one is above it
  std::string why;  // in words
  std::string utc;  // when, ISO 8601
};
std::string to_statement(const Renewal& renewal);
/// False where the statement states something else. Throws std::runtime_error where it can't be read.
bool from_statement(const std::string& statement, Renewal& renewal);
/// "the store goes on under the id ...", for the log and the hosts.
std::string words_of(const Renewal& renewal);

/// What a host did to the cell.
struct Deed {
  std::string host, role;      // as lock_arbiter.h has them
  std::string deed;            // a command, or what became of control
  std::uint64_t left_out = 0;  // deeds of its before this one that no link states: too many
  std::string utc;             // when, ISO 8601
  std::string certificate{};   // that the host proved who it is by, unabridged; empty: by nothing
};
std::string to_statement(const Deed& deed);

/// That a store was made, or brought from an older schema with what it held.
std::string made_statement(const std::string& utc);
std::string migrated_statement(std::int64_t from_schema, std::uint64_t results, const std::string& utc);

/// A statement for a human: "removed 1 to 200: older than 365 days".
std::string words_of(const std::string& statement);

}  // namespace datum
