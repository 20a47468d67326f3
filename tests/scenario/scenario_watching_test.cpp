// Monitoring of the daemon: its metrics, its journal entries, its support bundle.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>
#include <zip.h>

#include <csignal>
#include <cstdlib>
#include <map>
#include <regex>

#include "tests/daemon/metrics/exposition_grammar.h"
#include "tests/scenario/scenario_cell.h"

namespace datum::scenario {
namespace {

using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Not;

std::string get_metrics(const std::filesystem::path& path, const std::string& request) {
  const int fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
  sockaddr_un to{};
  to.sun_family = AF_UNIX;
  path.string().copy(to.sun_path, sizeof to.sun_path - 1);
  std::string text;
  if (connect(fd, reinterpret_cast<sockaddr*>(&to), sizeof to) == 0 &&
      send(fd, request.data(), request.size(), MSG_NOSIGNAL) > 0) {
    char bytes[65536];
    const Deadline deadline = timeout();
    for (ssize_t n = 1; n > 0 && readable({fd}, deadline);) {
      n = recv(fd, bytes, sizeof bytes, 0);
      text.append(bytes, n > 0 ? static_cast<std::size_t>(n) : 0);
    }
  }
  close(fd);
  const auto head = text.find("\r\n\r\n");
  return head == std::string::npos ? "no answer: " + text : text.substr(head + 4);
}

const std::string get = "GET /metrics HTTP/1.1\r\nHost: x\r\n\r\n";

CellOptions with_metrics() {
  CellOptions options;
  options.more = "[metrics]\nsocket = \"m.sock\"\n[retention]\nreserve_mib = 32\nresults_count = 9\n";
  return options;
}

TEST(ScenarioWatching, MetricsTellOfBoardsHostsAndLinks) {
  Cell cell(with_metrics());
  cell.start();
  const auto host = cell.connect();
  cell.deliver("a", frame_of_box(good_height_um, 1));
  host->result();
  cell.deliver("b", frame_of_box(bad_height_um, 2));
  host->result();
  host->ask("*IDN?");
  host->command("NO:SUCH:COMMAND");
  const auto m = testing::parse_metrics(get_metrics(cell.path() / "m.sock", get), false);
  EXPECT_THAT(m.wrong, IsEmpty());
  EXPECT_EQ(m.value("datumd_boards_total", "decision=\"PASS\",reason=\"NONE\""), 1);
  EXPECT_EQ(m.value("datumd_boards_total", "decision=\"FAIL\",reason=\"NONE\""), 1);
  EXPECT_EQ(m.value("datumd_frames_total", "outcome=\"taken\""), 2);
  EXPECT_EQ(m.value("datumd_store_last_sequence"), 2);
  EXPECT_EQ(m.value("datumd_store_results"), 2);
  EXPECT_GT(*m.value("datumd_store_oldest_timestamp_seconds"), 1.7e9);
  EXPECT_EQ(m.value("datumd_reserve_bytes"), 32 << 20);
  EXPECT_EQ(m.value("datumd_room_short"), 0);
  EXPECT_EQ(m.value("datumd_retention_slice_duration_seconds_count"), 1) << "it looked at its start";
  EXPECT_LT(*m.value("datumd_retention_age_seconds"), 600);
  EXPECT_EQ(m.value("datumd_results_removed_total"), 0);
  EXPECT_EQ(m.value("datumd_results_announced_total", "link=\"host.tcp\""), 2);
  EXPECT_EQ(m.value("datumd_frame_to_verdict_seconds_count"), 2);
  EXPECT_GT(*m.value("datumd_frame_to_verdict_seconds_sum"), 0);
  EXPECT_GE(*m.value("datumd_commands_total", "link=\"host.tcp\",outcome=\"done\""), 2);
  EXPECT_EQ(m.value("datumd_commands_total", "link=\"host.tcp\",outcome=\"refused\""), 1);
  EXPECT_EQ(m.value("datumd_armed"), 1);
  EXPECT_EQ(m.value("datumd_state", "state=\"ARMED\""), 1);
  EXPECT_EQ(m.value("datumd_link_up", "link=\"host.tcp\",kind=\"scpi\""), 1);
  EXPECT_EQ(m.value("datumd_events_total", "event=\"verdict\""), 2);
  EXPECT_EQ(m.value("datumd_events_total", "event=\"ready\""), 1);
  const auto open = testing::parse_metrics(
      get_metrics(cell.path() / "m.sock",
                  "GET /metrics HTTP/1.1\r\nAccept: application/openmetrics-text\r\n\r\n"),
      true);
  EXPECT_THAT(open.wrong, IsEmpty());
}

// Scrapers that never end a request, never read, or come in crowds: every board is measured and announced.
TEST(ScenarioWatching, HostileScrapersHoldNoBoardUp) {
  Cell cell(with_metrics());
  Program& datumd = cell.start();
  const auto host = cell.connect();
  std::vector<int> crowd;
  for (int i = 0; i < 30; ++i) {
    crowd.push_back(socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0));
    sockaddr_un to{};
    to.sun_family = AF_UNIX;
    (cell.path() / "m.sock").string().copy(to.sun_path, sizeof to.sun_path - 1);
    if (connect(crowd.back(), reinterpret_cast<sockaddr*>(&to), sizeof to) == 0)
      send(crowd.back(), get.data(), i % 2 == 0 ? get.size() : 5, MSG_NOSIGNAL);
  }
  for (int n = 1; n <= 3; ++n) {
    cell.deliver("f" + std::to_string(n), frame_of_box(good_height_um, static_cast<std::uint32_t>(n)));
    EXPECT_EQ(host->result().decision, "PASS");
  }
  EXPECT_FALSE(datumd.has_ended());
  for (const int fd : crowd) close(fd);
}

/// datumd in a mount namespace of its own: the journal's socket is the test's, and standard error counts as the
/// journal's.
const char* const in_its_own_run = R"(#!/bin/sh
exec unshare -rm sh -c '
  mount -t tmpfs none /run && mkdir -p /run/systemd/journal && touch /run/systemd/journal/socket &&
  mount --bind FOLDER/journal /run/systemd/journal/socket || exit 99
  export JOURNAL_STREAM=$(stat -L -c %d:%i /proc/self/fd/2)
  exec DATUM_BIN/datumd "$@"' sh "$@"
)";

TEST(ScenarioWatching, TheJournalGetsFieldsToSearchFor) {
  if (std::system("unshare -rm sh -c 'mount -t tmpfs none /run' >/dev/null 2>&1") != 0)
    GTEST_SKIP() << "no mount name space may be made here";
  const datum::testing::FreshFolder outside;
  std::string script = in_its_own_run;
  script.replace(script.find("FOLDER"), 6, outside.path().string());
  script.replace(script.find("DATUM_BIN"), 9, DATUM_BIN);
  CellOptions options;
  options.daemon = outside.write("datumd", script).string();
  std::filesystem::permissions(options.daemon, std::filesystem::perms::owner_all);
  Notify journal(outside / "journal");
  Cell cell(options);
  Program& datumd = cell.launch();
  const std::string listening = journal.await("MESSAGE=commands, tcp", datumd);
  ASSERT_FALSE(listening.empty()) << datumd.output();
  const std::string ready = journal.await("MESSAGE=ready", datumd);
  EXPECT_THAT(ready, HasSubstr("\nMESSAGE_ID=7cae13d7f1754a548bf4cc9c7bef8200\n"));
  EXPECT_THAT(ready, HasSubstr("\nDATUM_CELL=scenario\n"));
  EXPECT_THAT(ready, HasSubstr("\nPRIORITY=6\n"));
  EXPECT_THAT(ready, HasSubstr("\nSYSLOG_IDENTIFIER=datumd\n"));
  std::smatch port;
  ASSERT_TRUE(std::regex_search(listening, port, std::regex("127\\.0\\.0\\.1:(\\d+)"))) << listening;
  Host host(connect_tcp(std::stoi(port[1])));
  cell.deliver("bad", frame_of_box(bad_height_um, 1));
  host.result();
  const std::string verdict = journal.await("MESSAGE=board 1: FAIL", datumd);
  for (const char* field : {"\nDATUM_EVENT=verdict\n", "\nDATUM_SEQUENCE=1\n", "\nDATUM_DECISION=FAIL\n",
                            "\nDATUM_RECIPE=box\n", "\nDATUM_FRAME=bad\n", "\nDATUM_COMPONENT="})
    EXPECT_THAT(verdict, HasSubstr(field));
  host.command("ABOR");
  EXPECT_THAT(journal.await("MESSAGE=disarmed", datumd), HasSubstr("\nDATUM_REASON=a host aborted it\n"));
  EXPECT_THAT(host.ask("SYST:STAT?"), HasSubstr("a host aborted it"));
  EXPECT_THAT(datumd.output(), Not(HasSubstr("board 1"))) << "nothing twice";
}

TEST(ScenarioWatching, ASupportBundleIsMadeAlsoOfADaemonThatIsDown) {
  CellOptions options = with_metrics();
  options.more += "[host.gocator]\nport = 0\nallow = [\"192.168.77.5\", \"127.0.0.1\"]\n";
  Cell cell(options);
  Program& datumd = cell.start();
  const auto host = cell.connect();
  host->command("CONF:UNIT 'SN-4711'");
  cell.deliver("sn-4711_top", frame_of_box(good_height_um, 1));
  host->result();
  const auto bundle_of = [&](const std::string& name) {
    const Outcome made = run({"datumctl", "support", "--config", "datumd.toml", "--output", name, "--tcp",
                              "127.0.0.1:" + std::to_string(cell.tcp_port())},
                             cell.path());
    EXPECT_EQ(made.status, 0) << made.output;
    std::map<std::string, std::string> files;
    zip_t* zip = zip_open((cell.path() / name).c_str(), ZIP_RDONLY, nullptr);
    for (zip_int64_t i = 0; zip && i < zip_get_num_entries(zip, 0); ++i) {
      zip_stat_t s{};
      zip_stat_index(zip, static_cast<zip_uint64_t>(i), 0, &s);
      std::string text(s.size, '\0');
      zip_file_t* file = zip_fopen_index(zip, static_cast<zip_uint64_t>(i), 0);
      zip_fread(file, text.data(), text.size());
      zip_fclose(file);
      files[s.name] = text;
    }
    if (zip) zip_discard(zip);
    return files;
  };
  auto up = bundle_of("up.zip");
  for (const char* name :
       {"MANIFEST.txt", "config/datumd.toml", "config/check.txt", "config/sensor.toml", "recipes/box.toml",
        "results.jsonl", "status.txt", "doctor.txt", "metrics.txt", "version.txt", "system/meminfo.txt"})
    EXPECT_FALSE(up[name].empty()) << name;
  EXPECT_THAT(up["metrics.txt"], HasSubstr("datumd_boards_total{decision=\"PASS\""));
  EXPECT_THAT(up["status.txt"], HasSubstr("ARMED"));
  for (const auto& [name, text] : up) {
    EXPECT_THAT(text, Not(HasSubstr("192.168.77.5"))) << name;
    EXPECT_THAT(text, Not(HasSubstr("SN-4711"))) << name;
    EXPECT_THAT(text, Not(HasSubstr("sn-4711"))) << name << " has it in the frame's name";
  }
  EXPECT_THAT(up["config/datumd.toml"], HasSubstr("\"address-"));
  EXPECT_THAT(up["results.jsonl"], HasSubstr("\"unit-1\""));
  datumd.signal(SIGTERM);
  datumd.wait();
  auto down = bundle_of("down.zip");
  EXPECT_THAT(down["MANIFEST.txt"], HasSubstr("status.txt\n           left out: "));
  EXPECT_FALSE(down["results.jsonl"].empty());
  EXPECT_FALSE(down["doctor.txt"].empty());
}

}  // namespace
}  // namespace datum::scenario
