// datumd's end of the signer's socket (daemon/sign/sign_stream.h).
#pragma once

#include <chrono>
#include <filesystem>
#include <stdexcept>
#include <vector>

#include "daemon/sign/signed_head.h"

namespace datum {

/// No signature was had; what() says why, and what that may mean.
class SigningError : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

struct SigningRequest {
  std::filesystem::path socket, store;
  std::chrono::milliseconds timeout{10'000};  // for all of it
  // So many links and bytes at once, of a signer that was long away; the rest is asked for in its turn.
  std::uint64_t most_links = 2000, most_bytes = std::uint64_t{64} << 20;
};

struct Signatures {
  std::vector<SignedHead>
      heads;  // the one that was signed last before, too: the store may lack it; none: nothing to sign
  bool more = false;  // links are left that these do not cover
};

/// Shows the signer what the store gained since the head that it signed last, and takes its signature. Blocks: not for the loop's
/// thread. Every signature is checked, and against the store. Throws SigningError, StoreError.
Signatures ask_for_signature(const SigningRequest& request);

}  // namespace datum
