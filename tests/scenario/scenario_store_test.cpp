// A result store restored from a copy while hosts are ahead: no duplicates, no losses, and every host is informed. With
// the real daemon, datumctl, a lossless host and a PLC.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <csignal>

#include "tests/daemon/scpi/lossless_host.h"
#include "tests/scenario/scenario_cell.h"

namespace datum::scenario {
namespace {

namespace fs = std::filesystem;
using datum::testing::LosslessHost;
using ::testing::ElementsAre;
using ::testing::HasSubstr;

/// A lossless host that reconnects after every restart with its position.
class Taker {
 public:
  void connect(int port) {
    if (fd_ >= 0) ::close(fd_);
    fd_ = connect_tcp(port);
    host_.link_lost(now());
  }
  ~Taker() { ::close(fd_); }

  /// Runs until it has this number of results in total.
  const std::vector<ResultLine>& take(std::size_t results) {
    const Deadline deadline = timeout();
    while (host_.results.size() < results) {
      talk();
      if (std::chrono::steady_clock::now() > deadline) throw std::runtime_error("no more results came");
    }
    talk();  // sends the acknowledgement
    return host_.results;
  }
  const LosslessHost& host() const { return host_; }

 private:
  static MonotonicNs now() { return std::chrono::steady_clock::now().time_since_epoch().count(); }
  void talk() {
    host_.tick(now());
    std::string& out = host_.to_daemon;
    if (!out.empty() && ::write(fd_, out.data(), out.size()) == static_cast<ssize_t>(out.size())) out.clear();
    readable({fd_}, std::chrono::steady_clock::now() + std::chrono::milliseconds(20));
    char bytes[4096];
    const ssize_t n = ::read(fd_, bytes, sizeof bytes);
    if (n > 0) host_.receive({bytes, static_cast<std::size_t>(n)}, now());
  }

  LosslessHost host_{LineCheck::crc16};
  int fd_ = -1;
};

std::vector<std::uint64_t> sequences(const std::vector<ResultLine>& results) {
  std::vector<std::uint64_t> all;
  for (const ResultLine& r : results) all.push_back(r.sequence);
  return all;
}

CellOptions quiet(const std::string& more = "") {
  CellOptions o;
  o.push_results = false;
  o.more = more;
  return o;
}

struct PutBack {
  explicit PutBack(const CellOptions& options) : cell(options) { start(); }

  void start() {
    cell.start();
    taker.connect(cell.tcp_port());
  }
  Outcome ctl(const std::vector<std::string>& words) const {
    std::vector<std::string> all{"datumctl"};
    all.insert(all.end(), words.begin(), words.end());
    all.insert(all.end(), {"--config", "datumd.toml"});
    return run(all, cell.path());
  }
  /// Measures boards up to this total; the host then has them.
  const std::vector<ResultLine>& measure(int boards) {
    const std::size_t wanted = taker.host().results.size() + static_cast<std::size_t>(boards);
    for (int k = 0; k < boards; ++k, ++frames)
      cell.deliver("f" + std::to_string(frames),
                   frame_of_box(good_height_um, static_cast<std::uint32_t>(frames)));
    return taker.take(wanted);
  }
  void kill() {
    cell.daemon().signal(SIGKILL);
    cell.daemon().wait();
  }
  void end() {
    cell.daemon().signal(SIGTERM);
    cell.daemon().wait();
  }
  void copy(const std::string& from, const std::string& to) const {
    fs::copy_file(cell.path() / from, cell.path() / to, fs::copy_options::overwrite_existing);
  }

  Cell cell;
  Taker taker;
  int frames = 1;
};

TEST(ScenarioStore, ABackupThatIsPutBackLosesNoHostsResults) {
  PutBack p(quiet());
  const std::string id = p.measure(3).front().store_id;
  const Outcome backup = p.ctl({"backup", "copy.db"});
  ASSERT_EQ(backup.status, 0) << backup.output;
  EXPECT_THAT(backup.output, HasSubstr("3 results, 1 to 3"));
  p.measure(3);
  EXPECT_EQ(p.ctl({"restore", "copy.db"}).status, 5) << "datumd runs";
  p.kill();
  const Outcome restore = p.ctl({"restore", "copy.db"});
  ASSERT_EQ(restore.status, 0) << restore.output;
  EXPECT_THAT(restore.output, HasSubstr("the store that was there: "));

  p.start();
  const auto& results = p.measure(2);
  EXPECT_THAT(sequences(results), ElementsAre(1, 2, 3, 4, 5, 6, 7, 8));
  EXPECT_EQ(results[5].store_id, id);
  const std::string now = results[6].store_id;
  EXPECT_NE(now, id);
  EXPECT_THAT(p.taker.host().gaps, ElementsAre(std::pair<std::uint64_t, std::uint64_t>(1, 6)));
  const std::string alarm =
      "store " + id + " goes on as " + now + " behind result 3, next number 7: it was put back";
  EXPECT_THAT(p.cell.daemon().output(), HasSubstr(alarm));
  const auto host = p.cell.connect();
  EXPECT_EQ(host->ask("DATA:STOR?"), '"' + now + '"');
  EXPECT_EQ(host->ask("DATA:STOR:FORM?"), '"' + id + "\",3,6");
  EXPECT_EQ(host->ask("DATA:COUN?"), "5");
  const Outcome whole = p.ctl({"verify", "results"});
  EXPECT_EQ(whole.status, 0) << whole.output;
  EXPECT_THAT(whole.output, HasSubstr(alarm));
  EXPECT_THAT(whole.output, HasSubstr("the mark beside it agrees, up to result 8"));
}

/// A manual copy of the file only.
TEST(ScenarioStore, AFileThatIsPutBackByHandIsNoticed) {
  PutBack p(quiet());
  p.measure(2);
  p.end();
  p.copy("results.db", "kept.db");
  p.start();
  p.measure(2);
  p.end();
  p.copy("kept.db", "results.db");
  EXPECT_EQ(p.ctl({"verify", "results"}).status, 1) << "before datumd starts";
  p.start();
  EXPECT_THAT(sequences(p.measure(1)), ElementsAre(1, 2, 3, 4, 5));
  EXPECT_THAT(p.cell.daemon().output(), HasSubstr("results up to 4 were announced, it ends with 2"));
  EXPECT_EQ(p.ctl({"verify", "results"}).status, 0);
  // once is enough
  p.end();
  p.start();
  EXPECT_THAT(p.cell.daemon().output(), ::testing::Not(HasSubstr("goes on as")));
  EXPECT_THAT(sequences(p.measure(1)), ElementsAre(1, 2, 3, 4, 5, 6));
}

/// Store and mark are restored into their own inodes: only the host knows.
TEST(ScenarioStore, AHostThatIsAheadShowsAFolderThatWasPutBack) {
  PutBack p(quiet());
  p.measure(2);
  p.end();
  for (const std::string name : {"results.db", "results.db.mark"}) p.copy(name, "kept-" + name);
  p.start();
  p.measure(2);
  p.end();
  for (const std::string name : {"results.db", "results.db.mark"}) p.copy("kept-" + name, name);
  p.start();
  const auto& results = p.measure(0);
  while (p.cell.daemon().output().find("goes on as") == std::string::npos) p.taker.take(0);
  EXPECT_THAT(p.cell.daemon().output(), HasSubstr("has results up to 4, it ends with 2"));
  EXPECT_THAT(sequences(p.measure(2)), ElementsAre(1, 2, 3, 4, 5, 6));
  EXPECT_NE(results[4].store_id, results[3].store_id);
  EXPECT_EQ(p.ctl({"verify", "results"}).status, 0);
}

}  // namespace
}  // namespace datum::scenario
