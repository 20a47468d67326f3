// A signer behind its socket, in a thread of the test.
#pragma once

#include <sys/socket.h>
#include <unistd.h>

#include <atomic>
#include <memory>
#include <thread>

#include "daemon/sign/sign_server.h"
#include "tests/daemon/sign/key_files.h"

namespace datum::testing {

class TestSigner {
 public:
  explicit TestSigner(const std::string& key = "key.pem") : key_(new_key(folder, key)) {
    std::filesystem::create_directory(state());
    begin();
  }
  ~TestSigner() { end(); }
  TestSigner(const TestSigner&) = delete;
  TestSigner& operator=(const TestSigner&) = delete;

  std::filesystem::path state() const { return folder / "state"; }
  std::filesystem::path socket() const { return folder / "sign.sock"; }
  std::string public_key() const { return SigningKey::from_file(key_).public_key(); }
  /// Ends it and starts another one with this key.
  void restart(const std::string& key) {
    end();
    if (!key.empty()) key_ = folder.path() / key;
    begin();
  }
  void end() {
    if (!thread_.joinable()) return;
    ::shutdown(listening_, SHUT_RDWR);
    thread_.join();
    ::close(listening_);
    std::filesystem::remove(socket());
  }

  FreshFolder folder;
  std::atomic<std::int64_t> utc_s = 1'795'400'000;

 private:
  void begin() {
    signer_ =
        std::make_unique<HeadSigner>(SigningKey::from_file(key_), state(), [this] { return utc_s.load(); });
    listening_ = listen_for_clients(socket());
    thread_ = std::thread([this] {
      for (int client = 0; (client = ::accept4(listening_, nullptr, nullptr, SOCK_CLOEXEC)) >= 0;)
        answer_client(client, *signer_, {});
    });
  }

  std::filesystem::path key_;
  std::unique_ptr<HeadSigner> signer_;
  int listening_ = -1;
  std::thread thread_;
};

}  // namespace datum::testing
