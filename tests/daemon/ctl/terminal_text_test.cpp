// Output of datumctl on an operator's terminal.
#include "daemon/ctl/terminal_text.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/wait.h>

#include <thread>

#include "drivers/port/tcp_listener.h"
#include "tests/drivers/port/pty_pair.h"

namespace datum {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;

std::string shown(std::string_view bytes) {
  TerminalText text;
  std::string out = text.pass(bytes);
  return out + text.end();
}

TEST(TerminalText, ControlCharactersAreShownAndNotObeyed) {
  EXPECT_EQ(shown("a\tb\n"), "a\tb\n");
  EXPECT_EQ(shown("\x1b]0;owned\x07"), "\\x1b]0;owned\\x07");
  EXPECT_EQ(shown("\x1b[2J\r\b\x7f"), "\\x1b[2J\\x0d\\x08\\x7f");
  EXPECT_EQ(shown("\x1b[8mhidden"), "\\x1b[8mhidden");
  EXPECT_EQ(shown("\xc2\x9b"
                  "2J"),
            "\\xc2\\x9b2J")
      << "CSI as one character";
  EXPECT_EQ(shown("\x9b"
                  "2J"),
            "\\x9b2J")
      << "and as one byte";
  EXPECT_EQ(shown("FAIL \xe2\x80\xaeSSAP"), "FAIL \\xe2\\x80\\xaeSSAP") << "right to left";
  EXPECT_EQ(shown("\xc0\x9b\xed\xa0\x80\xf5\x80\x80\x80"), "\\xc0\\x9b\\xed\\xa0\\x80\\xf5\\x80\\x80\\x80");
}

TEST(TerminalText, WordsAndTheColoursOfTablesPass) {
  const std::string text =
      "Stra\xc3\x9f"
      "e \xce\xbcm \xe2\x88\x9e \xf0\x9f\x93\x90";
  EXPECT_EQ(shown(text), text);
  EXPECT_EQ(shown("\x1b[1;31mFAIL\x1b[0m"), "\x1b[1;31mFAIL\x1b[0m");
}

TEST(TerminalText, WhatComesInPiecesIsTheSame) {
  const std::string text = "\x1b[32mPASS\x1b[0m \xe2\x88\x9e\x1b[3\xc2";
  TerminalText pieces;
  std::string out;
  for (const char c : text) out += pieces.pass({&c, 1});
  EXPECT_EQ(out + pieces.end(), shown(text));
  EXPECT_THAT(out, HasSubstr("\x1b[32mPASS\x1b[0m \xe2\x88\x9e\\x1b[3"));
}

/// Answers every message with unrelated text.
class HostileDaemon {
 public:
  HostileDaemon()
      : listener_("127.0.0.1", 0, [this](std::unique_ptr<Port> port, const std::string&, MonotonicNs) {
          host_ = std::move(port);
        }) {}
  std::uint16_t port() const { return listener_.port(); }
  void serve() {
    if (!testing::wait_readable(listener_.fd())) return;
    listener_.on_ready(0);
    std::string heard;
    while (host_ && heard.find("ALL?\n") == std::string::npos && testing::wait_readable(host_->fd())) {
      std::uint8_t bytes[512];
      heard.append(reinterpret_cast<const char*>(bytes), host_->read(bytes, sizeof bytes));
    }
    const std::string answer = "\x1b]0;owned\x07\x1b[2Jtwo\n\"datumctl 1\";0,\"No error\"\n";
    if (host_) host_->write(reinterpret_cast<const std::uint8_t*>(answer.data()), answer.size());
  }

 private:
  std::unique_ptr<Port> host_;
  TcpListener listener_;
};

TEST(TerminalText, AHostileDaemonDoesNotCommandTheTerminal) {
  HostileDaemon daemon;
  testing::PtyPair terminal;
  const std::string tcp = "127.0.0.1:" + std::to_string(daemon.port());
  const pid_t child = ::fork();
  if (child == 0) {
    const int out = ::open(terminal.path().c_str(), O_RDWR | O_NOCTTY);
    ::dup2(out, STDOUT_FILENO);
    ::dup2(out, STDERR_FILENO);
    ::execl(DATUMCTL, "datumctl", "send", "*IDN?", "--tcp", tcp.c_str(), nullptr);
    ::_exit(127);
  }
  daemon.serve();
  const std::string seen = terminal.receive(std::string("\\x1b]0;owned\\x07\\x1b[2Jtwo\r\n").size());
  int status = 0;
  ::waitpid(child, &status, 0);
  EXPECT_EQ(WEXITSTATUS(status), 0);
  EXPECT_THAT(seen, Not(HasSubstr("\x1b")));
  EXPECT_EQ(seen, "\\x1b]0;owned\\x07\\x1b[2Jtwo\r\n");
}

}  // namespace
}  // namespace datum
