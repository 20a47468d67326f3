// Walks a store's chain of hashes and says what was altered, taken out or put in.
#pragma once

#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

#include "daemon/store/result_chain.h"

namespace datum {

/// Something that is not as it was written.
struct ChainFault {
  std::uint64_t sequence = 0;  // of the result; 0: a statement, or the chain itself
  std::string what;
};

struct ChainReport {
  std::string store_id;
  std::uint64_t links = 0, results = 0;
  std::uint64_t first = 0, last = 0;    // sequences
  std::uint64_t given = 0;              // the highest number that the chain knows of
  std::vector<std::string> statements;  // in words, the newest; what befell the store
  std::vector<std::string> renewals;  // in words, the oldest: it was set back, or copied, and got another id
  ChainEntry head;                    // the newest link
  std::uint64_t signed_link = 0, signed_result = 0;  // up to which signatures of its own hold; 0: none does
  std::vector<std::string> removed_heads;  // of those held: links that retention took since, in words
  std::uint64_t faults = 0;
  std::vector<ChainFault> first_faults;  // in the chain's order

  static constexpr std::size_t most_told = 16;  // of each
};

/// A link that somebody holds elsewhere, from an earlier report: who rewrites a whole store is found by it alone.
struct HeldEntry {
  std::uint64_t link = 0;
  std::string sha256;
  std::string store{};    // id under which it was signed; empty: it is not known
  std::string who{};      // "signature 17 of ..."; empty: nobody signed it
  bool in_store = false;  // kept in the store itself
};

/// Reads beside a running daemon, all of it as it is at one moment. Throws StoreError; kind `corrupt` also where the
/// store is of a schema without a chain.
ChainReport check_chain(const std::filesystem::path& store, const std::vector<HeldEntry>& held = {});

}  // namespace datum
