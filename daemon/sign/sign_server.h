// The signer's end of the socket (sign_stream.h): one client after the other, each within its time.
#pragma once

#include <chrono>
#include <functional>
#include <string>

#include "daemon/sign/head_signer.h"

namespace datum {

struct SignServerSettings {
  std::chrono::milliseconds timeout{60'000};  // for all that one client wants
  std::function<void(const std::string&)> log{};
};

/// Answers a client until it hangs up; `socket` is closed then. Throws nothing for what a client does.
void answer_client(int socket, HeadSigner& signer, const SignServerSettings& settings);

/// A Unix socket at `path` that only this account and its group reach; one that lies there is replaced. Throws std::system_error.
int listen_for_clients(const std::filesystem::path& path);

/// Answers clients for ever.
[[noreturn]] void serve_clients(int listening, HeadSigner& signer, const SignServerSettings& settings);

}  // namespace datum
