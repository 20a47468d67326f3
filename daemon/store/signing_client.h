// datumd's end of the signer's socket (daemon/sign/sign_stream.h).
#pragma once

#include <chrono>
#include <filesystem>
#include <stdexcept>
#include <vector>

#include "daemon/sign/signed_head.h"

namespace datum {

/// No signature was obtained; what() gives the cause and its possible meaning.
class SigningError : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

struct SigningRequest {
  std::filesystem::path socket, store;
  std::chrono::milliseconds timeout{10'000};  // for the whole request
  // Limits per request, for a signer that was absent for long; further requests follow.
  std::uint64_t most_links = 2000, most_bytes = std::uint64_t{64} << 20;
};

struct Signatures {
  std::vector<SignedHead>
      heads;          // with the last signed head, which the store may lack; none: nothing to sign
  bool more = false;  // entries remain that these heads do not cover
};

/// Sends the signer the entries since the last signed head, and receives its signature. Blocks: not for the loop's
/// thread. Every signature is verified, also against the store. Throws SigningError, StoreError.
Signatures ask_for_signature(const SigningRequest& request);

}  // namespace datum
