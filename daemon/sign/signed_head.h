// SignedHead: a statement, signed with Ed25519, that the chain of results of a store had this link with this hash. Whoever keeps
// one elsewhere sees every later change of what stood before it. A text of lines; the signature covers the bytes of all lines
// before its own, which begin with what is signed and in which version, so that no signature passes for one of something else:
//
//   datumd signed head 1
//   store 7f3c0123456789ab
//   number 17                         counts from 1 for each store; the signer gives none twice
//   link 1042 <SHA-256>               the newest link of the chain, and its hash
//   after 1020 <SHA-256>              the head that was signed before; "after 0 -": none was
//   utc 2026-11-23T02:30:00Z          by the signer's clock
//   key <public key>                  Ed25519, 64 hex digits
//   handed_over <former key> <utc> <signature by the former key>      only where the key took another's place
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

/// That a key takes another's place, stated by that one.
struct KeyHandover {
  std::string former, utc, signature;
};
/// Whether the former key signed that `key` takes its place.
bool is_good(const KeyHandover& handover, const std::string& key);
KeyHandover hand_over(const SigningKey& former, const std::string& key, const std::string& utc);

struct SignedHead {
  std::string store;  // id, 16 hex digits
  std::uint64_t number = 0;
  ChainPlace head, after;  // after.link 0: none was signed before
  std::string utc, key;
  std::optional<KeyHandover> handed_over;
  std::string signature;
};

/// A text is no signed head; what() says where and what is wrong.
class SignedHeadError : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

inline constexpr std::size_t most_signed_head_bytes = 2048;

std::string text_of(const SignedHead& head);
/// Only the text that text_of makes is taken: one spelling for each. Says nothing about the signature. Throws SignedHeadError.
SignedHead signed_head_of(const std::string& text);

/// Fills in key and signature.
void sign(SignedHead& head, const SigningKey& key);
/// Whether the key that it names signed it.
bool is_good(const SignedHead& head);
/// "signature 17 of 2026-11-23T02:30:00Z", for messages.
std::string name_of(const SignedHead& head);

}  // namespace datum
