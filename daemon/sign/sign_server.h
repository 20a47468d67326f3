// The signer's end of the socket (sign_stream.h): serves one client at a time, each with a timeout.
#pragma once

#include <chrono>
#include <functional>
#include <string>

#include "daemon/sign/head_signer.h"

namespace datum {

struct SignServerSettings {
  std::chrono::milliseconds timeout{60'000};  // per client
  std::function<void(const std::string&)> log{};
};

/// Serves a client until it hangs up, then closes `socket`. Throws nothing for faults of a client.
void answer_client(int socket, HeadSigner& signer, const SignServerSettings& settings);

/// A Unix socket at `path` for this account and its group; replaces an existing one. Throws std::system_error.
int listen_for_clients(const std::filesystem::path& path);

/// Answers clients for ever.
[[noreturn]] void serve_clients(int listening, HeadSigner& signer, const SignServerSettings& settings);

}  // namespace datum
