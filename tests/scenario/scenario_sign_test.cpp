// Signed results with the real programs: a host's copy reveals changes; a hung or absent signer delays no board.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sqlite3.h>

#include <csignal>
#include <fstream>

#include "tests/scenario/scenario_cell.h"

namespace datum::scenario {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;
using ::testing::StartsWith;

struct SignedCell {
  explicit SignedCell(const std::string& keys = "") : cell(options(keys)) {
    std::filesystem::create_directory(cell.path() / "signer");
    EXPECT_EQ(
        shell(
            "umask 077; openssl genpkey -algorithm ed25519 -out key.pem && openssl pkey -in key.pem -pubout "
            "-out key.pub"),
        0);
    start_signer();
    cell.start();
  }
  static CellOptions options(const std::string& keys) {
    CellOptions o;
    o.more = "[signatures]\nsocket = \"FOLDER/sign.sock\"\nevery_results = 1\n" + keys;
    return o;
  }
  void start_signer() {
    std::filesystem::remove(cell.path() / "sign.sock");
    signer = std::make_unique<Program>(std::vector<std::string>{"datumd-sign", "--key", "key.pem", "--state",
                                                                "signer", "--socket", "sign.sock"},
                                       cell.path(), "sign" + std::to_string(++signers) + ".log");
    ASSERT_TRUE(signer->says("signs with")) << signer->output();
  }
  int shell(const std::string& line) const {
    return std::system(("cd '" + cell.path().string() + "' && " + line + " 2> shell.log").c_str());
  }
  Outcome ctl(std::vector<std::string> words) const {
    words.insert(words.begin(), "datumctl");
    return run(words, cell.path());
  }
  Outcome verify(const std::vector<std::string>& more) const {
    std::vector<std::string> words{"verify", "results", "--config", "datumd.toml"};
    words.insert(words.end(), more.begin(), more.end());
    return ctl(words);
  }
  void measure(Host& host) {
    cell.deliver("f" + std::to_string(++frames),
                 frame_of_box(good_height_um, static_cast<std::uint32_t>(frames)));
    host.result();
  }
  /// Waits until the last signed head covers this result.
  void await_signature(std::uint64_t result) const {
    const std::string upto = "results up to " + std::to_string(result);
    std::string said;
    const auto deadline = timeout();
    while (said.find(upto) == std::string::npos && std::chrono::steady_clock::now() < deadline)
      said = verify({"--public-key", "key.pub"}).output;
    EXPECT_THAT(said, HasSubstr(upto));
  }

  Cell cell;
  std::unique_ptr<Program> signer;
  int frames = 0, signers = 0;
};

TEST(ScenarioSign, AHeadThatAHostKeptShowsThatTheStoreWasRewritten) {
  SignedCell s;
  {
    const auto host = s.cell.connect();
    for (int k = 0; k < 2; ++k) s.measure(*host);
    s.await_signature(2);
    const std::string tcp = "127.0.0.1:" + std::to_string(s.cell.tcp_port());
    const Outcome head = s.ctl({"signature", "--tcp", tcp}),
                  key = s.ctl({"signature", "--key", "--tcp", tcp});
    EXPECT_THAT(head.output, StartsWith("datumd signed head 1\nstore "));
    s.cell.write("kept.head", head.output);
    EXPECT_EQ(key.output, slurp(s.cell.path() / "key.pub"));
  }
  s.cell.daemon().signal(SIGTERM);
  EXPECT_EQ(s.cell.daemon().wait(), 0);
  const Outcome good = s.verify({"--public-key", "key.pub", "--head", "kept.head"});
  EXPECT_EQ(good.status, 0) << good.output;
  EXPECT_THAT(good.output, HasSubstr("looked at: the kept signature"));
  EXPECT_THAT(s.verify({"--public-key", "shell.log"}).output,
              HasSubstr("holds no Ed25519 public key in PEM"));
  EXPECT_EQ(s.verify({"--head", "key.pub"}).status, 4);

  sqlite3* db = nullptr;
  ASSERT_EQ(sqlite3_open((s.cell.path() / "results.db").c_str(), &db), SQLITE_OK);
  EXPECT_EQ(
      sqlite3_exec(
          db,
          "DELETE FROM signed_head; DELETE FROM result WHERE sequence = 2; DELETE FROM chain WHERE link "
          "> (SELECT link FROM chain WHERE sequence = 1); UPDATE store SET last_sequence = 1",
          nullptr, nullptr, nullptr),
      SQLITE_OK);
  sqlite3_close(db);
  std::filesystem::remove(s.cell.path() / "results.db.mark");
  const Outcome cut = s.verify({"--public-key", "key.pub", "--head", "kept.head"});
  EXPECT_EQ(cut.status, 1);
  EXPECT_THAT(cut.output, HasSubstr("by the kept signature"));
  EXPECT_THAT(cut.output, HasSubstr("it was cut, or is of another store"));
}

TEST(ScenarioSign, ASignerThatHangsOrIsGoneDelaysNoBoard) {
  SignedCell s;
  const auto host = s.cell.connect();
  s.measure(*host);
  s.await_signature(1);
  s.signer->signal(SIGSTOP);
  for (int k = 0; k < 3; ++k) s.measure(*host);
  s.signer->signal(SIGKILL);
  s.signer->wait();
  ASSERT_TRUE(s.cell.daemon().says("the chain of results is not signed")) << s.cell.daemon().output();
  s.measure(*host);
  EXPECT_EQ(host->ask("DATA:COUNt?"), "5");
  EXPECT_THAT(host->ask("SYST:STAT?"), HasSubstr("ARMED"));
  s.start_signer();
  s.cell.daemon().signal(SIGTERM);  // an orderly end signs the last head
  EXPECT_EQ(s.cell.daemon().wait(), 0);
  EXPECT_THAT(s.verify({"--public-key", "key.pub"}).output,
              HasSubstr("results up to 5; not yet signed: none"))
      << s.cell.daemon().output();
}

/// Between two queued frames only the signature is requested.
TEST(ScenarioSign, ALineThatNeverRestsIsSignedMeanwhile) {
  constexpr int boards = 60;  // up to four are stored at once
  SignedCell s;
  const auto host = s.cell.connect();
  s.await_signature(0);
  for (int k = 1; k <= boards; ++k)
    s.cell.deliver("f" + std::to_string(100 + k),
                   frame_of_box(good_height_um, static_cast<std::uint32_t>(k)));
  for (int k = 0; k < boards; ++k) host->result();
  s.await_signature(boards);
  const std::string said = s.verify({"--public-key", "key.pub"}).output;
  const auto at = said.find("signed: ");
  ASSERT_NE(at, std::string::npos) << said;
  EXPECT_GE(std::stoi(said.substr(at + 8)), 3) << "the first, the last and one meanwhile\n" << said;
}

TEST(ScenarioSign, WhereSignaturesAreRequiredNoBoardIsTakenWithoutThem) {
  SignedCell s("required = true\n");
  const auto host = s.cell.connect();
  s.measure(*host);
  s.await_signature(1);
  s.signer->signal(SIGKILL);
  s.signer->wait();
  s.measure(*host);
  ASSERT_TRUE(s.cell.daemon().says("disarmed: the chain of results is not signed, and signatures.required"))
      << s.cell.daemon().output();
  while (host->ask("SYST:ERR?").rfind("0,", 0) != 0) {
  }
  EXPECT_THAT(host->command("INIT"), StartsWith("-241,"));
}

}  // namespace
}  // namespace datum::scenario
