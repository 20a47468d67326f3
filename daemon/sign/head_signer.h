// HeadSigner: signs heads of chains, and never two branches of one store. For each store it keeps the last signed head on
// the disk before it returns the signature. It signs only a descendant of that head, and computes the hashes in between
// itself. An attacker with the store and datumd's account can add results, but gets no other history signed. An unknown
// store begins with its first head.
#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <optional>
#include <stdexcept>
#include <string>
#include <string_view>

#include "daemon/sign/signed_head.h"

namespace datum {

/// A refusal to sign; what() gives the reason.
class SignRefused : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

/// The entries from the last signed head to the head that is to be signed.
class Descent {
 public:
  void begin_link() { hash_.emplace(place_.sha256); }
  void add(std::string_view body) { hash_->add(body); }
  void end_link() { place_ = {place_.link + 1, hash_->hex()}; }

 private:
  friend class HeadSigner;
  std::string store_;
  std::optional<SignedHead> last_;
  ChainPlace place_;
  std::optional<EntryHash> hash_;
};

class HeadSigner {
 public:
  static constexpr std::size_t most_stores = 1000;  // with one state file each

  /// `state`: a folder that only this account can write. `utc_s`: seconds since 1970-01-01. Throws std::runtime_error
  /// where the handover of the key in that folder can't be read.
  HeadSigner(SigningKey key, std::filesystem::path state, std::function<std::int64_t()> utc_s);

  const std::string& public_key() const { return key_.public_key(); }
  /// The last signed head of a store. Throws SignRefused for an invalid id or a damaged state: the signer then does not
  /// begin anew.
  std::optional<SignedHead> last(const std::string& store) const;
  /// Throws SignRefused where `from` is not the last signed head.
  Descent descend(const std::string& store, const ChainPlace& from) const;
  /// Signs the head at the end of the descent; an empty descent returns the last signature. Throws SignRefused, and
  /// std::system_error where the state can't be written; then nothing is signed.
  SignedHead sign(const Descent& descent);

 private:
  std::filesystem::path file_of(const std::string& store) const;

  SigningKey key_;
  std::filesystem::path state_;
  std::function<std::int64_t()> utc_s_;
  std::optional<KeyHandover> handed_over_;
};

/// Stores in the signer's folder that `next` replaces `former`; signatures by `next` then carry that statement. Throws
/// std::system_error.
void keep_handover(const std::filesystem::path& state, const SigningKey& former, const std::string& next,
                   const std::string& utc);

}  // namespace datum
