// What signed heads (daemon/sign/signed_head.h) say about a store: those that it keeps itself, and those that hosts kept.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "daemon/sign/signed_head.h"
#include "daemon/store/chain_check.h"

namespace datum {

/// What is known of the signer from elsewhere.
struct KnownSignatures {
  std::vector<std::string>
      keys;  // public keys, 64 hex digits; none: any that signed well counts, and the report says so
  std::vector<SignedHead> heads;  // that hosts kept
  bool any() const { return !keys.empty() || !heads.empty(); }
};

struct SignatureReport {
  std::vector<HeldEntry> held;       // links that a good signature vouches for: for check_chain
  std::vector<std::string> faults;   // in words
  std::vector<std::string> unknown;  // what can't be told, and from what
  std::uint64_t in_store = 0;        // good signatures that the store keeps
  std::string first, last;           // of these, "signature 17 of ...", and their keys
  std::vector<std::string> keys;     // that signed them, the newest last
};

/// Before check_chain, whose chain is then never behind the signatures. Throws StoreError.
SignatureReport check_signatures(const std::filesystem::path& store, const KnownSignatures& known);

/// Both together for a human, a line each.
std::string words_of(const SignatureReport& signatures, const ChainReport& chain);

}  // namespace datum
