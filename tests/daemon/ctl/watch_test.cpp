// datumctl watch with the daemon's link over a socket pair that breaks; time is injected.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/socket.h>

#include <nlohmann/json.hpp>

#include "daemon/ctl/watch_screen.h"
#include "daemon/ctl/watch_view.h"
#include "daemon/hosts/command_link.h"
#include "tests/daemon/scpi/fixture.h"

namespace datum::watch_test {
namespace {

using ::testing::HasSubstr;
using Json = nlohmann::json;

constexpr MonotonicNs ms = 1'000'000;

struct Watch : ::testing::Test {
  Watch() : view("wire", [this](const std::string& line) { events.push_back(Json::parse(line)); }) {}

  std::unique_ptr<Port> open() {
    if (unreachable) throw LostError("wire: refused");
    int ends[2];
    if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0, ends) != 0)
      throw LostError("no wire");
    daemon = std::make_unique<CommandLink>(accepted_port(ends[0], "watch"), cell, CommandLinkSettings{},
                                           [](int, const std::string&) {});
    return std::make_unique<OpenPort>(accepted_port(ends[1], "wire"));
  }
  /// Already open: open() does nothing.
  class OpenPort final : public Port {
   public:
    explicit OpenPort(std::unique_ptr<Port> port) : port_(std::move(port)) {}
    void open() override {}
    void close() noexcept override { port_->close(); }
    bool is_open() const override { return port_->is_open(); }
    int fd() const override { return port_->fd(); }
    std::size_t read(std::uint8_t* to, std::size_t room) override { return port_->read(to, room); }
    std::size_t write(const std::uint8_t* from, std::size_t size) override {
      return port_->write(from, size);
    }
    std::string describe() const override { return port_->describe(); }

   private:
    std::unique_ptr<Port> port_;
  };

  void pass(MonotonicNs span_ns) {
    for (const MonotonicNs end = now + span_ns; now < end; now += 20 * ms) {
      link.work(now);
      if (!daemon) continue;
      daemon->on_ready(now);
      if (const auto due = daemon->deadline(); due && now >= *due) daemon->on_deadline(now);
    }
  }
  void store() { result_of(cell.finish_board(testing::board(++boards))); }
  void result_of(const BoardVerdict& verdict) {
    if (!daemon) return;
    daemon->push_result(verdict);
    daemon->instrument_changed();
  }
  std::vector<int> sequences() const {
    std::vector<int> seen;
    for (const auto& event : events)
      if (event["event"] == "result") seen.push_back(event["sequence"]);
    return seen;
  }
  std::vector<Json> of(const std::string& kind) const {
    std::vector<Json> found;
    for (const auto& event : events)
      if (event["event"] == kind) found.push_back(event);
    return found;
  }

  testing::FreshFolder folder;
  testing::TestCell cell{folder / "results.db"};
  std::unique_ptr<CommandLink> daemon;
  bool unreachable = false;
  int boards = 0;
  MonotonicNs now = 1000 * ms;
  std::vector<Json> events;
  JsonWatchView view;
  WatchLink link{[this] { return open(); }, std::nullopt, 500 * ms, view};
};

TEST_F(Watch, TellsTheCellWhenItHasChanged) {
  pass(3000 * ms);
  ASSERT_EQ(of("cell").size(), 1u) << "six looks, nothing new";
  EXPECT_EQ(of("cell")[0]["state"], "IDLE");
  EXPECT_EQ(of("cell")[0]["calibration"], "cal-1");
  EXPECT_EQ(of("cell")[0]["links"][1], "sensor \"drop\": open");
  cell.select_recipe("mainboard", std::nullopt);
  cell.set_unit("SN;1");
  cell.arm();
  pass(1000 * ms);
  ASSERT_EQ(of("cell").size(), 2u);
  EXPECT_EQ(of("cell")[1]["state"], "ARMED");
  EXPECT_EQ(of("cell")[1]["recipe"], "mainboard");
  EXPECT_EQ(of("cell")[1]["unit"], "SN;1");
}

TEST_F(Watch, MissesNoResultWhileItIsAway) {
  store();
  pass(1000 * ms);
  store();
  store();
  pass(1000 * ms);
  EXPECT_EQ(sequences(), (std::vector<int>{2, 3})) << "the first was there before";
  daemon.reset();
  unreachable = true;
  store();
  pass(10'000 * ms);
  const auto lost = of("connection");
  ASSERT_GE(lost.size(), 3u);
  EXPECT_EQ(lost[1]["connected"], false);
  EXPECT_EQ(lost[1]["retry_in_ms"], 250);
  EXPECT_EQ(lost.back()["retry_in_ms"], 5000) << "doubled up to 5 s";
  unreachable = false;
  store();
  pass(10'000 * ms);
  EXPECT_EQ(sequences(), (std::vector<int>{2, 3, 4, 5}));
}

TEST_F(Watch, SaysTheUnitOfEachBoardAndWhyItDidNotPass) {
  pass(1000 * ms);
  BoardVerdict v = testing::board(++boards);
  v.unit_id = "SN;1,\"a\"";
  v.components.resize(1);
  v.reason = Reason::none;
  v.decision = v.components[0].decision = v.components[0].checks[0].decision = Decision::fail;
  CheckVerdict& check = v.components[0].checks[0];
  check.check.characteristic = Characteristic::median;
  check.check.lower = 920;
  check.check.upper = 1080;
  check.value = 2.6;
  result_of(cell.finish_board(v));
  store();
  pass(1000 * ms);
  const auto said = of("board");
  ASSERT_EQ(said.size(), 2u);
  const bool first = said[0]["sequence"] == 1;
  EXPECT_EQ(said[first ? 0 : 1]["unit"], "SN;1,\"a\"");
  EXPECT_EQ(said[first ? 0 : 1]["reason"], v.components[0].reference + " missing");
  EXPECT_TRUE(link.has_explained());
}

TEST_F(Watch, BeginsWithTheLastResultsWhereThatIsAsked) {
  for (int n = 0; n < 5; ++n) store();
  WatchLink late([this] { return open(); }, std::nullopt, 500 * ms, view, 3);
  for (const MonotonicNs end = now + 2000 * ms; now < end; now += 20 * ms) {
    late.work(now);
    if (!daemon) continue;
    daemon->on_ready(now);
    if (const auto due = daemon->deadline(); due && now >= *due) daemon->on_deadline(now);
  }
  EXPECT_EQ(sequences(), (std::vector<int>{3, 4, 5}));
}

TEST_F(Watch, ADeadPeerIsLeft) {
  pass(1000 * ms);
  auto silent = std::move(daemon);  // open, but silent
  pass(9000 * ms);
  const auto said = of("connection");
  ASSERT_GE(said.size(), 2u);
  EXPECT_THAT(said[1]["why"].get<std::string>(), HasSubstr("nothing was heard"));
}

WatchPicture picture() {
  WatchPicture p;
  p.address = "127.0.0.1:5025";
  p.cell = {
      "WAITING", "for the frame", "demo-board", "SN1", "cal-1", "expired", {"sensor: open", "cmm: open"}};
  for (std::uint64_t n = 1; n <= 50; ++n) {
    ResultLine r;
    r.sequence = n;
    r.utc_us = 1'772'353'800'123'456;
    r.recipe = "demo-board";
    r.frame = "frame-é";
    r.decision = n % 2 ? Decision::pass : Decision::fail;
    p.results.push_back(r);
  }
  p.count = 50;
  return p;
}

TEST(WatchScreen, ShowsTheNewestThatFitAndNeverMore) {
  for (const std::size_t rows : {1u, 3u, 12u, 24u, 100u}) {
    for (const std::size_t columns : {1u, 20u, 80u}) {
      const auto lines = lines_of(picture(), rows, columns, true);
      EXPECT_LE(lines.size(), rows);
      for (const auto& line : lines) EXPECT_EQ(cut_to(line, columns), line) << "not wider than the terminal";
    }
  }
  const auto lines = lines_of(picture(), 24, 200, false);
  EXPECT_EQ(lines.size(), 24u);
  EXPECT_THAT(lines[2], HasSubstr("WAITING, for the frame"));
  EXPECT_THAT(lines[4], HasSubstr("cal-1: expired"));
  EXPECT_THAT(lines[22], HasSubstr("50  2026-03-01T08:30:00  -     demo-board  FAIL"));
  WatchPicture known = picture();
  known.boards[50] = {50, "SN-7", "C2 missing, U3 tilted 1.38 of 0.80 degrees"};
  EXPECT_THAT(lines_of(known, 24, 200, false)[22],
              HasSubstr("SN-7  demo-board  FAIL      C2 missing, U3 tilted 1.38 of 0.80 degrees"));
}

TEST(WatchScreen, CutsCharactersWholeAndEndsColours) {
  EXPECT_EQ(cut_to("abcdef", 3), "abc");
  EXPECT_EQ(cut_to("aéb", 2), "aé");
  EXPECT_EQ(cut_to("\x1b[32mPASS\x1b[0m", 2), "\x1b[32mPA\x1b[0m");
  EXPECT_EQ(cut_to("\x1b[32mPASS\x1b[0m", 9), "\x1b[32mPASS\x1b[0m");
}

}  // namespace
}  // namespace datum::watch_test
