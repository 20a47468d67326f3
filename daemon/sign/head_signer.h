// HeadSigner: signs heads of chains, and never two branches of one store. For each store it keeps the head that it signed last, on
// the disk before anybody has the signature, and signs only what descends from that head: it hashes the links in between itself.
// Who has the store and datumd's account can thus add results, but gets no other history signed. A store that it does not know
// begins with the head that it is shown first.
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

/// What was asked for is not signed; what() says why.
class SignRefused : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

/// The way from the head that was signed last to the one that is to be signed.
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
  static constexpr std::size_t most_stores = 1000;  // of which it keeps a file

  /// `state`: a folder that nobody else may write to. `utc_s`: seconds since 1970-01-01. Throws std::runtime_error where a key's
  /// handover in that folder can't be read.
  HeadSigner(SigningKey key, std::filesystem::path state, std::function<std::int64_t()> utc_s);

  const std::string& public_key() const { return key_.public_key(); }
  /// What it signed last for a store. Throws SignRefused where the id is none, or its own state is damaged: it then does not begin
  /// anew.
  std::optional<SignedHead> last(const std::string& store) const;
  /// Throws SignRefused where `from` is not the head that was signed last.
  Descent descend(const std::string& store, const ChainPlace& from) const;
  /// The head at the end of the way; the same signature again where the way is empty. Throws SignRefused, std::system_error where
  /// it can't be kept: then nothing is signed.
  SignedHead sign(const Descent& descent);

 private:
  std::filesystem::path file_of(const std::string& store) const;

  SigningKey key_;
  std::filesystem::path state_;
  std::function<std::int64_t()> utc_s_;
  std::optional<KeyHandover> handed_over_;
};

/// Keeps in the signer's folder that `next` takes the place of `former`; signatures by `next` then say so. Throws
/// std::system_error.
void keep_handover(const std::filesystem::path& state, const SigningKey& former, const std::string& next,
                   const std::string& utc);

}  // namespace datum
