// Checks signed heads (daemon/sign/signed_head.h) against a store: those in the store, and those that hosts keep.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "daemon/sign/signed_head.h"
#include "daemon/store/chain_check.h"

namespace datum {

/// Keys and signed heads from outside of the store.
struct KnownSignatures {
  std::vector<std::string>
      keys;  // public keys, 64 hex digits; none: any valid signature counts, and the report says so
  std::vector<SignedHead> heads;  // kept by hosts
  bool any() const { return !keys.empty() || !heads.empty(); }
};

struct SignatureReport {
  std::vector<HeldEntry> held;       // entries with a valid signature, for check_chain
  std::vector<std::string> faults;   // as text
  std::vector<std::string> unknown;  // unanswered questions and their cause
  std::uint64_t in_store = 0;        // valid signatures in the store
  std::string first, last;           // of these, "signature 17 of ..."
  std::vector<std::string> keys;     // keys that signed them, the newest last
};

/// To be called before check_chain, so that the chain is never older than the signatures. Throws StoreError.
SignatureReport check_signatures(const std::filesystem::path& store, const KnownSignatures& known);

/// Both reports as text, one line per statement.
std::string words_of(const SignatureReport& signatures, const ChainReport& chain);

}  // namespace datum
