// Journal entries: the table of events, its catalog, the bytes of entries, and a journal that does not read.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include <array>
#include <cstdlib>
#include <fstream>
#include <map>
#include <regex>
#include <set>

#include "daemon/metrics/board_times.h"
#include "daemon/metrics/metric_table.h"
#include "daemon/system/journal.h"
#include "daemon/system/log_event.h"
#include "tests/fresh_folder.h"

namespace datum::watching_test {
namespace {

namespace fs = std::filesystem;
using ::testing::ElementsAre;

std::string slurp(const fs::path& file) {
  std::ifstream in(file);
  return {std::istreambuf_iterator<char>(in), {}};
}

const fs::path catalog = fs::path(DATUM_SOURCE_DIR) / "systemd/datumd.catalog";

/// Text of each catalog entry by its id.
std::map<std::string, std::string> entries_of(const std::string& text) {
  static const std::regex head("\n-- ([0-9a-f]{32})\n");
  std::map<std::string, std::string> entries;
  for (std::sregex_iterator i(text.begin(), text.end(), head), end; i != end; ++i) {
    const auto next = std::next(i);
    const auto from = (*i)[0].second, to = next == end ? text.end() : (*next)[0].first;
    EXPECT_TRUE(entries.try_emplace((*i)[1], std::string(from, to)).second) << "twice: " << (*i)[1];
  }
  return entries;
}

TEST(Events, EachHasAnIdOfItsOwnInItsPlace) {
  std::set<std::string> ids, names;
  for (std::size_t i = 0; i < event_kinds().size(); ++i) {
    const EventKind& kind = event_kinds()[i];
    EXPECT_EQ(static_cast<std::size_t>(kind.event), i + 1) << kind.name;
    EXPECT_EQ(kind_of(kind.event), &kind);
    EXPECT_TRUE(std::regex_match(kind.message_id, std::regex("[0-9a-f]{32}"))) << kind.name;
    EXPECT_TRUE(ids.insert(kind.message_id).second && names.insert(kind.name).second) << kind.name;
  }
  EXPECT_EQ(ids.size(), events - 1);
  EXPECT_EQ(kind_of(Event::none), nullptr);
}

// Every id has an explanation, and every field of an explanation belongs to its event.
TEST(Events, TheCatalogExplainsEachAndNoOther) {
  const auto entries = entries_of(slurp(catalog));
  EXPECT_EQ(entries.size(), event_kinds().size());
  static const std::regex field("@([A-Z_]+)@");
  for (const EventKind& kind : event_kinds()) {
    ASSERT_TRUE(entries.count(kind.message_id)) << kind.name;
    const std::string& text = entries.at(kind.message_id);
    EXPECT_EQ(text.rfind("Subject: ", 0), 0u) << kind.name;
    EXPECT_NE(text.find("\nDefined-By: datumd\n"), std::string::npos) << kind.name;
    const std::string carried = std::string("DATUM_CELL ") + kind.fields + " ";
    for (std::sregex_iterator i(text.begin(), text.end(), field), end; i != end; ++i)
      EXPECT_NE(carried.find((*i)[1].str() + " "), std::string::npos) << kind.name << " has no " << (*i)[1];
  }
}

// The manual lists the events of the table with their ids, and the metrics.
TEST(Events, TheManualHasThemAll) {
  const std::string page = slurp(fs::path(DATUM_SOURCE_DIR) / "systemd/datumd.8.in");
  for (const EventKind& kind : event_kinds()) {
    const auto at = page.find(std::string("\n.TP\n.B ") + kind.name + "\n");
    ASSERT_NE(at, std::string::npos) << kind.name;
    const std::string entry = page.substr(at, page.find("\n.TP\n", at + 1) - at);
    EXPECT_NE(entry.find(std::string("\n") + kind.message_id), std::string::npos) << kind.name;
    EXPECT_NE(entry.find(kind.fields), std::string::npos) << kind.name;
  }
  for (const MetricFamily& f : metric_families())
    EXPECT_NE(page.find(std::string("\n.TP\n.B ") + f.name + "\n" + name_of(f.kind)), std::string::npos)
        << f.name;
  for (const BoardStepKind& step : board_step_kinds)
    EXPECT_NE(page.find(std::string("\n.TP\n.B ") + step.name + "\n" + step.meaning + ".\n"),
              std::string::npos)
        << step.name;
}

// journald's reader, in a root of its own.
TEST(Events, JournalctlReadsTheCatalog) {
  if (std::system("command -v journalctl >/dev/null") != 0) GTEST_SKIP() << "there is no journalctl";
  const testing::FreshFolder root;
  fs::create_directories(root / "usr/lib/systemd/catalog");
  fs::create_directories(root / "var/lib/systemd/catalog");
  fs::copy(catalog, root / "usr/lib/systemd/catalog/datumd.catalog");
  const std::string journalctl = "journalctl --root=" + root.path().string();
  ASSERT_EQ(std::system((journalctl + " --update-catalog 2>" + (root / "log").string()).c_str()), 0)
      << slurp(root / "log");
  ASSERT_EQ(std::system((journalctl + " --list-catalog > " + (root / "list").string()).c_str()), 0);
  for (const EventKind& kind : event_kinds())
    EXPECT_NE(slurp(root / "list").find(kind.message_id), std::string::npos) << kind.name;
}

TEST(Events, ASinkTakesLinesWithTheirEventAndWithout) {
  std::vector<std::string> said;
  const LogSink plain = [&](int priority, const std::string& text) {
    said.push_back(std::to_string(priority) + text);
  };
  const LogSink whole = [&](int, const std::string& text, const LogEvent& event) {
    said.push_back(text + " " + std::string(event.event == Event::none ? "-" : kind_of(event.event)->name));
  };
  const LogSink copy = whole;  // NOLINT(performance-unnecessary-copy-initialization): a copy is tested
  plain(3, "a", {Event::armed, {}});
  copy(6, "b");
  copy(6, "c", {Event::armed, {}});
  EXPECT_THAT(said, ElementsAre("3a", "b -", "c armed"));
}

/// A journal socket that only the test reads.
class StandIn {
 public:
  explicit StandIn(const fs::path& path) : fd_(socket(AF_UNIX, SOCK_DGRAM | SOCK_NONBLOCK, 0)) {
    sockaddr_un at{};
    at.sun_family = AF_UNIX;
    path.native().copy(at.sun_path, sizeof at.sun_path - 1);
    EXPECT_EQ(bind(fd_, reinterpret_cast<sockaddr*>(&at), sizeof at), 0);
  }
  ~StandIn() { close(fd_); }
  StandIn(const StandIn&) = delete;
  StandIn& operator=(const StandIn&) = delete;
  std::string next() const {
    std::array<char, 1 << 18> bytes{};
    const ssize_t n = recv(fd_, bytes.data(), bytes.size(), 0);
    return n < 0 ? "" : std::string(bytes.data(), static_cast<std::size_t>(n));
  }

 private:
  int fd_;
};

TEST(JournalEntries, AreFramedAsTheProtocolSays) {
  EXPECT_EQ(journal_entry({{"MESSAGE", "a = b"}, {"PRIORITY", "4"}}), "MESSAGE=a = b\nPRIORITY=4\n");
  using namespace std::string_literals;
  EXPECT_EQ(journal_entry({{"MESSAGE", "two\nlines"}}), "MESSAGE\n\x09\0\0\0\0\0\0\0two\nlines\n"s);
}

TEST(JournalEntries, ArriveAndNeverWait) {
  const testing::FreshFolder folder;
  const Journal journal(folder / "socket");
  EXPECT_FALSE(journal.send({{"MESSAGE", "x"}})) << "there is none yet";
  {
    const StandIn stand_in(folder / "socket");
    ASSERT_TRUE(journal.send({{"MESSAGE", "x"}}));
    EXPECT_EQ(stand_in.next(), "MESSAGE=x\n");
    EXPECT_TRUE(journal.send({{"MESSAGE", std::string(1 << 20, 'y')}})) << "cut";
    EXPECT_EQ(stand_in.next().size(), Journal::longest_value + 9);
    int taken = 0;
    while (taken < 100'000 && journal.send({{"MESSAGE", "full"}})) ++taken;
    EXPECT_GT(taken, 0);
    EXPECT_LT(taken, 100'000) << "it would have waited here";
    EXPECT_FALSE(stand_in.next().empty());
    EXPECT_TRUE(journal.send({{"MESSAGE", "room again"}}));
  }
  fs::remove(folder / "socket");
  const StandIn anew(folder / "socket");
  EXPECT_TRUE(journal.send({{"MESSAGE", "a journal that was started again"}}));
}

}  // namespace
}  // namespace datum::watching_test
