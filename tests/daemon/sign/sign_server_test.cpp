// The signer's socket: faulty clients, and the program itself.
#include "daemon/sign/sign_server.h"

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <signal.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cstring>
#include <fstream>
#include <thread>

#include "daemon/sign/sign_stream.h"
#include "tests/daemon/sign/key_files.h"

namespace datum {
namespace sign_server_test {
namespace {

namespace fs = std::filesystem;
using namespace std::chrono_literals;
using testing::FreshFolder;
using ::testing::HasSubstr;
using testing::new_key;

const std::string store = "00000000000000aa", zeros(64, '0');

/// A signer behind a socket pair.
struct SignServer : ::testing::Test {
  SignServer() {
    fs::create_directory(folder / "state");
    signer = std::make_unique<HeadSigner>(SigningKey::from_file(new_key(folder)), folder / "state",
                                          [] { return std::int64_t{1'795'400'000}; });
  }
  /// The answers to all bytes of a client before its hang-up.
  std::string answers(const std::string& said, std::chrono::milliseconds timeout = 5s) {
    int ends[2];
    EXPECT_EQ(::socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends), 0);
    std::thread server([&] {
      answer_client(ends[1], *signer, {timeout, [this](const std::string& text) { log += text + '\n'; }});
    });
    std::size_t sent = 0;
    while (sent < said.size()) {
      const ssize_t n = ::send(ends[0], said.data() + sent, said.size() - sent, MSG_NOSIGNAL);
      if (n <= 0) break;
      sent += static_cast<std::size_t>(n);
    }
    if (timeout > 1s) ::shutdown(ends[0], SHUT_WR);
    std::string text;
    char bytes[4096];
    for (ssize_t n = 0; (n = ::recv(ends[0], bytes, sizeof bytes, 0)) > 0;)
      text.append(bytes, static_cast<std::size_t>(n));
    server.join();
    ::close(ends[0]);
    return text;
  }

  FreshFolder folder;
  std::unique_ptr<HeadSigner> signer;
  std::string log;
};

TEST_F(SignServer, SignsAndTellsWhatItSignedLast) {
  EXPECT_EQ(answers("LAST " + store + "\n"), "NONE\n");
  EXPECT_THAT(answers("SIGN " + store + " 10 " + zeros + "\n0\n"), HasSubstr("SIGNED "));
  const std::string big(200'000, 'x');
  const std::string two =
      answers(fmt::format("SIGN {} 10 {}\n{}\n{}1\ny0\nLAST {}\n", store, zeros, big.size(), big, store));
  const ChainPlace one{11, EntryHash(zeros).add(big).hex()};
  EXPECT_THAT(two, HasSubstr("\nlink 12 " + EntryHash(one.sha256).add("y").hex() + "\nafter 10 " + zeros));
  EXPECT_THAT(two, HasSubstr("HEAD "));
}

TEST_F(SignServer, TellsAClientThatStillSendsWhyItRefuses) {
  answers("SIGN " + store + " 10 " + zeros + "\n0\n");
  const std::string big(2'000'000, 'x');
  EXPECT_THAT(answers(fmt::format("SIGN {} 9 {}\n{}\n{}0\n", store, zeros, big.size(), big)),
              HasSubstr("REFUSED signature 1 of 2026-11-23T02:13:20Z is of link 10"));
  EXPECT_THAT(answers("SIGN " + store + " 10 " + zeros.substr(1) + "\n0\n"),
              HasSubstr("REFUSED a link's hash"));
  EXPECT_THAT(answers("LAST ../key.pem\n"), HasSubstr("REFUSED a store's id has 16 hex digits"));
}

/// It once signed the head of an empty chain, could not read it, and refused that store from then on.
TEST_F(SignServer, SignsNothingThatIsNoHead) {
  EXPECT_THAT(answers("SIGN " + store + " 0 " + zeros + "\n0\n"), HasSubstr("REFUSED links count from 1"));
  EXPECT_EQ(answers("LAST " + store + "\n"), "NONE\n") << "and nothing of it is kept";
  EXPECT_THAT(answers("SIGN " + store + " 0 " + zeros + "\n1\nx0\n"), HasSubstr("SIGNED "));
}

TEST_F(SignServer, HangsUpOnWhoSpeaksSomethingElse) {
  for (const std::string& said :
       {std::string("GET / HTTP/1.0\r\n\r\n"), std::string(4000, 'x'), std::string("\n"),
        "SIGN " + store + "\n", "SIGN " + store + " 1e3 " + zeros + "\n0\n",
        "SIGN " + store + " 10 " + zeros + "\n-1\n",
        "SIGN " + store + " 10 " + zeros + "\n99999999999999999999\n",
        "SIGN " + store + " 10 " + zeros + "\n1073741825\n"}) {
    log.clear();
    EXPECT_EQ(answers(said), "") << said;
    EXPECT_THAT(log, HasSubstr("a client: ")) << said;
  }
  EXPECT_EQ(answers("SIGN " + store + " 10 " + zeros + "\n5\nab"), "") << "gone in the middle";
  EXPECT_FALSE(signer->last(store)) << "nothing of it was signed";
}

TEST_F(SignServer, DoesNotWaitForASilentClient) {
  EXPECT_EQ(answers("LAST ", 50ms), "");
  EXPECT_THAT(log, HasSubstr("no answer in time"));
}

/// The program as started by its unit, without the credential.
TEST_F(SignServer, TheProgramServesOverItsSocket) {
  const fs::path socket = folder / "sign.sock";
  const pid_t child = ::fork();
  if (child == 0) {
    ::execl(DATUMD_SIGN, DATUMD_SIGN, "--key", (folder / "key.pem").c_str(), "--state",
            (folder / "state").c_str(), "--socket", socket.c_str(), nullptr);
    ::_exit(127);
  }
  sockaddr_un at{};
  at.sun_family = AF_UNIX;
  std::strcpy(at.sun_path, socket.c_str());
  int fd = ::socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
  int tries = 0;
  while (::connect(fd, reinterpret_cast<const sockaddr*>(&at), sizeof at) != 0 && ++tries < 2000)
    ::usleep(5000);
  ASSERT_LT(tries, 2000);
  struct stat is {};
  ASSERT_EQ(::stat(socket.c_str(), &is), 0);
  EXPECT_EQ(is.st_mode & 0777u, 0660u);
  {
    SignStream stream(fd, 20s);
    stream.send("SIGN " + store + " 10 " + zeros + "\n0\n");
    EXPECT_THAT(stream.line(), HasSubstr("SIGNED "));
  }
  ::kill(child, SIGKILL);
  int status = 0;
  ::waitpid(child, &status, 0);
  EXPECT_TRUE(signer->last(store)) << "kept before it was said";
}

TEST_F(SignServer, TheProgramPrintsItsPublicKeyAndHandsOver) {
  const fs::path next = new_key(folder, "next.pem");
  const std::string program = std::string(DATUMD_SIGN) + " --state '" + (folder / "state").string() +
                              "' --key '" + (folder / "key.pem").string() + "'";
  ASSERT_EQ(std::system((program + " --public-key > '" + (folder / "key.pub").string() + "'").c_str()), 0);
  EXPECT_EQ(public_key_of(folder / "key.pub"), signer->public_key());
  EXPECT_EQ(std::system((program + " --hand-over '" + next.string() + "' > /dev/null").c_str()), 0);
  EXPECT_TRUE(fs::exists(folder / "state" / "handed_over"));
  const int status =
      std::system((std::string(DATUMD_SIGN) + " --key /missing --state / 2>/dev/null").c_str());
  EXPECT_EQ(WEXITSTATUS(status), 78);
}

}  // namespace
}  // namespace sign_server_test
}  // namespace datum
