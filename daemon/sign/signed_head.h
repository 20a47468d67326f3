// SignedHead: a statement, signed with Ed25519, that the chain of a store had this entry with this hash. A copy elsewhere
// reveals every later change before that entry. The text consists of lines. The signature covers all lines before its
// own. The first line gives kind and version, so that a signature is valid for this kind of statement only:
//
//   datumd signed head 1
//   store 7f3c0123456789ab
//   number 17                         counted from 1 for each store; the signer gives none twice
//   link 1042 <SHA-256>               the newest entry of the chain, and its hash
//   after 1020 <SHA-256>              the head that was signed before; "after 0 -": none was
//   utc 2026-11-23T02:30:00Z          by the signer's clock
//   key <public key>                  Ed25519, 64 hex digits
//   handed_over <former key> <utc> <signature by the former key>      only where the key replaced another
//   signature <128 hex digits>
//
// The former key signs "datumd signing key 1\nkey <public key>\nformer <former key>\nutc <utc>\n".
#pragma once

#include <cstdint>
#include <optional>
#include <stdexcept>
#include <string>

#include "daemon/sign/ed25519.h"
#include "daemon/sign/entry_hash.h"

namespace datum {

/// Statement of a former key that another key replaces it.
struct KeyHandover {
  std::string former, utc, signature;
};
/// True: the former key signed that `key` replaces it.
bool is_good(const KeyHandover& handover, const std::string& key);
KeyHandover hand_over(const SigningKey& former, const std::string& key, const std::string& utc);

struct SignedHead {
  std::string store;  // id, 16 hex digits
  std::uint64_t number = 0;
  ChainPlace head, after;  // after.link 0: no earlier signature
  std::string utc, key;
  std::optional<KeyHandover> handed_over;
  std::string signature;
};

/// The text is not a signed head; what() gives the line and the fault.
class SignedHeadError : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

inline constexpr std::size_t most_signed_head_bytes = 2048;

std::string text_of(const SignedHead& head);
/// Parses exactly the text of text_of(): one spelling per value. It does not check the signature. Throws SignedHeadError.
SignedHead signed_head_of(const std::string& text);

/// Sets key and signature.
void sign(SignedHead& head, const SigningKey& key);
/// True: the signature is valid for its key.
bool is_good(const SignedHead& head);
/// "signature 17 of 2026-11-23T02:30:00Z", for messages.
std::string name_of(const SignedHead& head);

}  // namespace datum
