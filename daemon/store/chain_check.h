// Checks a store's hash chain, and reports altered, missing and inserted entries.
#pragma once

#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

#include "daemon/store/result_chain.h"

namespace datum {

/// One deviation from the stored state.
struct ChainFault {
  std::uint64_t sequence = 0;  // sequence number of the result; 0: a statement, or the chain itself
  std::string what;
};

struct ChainReport {
  std::string store_id;
  std::uint64_t links = 0, results = 0;
  std::uint64_t first = 0, last = 0;    // sequence numbers
  std::uint64_t given = 0;              // highest sequence number that the chain knows
  std::vector<std::string> statements;  // the newest statements as text: events of the store
  // The oldest renewals as text: the store was set back or copied, and got another id.
  std::vector<std::string> renewals;
  ChainEntry head;  // the newest entry
  // Last entry and last result that valid signatures of the store itself cover; 0: none.
  std::uint64_t signed_link = 0, signed_result = 0;
  std::vector<std::string> removed_heads;  // entries of `held` that retention removed since, as text
  std::uint64_t faults = 0;
  std::vector<ChainFault> first_faults;  // in the order of the chain

  static constexpr std::size_t most_told = 16;  // limit of each list
};

/// An entry from an earlier report that somebody keeps elsewhere. Only such an entry detects a completely rewritten
/// store.
struct HeldEntry {
  std::uint64_t link = 0;
  std::string sha256;
  std::string store{};    // id under which it was signed; empty: unknown
  std::string who{};      // "signature 17 of ..."; empty: not signed
  bool in_store = false;  // kept in the store itself
};

/// Reads beside a running daemon, in one snapshot. Throws StoreError; kind `corrupt` also where the store's schema has no
/// chain.
ChainReport check_chain(const std::filesystem::path& store, const std::vector<HeldEntry>& held = {});

}  // namespace datum
