// The hash chain of results: the SHA-256 of each entry covers the hash of the entry before and its own row, so that
// altered, missing and inserted results are detected. Events of the store (creation, migration, removal, another id) are
// entries too, called statements. After a statement of another id all entries are hashed with that id.
//
//   hash of a result    = SHA-256 of the netstrings ("LENGTH:BYTES,") of: hash of the entry before, id of the store,
//                         sequence, measured_at, unit_id, recipe, decision as a number, reason, frame_id, frame_sha256, JSON
//   hash of a statement = the same of: hash of the entry before, id of the store, "statement", its JSON
//
// Hashes are 64 lower-case hex digits; chain_begin precedes the first entry. Netstrings: D. J. Bernstein, "Netstrings",
// 1997.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace datum {

struct StoredResult;

inline constexpr std::string_view chain_begin =
    "0000000000000000000000000000000000000000000000000000000000000000";

/// Hash of the entry of `result` after the entry with hash `before`.
std::string chain_hash(std::string_view before, const StoredResult& result);
/// Hash of the entry of a statement.
std::string chain_hash(std::string_view before, const std::string& store_id, const std::string& statement);

/// The netstrings that these hashes cover after `before`, for a signer (daemon/sign).
std::string chain_body(const StoredResult& result);
std::string chain_body(const std::string& store_id, const std::string& statement);

/// One stored entry.
struct ChainEntry {
  std::uint64_t link = 0;      // counted from 1, without gaps
  std::uint64_t sequence = 0;  // sequence number of the result; 0: a statement
  std::string statement;       // JSON
  std::string sha256;
};

/// Statement that a rule removed the oldest results; it follows the newest remaining entry. The chain then begins at
/// entry `last_link` + 1, after the hash `last_sha256`.
struct Removal {
  std::uint64_t results = 0;
  std::uint64_t first = 0, last = 0;  // sequence numbers; 0: no result among the removed entries
  std::uint64_t last_link = 0;
  std::string last_sha256;
  std::string altered;  // fault that was found in them before the removal; empty: none
  std::string rule;     // the rule as text
  std::string utc;      // time, ISO 8601
  bool more = false;    // further results may be due; not part of the statement
};
std::string to_statement(const Removal& removal);
/// False: a statement of another kind. Throws std::runtime_error where it can't be parsed.
bool from_statement(const std::string& statement, Removal& removal);

/// Statement that the store continues under another id: it was set back, or is a copy, so it may lack sequence numbers
/// that were given under `former_id`. This entry is the last one hashed with the former id.
struct Renewal {
  std::string former_id, id;
  std::uint64_t last = 0;   // the newest result
  std::uint64_t given = 0;  // highest sequence number known under the former id; the next one is above it
  std::string why;          // reason as text
  std::string utc;          // time, ISO 8601
};
std::string to_statement(const Renewal& renewal);
/// False: a statement of another kind. Throws std::runtime_error where it can't be parsed.
bool from_statement(const std::string& statement, Renewal& renewal);
/// "the store goes on under the id ...", for the log and the hosts.
std::string words_of(const Renewal& renewal);

/// A command of a host that changed the cell.
struct Deed {
  std::string host, role;      // as in lock_arbiter.h
  std::string deed;            // a command, or a change of control
  std::uint64_t left_out = 0;  // earlier deeds of this host that no entry states: above the limit
  std::string utc;             // time, ISO 8601
  std::string certificate{};   // unabridged certificate of the host; empty: not authenticated
  std::string person{};        // who acted over the host's connection, as it says; empty: nobody is named
};
std::string to_statement(const Deed& deed);

/// Statement that a store was created, or migrated from an older schema with its results.
std::string made_statement(const std::string& utc);
std::string migrated_statement(std::int64_t from_schema, std::uint64_t results, const std::string& utc);

/// A statement as text: "removed 1 to 200: older than 365 days".
std::string words_of(const std::string& statement);

}  // namespace datum
