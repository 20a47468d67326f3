// Bytes of a client to the signer until its hang-up.
#include <sys/socket.h>
#include <unistd.h>

#include "daemon/sign/sign_server.h"
#include "tests/fresh_folder.h"
#include "tests/fuzz/fuzz_target.h"

using namespace datum;

namespace {

// A fixed private key, so that earlier signatures stay valid.
constexpr const char* key_pem =
    "-----BEGIN PRIVATE KEY-----\nMC4CAQAwBQYDK2VwBCIEIAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAH\n"
    "-----END PRIVATE KEY-----\n";

struct Signer {
  datum::testing::FreshFolder folder;
  HeadSigner signer{SigningKey::from_file(key()), state(), [] { return std::int64_t{1'795'400'000}; }};

  std::filesystem::path key() const {
    const auto file = folder.write("key.pem", key_pem);
    std::filesystem::permissions(file, std::filesystem::perms::owner_read);
    return file;
  }
  std::filesystem::path state() const {
    std::filesystem::create_directories(folder / "state");
    return folder / "state";
  }
  void forget() const {
    for (const auto& file : std::filesystem::directory_iterator(state()))
      std::filesystem::remove(file.path());
  }
};

std::string said_to(int end) {
  std::string text;
  char bytes[4096];
  for (ssize_t n = 0; (n = ::recv(end, bytes, sizeof bytes, 0)) > 0;)
    text.append(bytes, static_cast<std::size_t>(n));
  return text;
}

/// A head in an answer has a valid signature of this signer.
void judge(std::string_view answers, const HeadSigner& signer) {
  while (!answers.empty()) {
    const std::size_t end = answers.find('\n');
    fuzz::expect(end != std::string_view::npos, "answers are whole lines");
    const std::string line(answers.substr(0, end));
    answers.remove_prefix(end + 1);
    if (line == "NONE" || line.rfind("REFUSED ", 0) == 0) continue;
    fuzz::expect(line.rfind("SIGNED ", 0) == 0 || line.rfind("HEAD ", 0) == 0, "an answer is one of four");
    const std::size_t size = std::stoul(line.substr(line.find(' ')));
    fuzz::expect(size <= answers.size(), "a head is whole");
    const SignedHead head = signed_head_of(std::string(answers.substr(0, size)));
    fuzz::expect(is_good(head) && head.key == signer.public_key(), "a head is signed");
    answers.remove_prefix(size);
  }
}

}  // namespace

DATUM_FUZZ_TARGET(sign_socket) {
  static Signer signer;
  int ends[2];
  if (::socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends) != 0) return;
  const ssize_t sent = ::send(ends[0], bytes.data(), bytes.size(), MSG_NOSIGNAL | MSG_DONTWAIT);
  ::shutdown(ends[0], SHUT_WR);
  answer_client(ends[1], signer.signer, {std::chrono::minutes(1), [](const std::string& text) {
                                           fuzz::expect(text.size() < 1500, "a line of the log is short");
                                         }});
  judge(said_to(ends[0]), signer.signer);
  ::close(ends[0]);
  fuzz::expect(sent == static_cast<ssize_t>(bytes.size()), "an input fits");
  signer.forget();
}
