// Each fault of a polled line device, applied to one board: the pairing is refused for the right reason, or
// the position is true, and the reader recovers without a restart. Prints the recovery times.
#include <fmt/format.h>
#include <gmock/gmock.h>

#include <algorithm>
#include <utility>

#include "drivers/cmm/presets.h"
#include "drivers/cmm/reader.h"
#include "drivers/cmm/stare_session.h"

namespace datum::line_fault_test {
namespace {

using ::testing::HasSubstr;

constexpr MonotonicNs ms = ns_per_ms;

// A GRBL controller at (10, 20, 30) mm at the far end of a wire.
struct Board {
  std::string queued, heard;
  std::string unit = "$13=0\r\nok\r\n", position = "10.000,20.000,30.000", before, after;
  bool reachable = true, silent = false, later = false;
  std::string late;  // an answer delayed to the next poll

  void hears(char c) {
    if (silent) return;
    heard += c;
    if (heard.ends_with("$$\n")) {
      queued += unit;
      heard.clear();
    } else if (c == '?') {
      const std::string answer = before + "<Idle|MPos:" + position + "|FS:0,0>\r\n" + after;
      if (!later) queued += answer;
      queued += std::exchange(late, later ? answer : "");
      heard.clear();
    }
  }
};

class Wire final : public Port {
 public:
  explicit Wire(Board& board) : board_(board) {}
  void open() override {
    if (!board_.reachable) throw LostError("wire: nobody there");
    open_ = true;
    board_.queued.clear();
  }
  void close() noexcept override { open_ = false; }
  bool is_open() const override { return open_; }
  int fd() const override { return -1; }
  std::size_t read(std::uint8_t* to, std::size_t room) override {
    if (!board_.reachable) throw LostError("wire: hung up");
    const std::size_t size = std::min(room, board_.queued.size());
    std::copy_n(board_.queued.begin(), size, to);
    board_.queued.erase(0, size);
    return size;
  }
  std::size_t write(const std::uint8_t* from, std::size_t size) override {
    for (std::size_t i = 0; i < size; ++i) board_.hears(static_cast<char>(from[i]));
    return size;
  }
  std::string describe() const override { return "wire"; }

 private:
  Board& board_;
  bool open_ = false;
};

struct Trouble {
  const char* name;
  std::function<void(Board&)> happens;
  PairFault fault;
  const char* why;
  std::function<void(Board&)> mended;
  int recovery_ms;  // upper limit from then on
  bool operator_confirms = false;
};

void nothing(Board&) {}
void well(Board& board) { board = Board{}; }

// Limits: the next poll follows within 200 ms; an unanswered one is given up after 500 ms, and late bytes are
// awaited for as long again. The link is reopened within 250 ms, then 500 ms, of its loss. 20 ms: the clock's
// step.
constexpr int polled_ms = 200 + 20, given_up_ms = 500 + 500 + polled_ms, reopened_ms = 250 + 500 + polled_ms;

const Trouble troubles[] = {
    {"an answer dropped", [](Board& b) { b.silent = true; }, PairFault::stale, "no answer to the poll", well,
     given_up_ms},
    {"stalls in a line",
     [](Board& b) {
       b.silent = true;
       b.queued = "<Idle|MP";  // its rest is lost, which corrupts the next answer
     },
     PairFault::stale, "no answer to the poll", well, 2 * given_up_ms},
    {"reset", [](Board& b) { b.reachable = false; }, PairFault::error, "LINK_DOWN wire", well, reopened_ms},
    {"corrupt", [](Board& b) { b.position = "10.0#0,20.000,30.000"; }, PairFault::error, "MALFORMED", well,
     polled_ms},
    {"an axis lost", [](Board& b) { b.position = "10.000,20.000"; }, PairFault::error,
     "2 axes where 3 are configured", well, polled_ms},
    // An answer later than timeout and drain together is indistinguishable from one to the next poll: the
    // moved machine is detected by its motion.
    {"answers one poll late",
     [](Board& b) {
       b.later = true;
       b.position = "11.000,20.000,30.000";
     },
     PairFault::moved, "moved 1000.000 um", well, given_up_ms},
    {"restarted, position lost", [](Board& b) { b.before = "\r\nGrbl 1.1h ['$' for help]\r\n"; },
     PairFault::error, "NOT_REFERENCED", well, polled_ms, true},
    {"restarted in inches",
     [](Board& b) {
       b.before = "\r\nGrbl 1.1h ['$' for help]\r\n";
       b.unit = "$13=1\r\nok\r\n";
       b.position = "0.3937,0.7874,1.1811";
     },
     PairFault::error, "NOT_REFERENCED", well, 2 * polled_ms, true},
    {"wrong units, untold", [](Board& b) { b.position = "0.394,0.787,1.181"; }, PairFault::error,
     "OUT_OF_RANGE", well, polled_ms},
    {"alarm", [](Board& b) { b.before = "ALARM:1\r\n"; }, PairFault::error, "NOT_REFERENCED", well, polled_ms,
     true},
    {"moved meanwhile", [](Board& b) { b.position = "10.100,20.000,30.000"; }, PairFault::moved,
     "moved 100.000 um", well, polled_ms},
    {"messages between", [](Board& b) { b.before = "[MSG:Check door]\r\nok\r\n"; }, PairFault::none, "",
     nothing, polled_ms},
};

CmmSettings cell() {
  CmmSettings settings = grbl_1_1();
  for (AxisSettings& axis : settings.axes)
    axis.min_mm = 5;  // the working range, which distinguishes inches
                      // from mm
  return settings;
}

struct Rig {
  Board board;
  CmmReader reader{cell(), std::make_unique<Wire>(board)};
  StareSession stare{cell().pairing};
  MonotonicNs now = 1000 * ms, good_ns = 0;

  Rig() {
    reader.on_sample([this](const ProbePoint& p, MonotonicNs at) {
      if (p.state == ProbeState::ok) good_ns = at;
      if (stare.wants_position()) stare.position(p, at);
    });
    reader.start(now);
  }
  void pass(int milliseconds) {
    for (const MonotonicNs end = now + milliseconds * ms; now < end; now += 10 * ms) {
      reader.on_deadline(now);
      reader.on_ready(now);
      stare.on_deadline(now);
    }
  }
  int until_good(int most_ms) {
    const MonotonicNs from = now;
    while (now <= from + most_ms * ms) {
      pass(10);
      if (good_ns >= from) return static_cast<int>((now - from) / ms);
    }
    return -1;
  }
};

class LineTrouble : public ::testing::TestWithParam<Trouble> {};

TEST_P(LineTrouble, IsNoPositionOrATrueOneAndEnds) {
  const Trouble& t = GetParam();
  Rig rig;
  ASSERT_GE(rig.until_good(1000), 0) << rig.reader.describe();
  rig.stare.start(rig.now);
  rig.reader.poll_soon(rig.now);
  rig.pass(50);
  ASSERT_EQ(rig.stare.step(), StareSession::Step::wait_frame);
  t.happens(rig.board);
  rig.pass(50);
  rig.stare.frame_arrived(rig.now);
  rig.reader.poll_soon(rig.now);
  for (int i = 0; i < 500 && !rig.stare.finished(); ++i) rig.pass(10);
  const PairingResult& pairing = rig.stare.result();
  EXPECT_EQ(pairing.fault, t.fault) << name_of(pairing.fault) << ": " << pairing.detail;
  EXPECT_THAT(pairing.detail, HasSubstr(t.why));
  t.mended(rig.board);
  if (t.operator_confirms) {
    rig.pass(1000);
    EXPECT_NE(rig.reader.latest(rig.now).state, ProbeState::ok) << "not without the operator's word";
    rig.reader.confirm_referenced();
  }
  const int recovered_ms = rig.until_good(20'000);
  EXPECT_GE(recovered_ms, 0) << rig.reader.describe();
  EXPECT_LE(recovered_ms, t.recovery_ms);
  fmt::print("line CMM, {:26} {:8} back after {:5} ms{}\n", t.name, name_of(pairing.fault), recovered_ms,
             t.operator_confirms ? ", once the operator has confirmed" : "");
}

// The setup sent at the link's opening is no longer valid: the unit is requested again.
TEST(LineTroubleAfterARestart, InchesAreSeenWhateverTheOperatorConfirms) {
  Rig rig;
  ASSERT_GE(rig.until_good(1000), 0);
  rig.board.before = "\r\nGrbl 1.1h ['$' for help]\r\n";
  rig.board.unit = "$13=1\r\nok\r\n";
  rig.pass(300);
  rig.board.before.clear();
  rig.reader.confirm_referenced();
  const MonotonicNs from = rig.now;
  rig.pass(2000);
  EXPECT_LT(rig.good_ns, from);
  EXPECT_EQ(rig.reader.latest(rig.now).state, ProbeState::wrong_unit) << rig.reader.latest(rig.now).detail;
}

INSTANTIATE_TEST_SUITE_P(Matrix, LineTrouble, ::testing::ValuesIn(troubles), [](const auto& info) {
  std::string name = info.param.name;
  for (char& c : name)
    if (!std::isalnum(static_cast<unsigned char>(c))) c = '_';
  return name;
});

}  // namespace
}  // namespace datum::line_fault_test
