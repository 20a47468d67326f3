// datumd-sign: keeps the key and signs heads of the chain of results for datumd (datumd(8), SIGNATURES).
#include <fmt/format.h>
#include <systemd/sd-daemon.h>

#include <chrono>
#include <cstdio>
#include <cstdlib>

#include "config/program_options.h"
#include "config/utc_time.h"
#include "daemon/sign/sign_server.h"

namespace {

using namespace datum;

constexpr int exit_config = 78;  // EX_CONFIG (sysexits.h): systemd does not restart the service

std::int64_t utc_s() {
  return std::chrono::duration_cast<std::chrono::seconds>(std::chrono::system_clock::now().time_since_epoch())
      .count();
}

/// `name` in the folder that the service manager sets in `variable`; empty: not set.
std::string in_folder(const char* variable, const char* name) {
  const char* folder = std::getenv(variable);
  return folder ? fmt::format("{}{}", folder, name) : "";
}

struct Arguments {
  std::string key = in_folder("CREDENTIALS_DIRECTORY", "/signing-key");
  std::string state = in_folder("STATE_DIRECTORY", "");
  std::string socket, next;
  bool print = false;
};

int act(const Arguments& a) {
  if (a.key.empty())
    throw KeyError("no key: --key FILE, or the credential signing-key of datumd-sign.service");
  SigningKey key = SigningKey::from_file(a.key);
  if (a.print) {
    fmt::print("{}", pem_of(key.public_key()));
    return 0;
  }
  if (a.state.empty())
    throw std::runtime_error("no folder for what was signed: --state FOLDER, or StateDirectory=");
  if (!a.next.empty()) {
    const SigningKey next = SigningKey::from_file(a.next);
    keep_handover(a.state, key, next.public_key(), iso8601_from_utc(utc_s()));
    fmt::print("{} takes the place of {}\n", next.public_key(), key.public_key());
    return 0;
  }
  HeadSigner signer(std::move(key), a.state, utc_s);
  const int inherited = sd_listen_fds(1);
  if (a.socket.empty() && inherited != 1)
    throw std::runtime_error("no socket: --socket PATH, or datumd-sign.socket");
  const int listening = a.socket.empty() ? SD_LISTEN_FDS_START : listen_for_clients(a.socket);
  fmt::print(stderr, "datumd-sign: signs with {}\n", signer.public_key());
  sd_notify(0, "READY=1");
  serve_clients(listening, signer, {std::chrono::minutes(1), [](const std::string& text) {
                                      fmt::print(stderr, "datumd-sign: {}\n", text);
                                    }});
}

}  // namespace

int main(int argc, char** argv) try {
  ProgramOptions app{"datumd-sign: signs the heads of datumd's chain of results"};
  Arguments a;
  app.add_option("--key", a.key, "Ed25519 private key in PEM (default: the credential signing-key)");
  app.add_option("--state", a.state, "folder for what was signed last (default: $STATE_DIRECTORY)");
  app.add_option("--socket", a.socket, "listen at this path (default: the socket that systemd hands over)");
  app.add_option("--hand-over", a.next,
                 "let the former key, --key, sign that this one takes its place, then end");
  app.add_flag("--public-key", a.print, "print the public key in PEM, then end");
  if (const auto ended = app.read(argc, argv)) return *ended;
  return act(a);
} catch (const KeyError& error) {
  std::fprintf(stderr, "datumd-sign: %s\n", error.what());
  return exit_config;
} catch (const std::exception& error) {
  std::fprintf(stderr, "datumd-sign: %s\n", error.what());
  return EXIT_FAILURE;
}
