// Results without loss: the state machine, and a whole link whose line drops, repeats and damages bytes. Time is
// injected.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <random>

#include "daemon/report/command_link.h"
#include "tests/daemon/report/fixture.h"
#include "tests/daemon/report/lossless_host.h"
#include "tests/daemon/report/memory_port.h"

namespace datum {
namespace {

using testing::board;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using testing::LosslessHost;
using testing::MemoryPort;
using ::testing::SizeIs;
using ::testing::StartsWith;

constexpr MonotonicNs second = 1'000'000'000;

/// A cell of results that lie in no file: as many as the test says, the first ones taken away by retention.
class Results : public testing::TestCell {
 public:
  Results() : TestCell("/nonexistent") {}
  StoreExtent results() override { return {last - first + 1, first, last, id}; }
  std::optional<StoredResult> result(std::optional<std::uint64_t> sequence) override {
    const std::uint64_t n = sequence.value_or(last);
    ++read;
    if (n < first || n > last) return std::nullopt;
    BoardVerdict v = board(static_cast<int>(n));
    v.sequence = n;
    v.store_id = id;
    StoredResult stored;
    stored.sequence = n;
    stored.store_id = id;
    stored.json = to_json(v);
    return stored;
  }

  std::uint64_t first = 1, last = 0, read = 0;
  std::string id = "00112233aabbccdd";
};

HostLine said(const std::string& text, LineCheck check = LineCheck::crc16) {
  return parse_host_line(with_crc(text, check));
}

std::vector<std::uint64_t> sequences(const std::vector<std::string>& lines) {
  std::vector<std::uint64_t> out;
  for (const auto& line : lines)
    if (line[0] == 'R') out.push_back(parse_result_line(line).sequence);
  return out;
}

struct Delivered : ::testing::Test {
  std::vector<std::string> at(MonotonicNs now) {
    auto lines = delivery.due(now);
    if (!lines.empty()) delivery.sent(now);
    return lines;
  }
  Results cell;
  ResultDelivery delivery{cell};
};

TEST(HostLine, SaysWhatItIsOrWhyNot) {
  const HostLine resume = said("RESUME,00112233aabbccdd,41", LineCheck::crc32);
  EXPECT_EQ(resume.kind, HostLine::Kind::resume);
  EXPECT_EQ(resume.store_id, "00112233aabbccdd");
  EXPECT_EQ(resume.sequence, 41u);
  EXPECT_EQ(resume.check, LineCheck::crc32);
  EXPECT_EQ(parse_host_line(with_crc("ACK,7") + "\r").sequence, 7u);
  EXPECT_EQ(parse_host_line("RESUME,-,0*6CDA").store_id, "-");  // as the README shows it
  EXPECT_EQ(said("STOP").kind, HostLine::Kind::stop);
  const auto refused = [](const std::string& line) {
    try {
      parse_host_line(line);
    } catch (const std::runtime_error& error) {
      return std::string(error.what());
    }
    return std::string("taken");
  };
  EXPECT_THAT(refused("ACK,7*0000"), HasSubstr("checksum 0000 does not belong to it"));
  EXPECT_THAT(refused("ACK,7"), HasSubstr("no '*' before a checksum"));
  EXPECT_THAT(refused(with_crc("ACK,x")), HasSubstr("sequence 'x' is not a number"));
  EXPECT_THAT(refused(with_crc("ACK,-1")), HasSubstr("is not a number"));
  EXPECT_THAT(refused(with_crc("RESUME,5")), HasSubstr("none of RESUME,<store id>,<sequence>"));
  EXPECT_TRUE(is_host_line("NAK,"));
  EXPECT_FALSE(is_host_line("ACKNOWLEDGE 5"));
  EXPECT_FALSE(is_host_line("*IDN?"));
}

TEST(HostLine, HasTheChecksumsOfTheStandards) {
  EXPECT_EQ(crc16("123456789"), 0x4B37);
  EXPECT_EQ(crc32("123456789"), 0xCBF43926u);
}

TEST_F(Delivered, SendsAWindowAndTheNextWhenItIsAcknowledged) {
  cell.last = 12;
  EXPECT_THAT(delivery.due(0), IsEmpty());
  delivery.take(said("RESUME,-,0"), 0);
  const auto lines = at(0);
  ASSERT_THAT(lines, SizeIs(9));
  EXPECT_EQ(lines[0], with_crc("STORE,00112233aabbccdd,1,12"));
  EXPECT_THAT(sequences(lines), ElementsAre(1, 2, 3, 4, 5, 6, 7, 8));
  EXPECT_THAT(at(0), IsEmpty());
  delivery.take(said("ACK,3"), 0);
  EXPECT_THAT(sequences(at(0)), ElementsAre(9, 10, 11));
  delivery.take(said("ACK,2"), 0);  // late: nothing new
  EXPECT_THAT(at(0), IsEmpty());
  delivery.take(said("ACK,11"), 0);
  cell.last = 13;
  EXPECT_THAT(sequences(at(0)), ElementsAre(12, 13));
}

TEST_F(Delivered, SendsAgainWhatIsMissedOrNotAcknowledged) {
  cell.last = 3;
  delivery.take(said("RESUME,00112233aabbccdd,0"), 0);
  at(0);
  delivery.take(said("NAK,2"), 0);  // 1 has arrived
  EXPECT_THAT(sequences(at(0)), ElementsAre(2, 3));
  delivery.take(said("NAK,2"), second / 4);  // for the second line behind the lost one
  EXPECT_THAT(at(second / 4), IsEmpty());
  delivery.take(said("NAK,2"), second / 2);
  EXPECT_THAT(sequences(at(second / 2)), ElementsAre(2, 3));
  // 2 s after it went out, then 4, then 8, 16, 16: a dead line is not filled.
  MonotonicNs now = second / 2;
  for (const int pause : {2, 4, 8, 16, 16}) {
    EXPECT_THAT(sequences(at(now + pause * second - 1)), IsEmpty()) << pause;
    now += pause * second;
    EXPECT_THAT(sequences(at(now)), ElementsAre(2, 3)) << pause;
  }
  EXPECT_EQ(delivery.repeated(), 14u);
}

TEST_F(Delivered, TellsThatItLivesAndWhatRetentionTook) {
  cell.first = 5;
  cell.last = 6;
  delivery.take(said("RESUME,00112233aabbccdd,2"), 0);
  const auto lines = at(0);
  EXPECT_EQ(lines.at(1), with_crc("GAP,00112233aabbccdd,3,4"));
  EXPECT_THAT(sequences(lines), ElementsAre(5, 6));
  delivery.take(said("ACK,6"), 0);
  EXPECT_THAT(at(0), IsEmpty());
  EXPECT_THAT(at(second - 1), IsEmpty());
  ASSERT_EQ(delivery.deadline(), second);
  EXPECT_THAT(at(second), ElementsAre(with_crc("HB,00112233aabbccdd,6")));
}

TEST_F(Delivered, StartsAnewForAHostOfAnotherStoreAndSaysSo) {
  cell.last = 2;
  delivery.take(said("RESUME,ffffffffffffffff,900", LineCheck::crc32), 0);
  const auto lines = at(0);
  EXPECT_EQ(lines.at(0), with_crc("STORE,00112233aabbccdd,1,2", LineCheck::crc32));
  EXPECT_THAT(sequences(lines), ElementsAre(1, 2));
  EXPECT_THROW(delivery.take(said("ACK,900"), 0), std::runtime_error);
  delivery.stop();
  EXPECT_THROW(delivery.take(said("ACK,1"), 0), std::runtime_error);
}

/// Damages a stream: each byte meets one of the faults with probability `rate`.
class Fault {
 public:
  Fault(double rate, unsigned seed) : rate_(rate), engine_(seed) { skip(); }
  std::string pass(const std::string& bytes) {
    if (rate_ == 0) return bytes;
    std::string out;
    std::size_t from = 0;
    while (from + left_ < bytes.size()) {
      out.append(bytes, from, left_);
      from += left_;
      const char c = bytes[from++];
      switch (engine_() % 4) {
        case 0:
        case 1:
          break;  // dropped
        case 2:
          out += static_cast<char>(c ^ (1 << engine_() % 8));
          break;
        default:
          out.append(2, c);
      }
      skip();
    }
    out.append(bytes, from);
    left_ -= bytes.size() - from;
    return out;
  }

 private:
  void skip() {
    const double u = (static_cast<double>(engine_()) + 0.5) / 4294967296.0;
    left_ = static_cast<std::size_t>(std::log(u) / std::log1p(-rate_));
  }
  double rate_;
  std::mt19937 engine_;
  std::size_t left_ = 0;
};

struct Line {
  explicit Line(double rate, LineCheck check = LineCheck::crc32) : host(check), up(rate, 1), down(rate, 2) {}

  void step(MonotonicNs at) {
    now = at;
    if (link.deadline() && *link.deadline() <= now) link.on_deadline(now);
    host.tick(now);
    for (int turn = 0; turn < 64; ++turn) {
      wire.to_daemon += up.pass(host.to_daemon);
      host.to_daemon.clear();
      const bool asked = !wire.to_daemon.empty() || link.wants_write();
      if (asked) link.on_ready(now);
      if (link.deadline() && *link.deadline() <= now) link.on_deadline(now);
      if (!asked && wire.from_daemon.empty()) break;
      host.receive(down.pass(wire.from_daemon), now);
      wire.from_daemon.clear();
    }
    longest_wire = std::max(longest_wire, wire.from_daemon.size());
  }
  /// Lets time go on until `done`, from one deadline to the next.
  template <class Done>
  bool run(Done done, MonotonicNs limit) {
    for (const MonotonicNs end = now + limit; now < end;) {
      if (done()) return true;
      const MonotonicNs next = std::min(link.deadline().value_or(host.deadline()), host.deadline());
      step(std::max(next, now + 1'000'000));
    }
    return done();
  }

  Results cell;
  MemoryPort::Wire wire;
  CommandLink link{std::make_unique<MemoryPort>(wire), cell, {false, true}, [](int, const std::string&) {}};
  LosslessHost host;
  Fault up, down;
  MonotonicNs now = 0;
  std::size_t longest_wire = 0;
};

void expect_all(const Line& line, std::uint64_t count) {
  ASSERT_EQ(line.host.results.size(), count);
  for (std::uint64_t i = 0; i < count; ++i) {
    const ResultLine& r = line.host.results[i];
    ASSERT_EQ(r.sequence, i + 1);
    ASSERT_EQ(r.frame, "frame-" + std::to_string(i + 1));
    ASSERT_EQ(r.decision, Decision::invalid);
    ASSERT_EQ(r.n_pass + 10 * r.n_fail + 100 * r.n_invalid, 111u);
    ASSERT_EQ(r.store_id, "00112233aabbccdd");
    ASSERT_EQ(r.recipe, "mainboard");
    ASSERT_EQ(r.utc_us, 1795245497123456);
  }
}

class LossyLine : public ::testing::TestWithParam<std::pair<double, std::uint64_t>> {};

TEST_P(LossyLine, DeliversEachResultOnceAndUnaltered) {
  const auto [rate, count] = GetParam();
  Line line(rate);
  line.cell.last = count;
  EXPECT_TRUE(line.run([&] { return line.host.results.size() == count; }, 1'000'000'000 * second));
  expect_all(line, count);
  std::printf("%llu results at %.1f %% of bytes: %llu damaged lines, %s\n",
              static_cast<unsigned long long>(count), 100 * rate,
              static_cast<unsigned long long>(line.host.damaged), line.link.describe().c_str());
  EXPECT_EQ(line.host.damaged > 0, rate > 0);
}
INSTANTIATE_TEST_SUITE_P(Rates, LossyLine,
                         ::testing::Values(std::pair(0.0, 1000ull), std::pair(0.001, 10000ull),
                                           std::pair(0.01, 10000ull), std::pair(0.05, 50ull)));
// Hours of a bad line: run with --gtest_also_run_disabled_tests.
INSTANTIATE_TEST_SUITE_P(DISABLED_Long, LossyLine, ::testing::Values(std::pair(0.05, 10000ull)));

TEST(LossyLine, OutlastsHangUpsInTheMiddleOfALine) {
  Line line(0.002);
  line.cell.last = 500;
  for (std::size_t cut = 0; line.host.results.size() < 500; ++cut) {
    ASSERT_LT(cut, 2000u);
    line.run([&, had = line.host.results.size()] { return line.host.results.size() > had + 3; }, 60 * second);
    line.wire.broken = true;
    line.link.on_ready(line.now);
    line.wire = {};
    line.host.link_lost(line.now);
    line.cell.read = 0;
  }
  expect_all(line, 500);
}

TEST(LossyLine, AHostThatIsGoneForAnHourCostsNothing) {
  Line line(0);
  line.cell.last = 3;
  ASSERT_TRUE(line.run([&] { return line.host.results.size() == 3; }, 60 * second));
  line.wire.room = 300;  // nobody reads: the driver's buffer, then nothing
  line.cell.read = 0;
  for (int s = 0; s < 3600; ++s) {
    ++line.cell.last;
    BoardVerdict v = board(static_cast<int>(line.cell.last));
    v.sequence = line.cell.last;
    v.store_id = line.cell.id;
    line.now += second;
    line.link.push_result(v);
    if (line.link.deadline() && *line.link.deadline() <= line.now) line.link.on_deadline(line.now);
    if (line.link.wants_write()) line.link.on_ready(line.now);
    ASSERT_LE(line.wire.from_daemon.size(), 300u);
  }
  EXPECT_LE(line.cell.read, 8u) << "not more than a window is taken from the store";
  line.wire = {};
  line.host.link_lost(line.now);
  EXPECT_TRUE(line.run([&] { return line.host.results.size() == 3603; }, 600 * second));
  expect_all(line, 3603);
  // Seven of 43 bytes fit into the driver's 300; two more pass before and after.
  EXPECT_LE(line.host.heartbeats, 9u) << "lines were piled up for a host that did not read";
}

TEST(LossyLine, AResultGoesOutAsSoonAsItIsStored) {
  Line line(0);
  ASSERT_TRUE(line.run([&] { return line.host.heartbeats > 0; }, 60 * second));
  line.cell.last = 1;
  BoardVerdict v = board(1);
  v.sequence = 1;
  v.store_id = line.cell.id;
  line.link.push_result(v);
  ASSERT_EQ(line.link.deadline(), 0);
  line.step(line.now);
  expect_all(line, 1);
}

TEST(LossyLine, CommandsGoOnBesideIt) {
  Line line(0);
  line.cell.last = 2;
  ASSERT_TRUE(line.run([&] { return line.host.results.size() == 2; }, 60 * second));
  line.wire.to_daemon = "*IDN?\n" + with_crc("ACK,2", LineCheck::crc32) + "\nSYST:ERR?\nACK,2*12345678\n";
  line.link.on_ready(line.now);
  EXPECT_THAT(line.wire.from_daemon, StartsWith("datum,datumd,"));
  EXPECT_THAT(line.wire.from_daemon, HasSubstr("\n0,\"No error\"\n"));
  EXPECT_THAT(line.link.describe(), HasSubstr("delivers without loss, 1 damaged lines of the host"));
}

}  // namespace
}  // namespace datum
