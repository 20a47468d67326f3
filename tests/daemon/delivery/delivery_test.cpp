// Lossless delivery: the state machine, and a whole link with a line that drops, repeats and damages bytes. Time is
// injected.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <malloc.h>

#include <map>
#include <utility>

#include "daemon/hosts/command_link.h"
#include "tests/daemon/delivery/delivery_cell.h"
#include "tests/daemon/scpi/lossless_host.h"
#include "tests/daemon/scpi/memory_port.h"
#include "tests/virtual_cell/line_faults.h"

namespace datum {
namespace {

using testing::board;
using testing::Delivered;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using testing::LosslessHost;
using testing::MemoryPort;
using testing::Results;
using testing::said;
using testing::second;
using testing::sequences;
using ::testing::SizeIs;
using ::testing::StartsWith;

TEST(HostLine, SaysWhatItIsOrWhyNot) {
  const HostLine resume = said("RESUME,00112233aabbccdd,41", LineCheck::crc32);
  EXPECT_EQ(resume.kind, HostLine::Kind::resume);
  EXPECT_EQ(resume.store_id, "00112233aabbccdd");
  EXPECT_EQ(resume.sequence, 41u);
  EXPECT_EQ(resume.check, LineCheck::crc32);
  EXPECT_EQ(parse_host_line(with_crc("ACK,7") + "\r").sequence, 7u);
  EXPECT_EQ(parse_host_line("RESUME,-,0*6CDA").store_id, "-");  // the README's example
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
  delivery.take(said("ACK,2"), 0);  // late: no effect
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
  delivery.take(said("NAK,2"), second / 4);  // for the second line after the lost one
  EXPECT_THAT(at(second / 4), IsEmpty());
  delivery.take(said("NAK,2"), second / 2);
  EXPECT_THAT(sequences(at(second / 2)), ElementsAre(2, 3));
  // 2 s after the transmission, then 4, 8, 16, 16: a dead line is not filled.
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

/// Shares of dropped, doubled and inverted bytes are 2 : 1 : 1.
LineFaultSettings faulty(double rate, std::uint64_t seed, double cut = 0) {
  LineFaultSettings s;
  s.drop = rate / 2;
  s.duplicate = s.flip = rate / 4;
  s.hang_up = s.stall = cut;
  s.seed = seed;
  return s;
}

struct Line {
  explicit Line(double rate, double cut = 0) : Line(own, rate, cut) {}
  /// A line to a cell that other hosts share.
  Line(Results& shared, double rate, double cut = 0)
      : cell(shared), up(faulty(rate, 1, cut)), down(faulty(rate, 2, cut)) {}

  void step(MonotonicNs at) {
    now = at;
    if (link.deadline() && *link.deadline() <= now) link.on_deadline(now);
    host.tick(now);
    for (int turn = 0; turn < 64; ++turn) {
      up.put(std::exchange(host.to_daemon, {}), now);
      wire.to_daemon += come(up);
      const bool asked = !wire.to_daemon.empty() || link.wants_write();
      if (asked) link.on_ready(now);
      if (link.deadline() && *link.deadline() <= now) link.on_deadline(now);
      longest_wire = std::max(longest_wire, wire.from_daemon.size());
      down.put(std::exchange(wire.from_daemon, {}), now);
      const std::string heard = come(down);
      host.receive(heard, now);
      if (up.hung_up(now) || down.hung_up(now)) return hang_up();
      if (!asked && heard.empty()) break;
    }
  }
  std::string come(LineFaults& way) const {
    std::string out;
    for (std::string piece; !(piece = way.take(now)).empty();) out += piece;
    return out;
  }
  void hang_up() {
    wire.broken = true;
    link.on_ready(now);
    wire = {};
    host.link_lost(now);
    up.reopen();
    down.reopen();
  }
  /// Advances time from deadline to deadline until `done`.
  template <class Done>
  bool run(Done done, MonotonicNs limit) {
    for (const MonotonicNs end = now + limit; now < end;) {
      if (done()) return true;
      MonotonicNs next = host.deadline();
      for (const auto& due : {link.deadline(), up.deadline(), down.deadline()})
        next = std::min(next, due.value_or(next));
      step(std::max(next, now + 1'000'000));
    }
    return done();
  }

  Results own;
  Results& cell;
  MemoryPort::Wire wire;
  CommandLink link{std::make_unique<MemoryPort>(wire), cell, {false, true}, [](int, const std::string&) {}};
  LosslessHost host{LineCheck::crc32};
  LineFaults up, down;
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
    ASSERT_EQ(r.n_pass + r.n_inconclusive + r.n_fail + r.n_invalid, 0u);
    ASSERT_EQ(r.store_id, "00112233aabbccdd");
    ASSERT_EQ(r.recipe, "mainboard");
    ASSERT_EQ(r.utc_us, 1795245497123456);
  }
}

/// Share of damaged bytes; probability per byte of a 2 s stall, and equal one of a cut; number of results.
struct Badness {
  double rate, cut;
  std::uint64_t results;
};

class LossyLine : public ::testing::TestWithParam<Badness> {};

TEST_P(LossyLine, DeliversEachResultOnceAndUnaltered) {
  const Badness& bad = GetParam();
  const std::uint64_t count = bad.results;
  Line line(bad.rate, bad.cut);
  line.cell.last = count;
  EXPECT_TRUE(line.run([&] { return line.host.results.size() == count; }, 4'000'000 * second));
  expect_all(line, count);
  const auto &up = line.up.count(), &down = line.down.count();
  std::printf(
      "%llu results at %.1f %% of bytes in %lld s: %llu bytes, %llu damaged lines, %llu stalls, %llu "
      "hang-ups, %s\n",
      static_cast<unsigned long long>(count), 100 * bad.rate, static_cast<long long>(line.now / second),
      static_cast<unsigned long long>(up.bytes) + down.bytes,
      static_cast<unsigned long long>(line.host.damaged),
      static_cast<unsigned long long>(up.stalls) + down.stalls,
      static_cast<unsigned long long>(up.hang_ups) + down.hang_ups, line.link.describe().c_str());
  EXPECT_EQ(line.host.damaged > 0, bad.rate > 0);
  EXPECT_EQ(up.stalls + down.stalls > 0, bad.cut > 0);
  EXPECT_EQ(up.hang_ups + down.hang_ups > 0, bad.cut > 0);
}
INSTANTIATE_TEST_SUITE_P(Rates, LossyLine,
                         ::testing::Values(Badness{0, 0, 1000}, Badness{0.001, 2e-5, 10'000},
                                           Badness{0.01, 5e-6, 10'000}, Badness{0.05, 1e-6, 100}));
// Equivalent of weeks on an unusable line: ./datum long.
INSTANTIATE_TEST_SUITE_P(DISABLED_Long, LossyLine, ::testing::Values(Badness{0.05, 1e-7, 10'000}));

TEST(LossyLine, OutlastsHangUpsInTheMiddleOfALine) {
  Line line(0.002);
  line.cell.last = 500;
  for (std::size_t cut = 0; line.host.results.size() < 500; ++cut) {
    ASSERT_LT(cut, 2000u);
    line.run([&, had = line.host.results.size()] { return line.host.results.size() > had + 3; }, 60 * second);
    line.hang_up();
    line.cell.read = 0;
  }
  expect_all(line, 500);
}

TEST(LossyLine, AHostThatIsGoneForAnHourCostsNothing) {
  Line line(0);
  line.cell.last = 3;
  ASSERT_TRUE(line.run([&] { return line.host.results.size() == 3; }, 60 * second));
  line.wire.room = 300;  // unread: the driver's buffer fills
  line.cell.read = 0;
  std::size_t held_before = 0;
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
    if (s == 60) held_before = mallinfo2().uordblks;  // the window is full by then
  }
  const std::size_t held = mallinfo2().uordblks;
  std::printf("a host gone for an hour of 3600 boards: %td bytes more in use than after its first minute\n",
              static_cast<std::ptrdiff_t>(held - held_before));
  EXPECT_LE(held, held_before + 1024) << "not a byte for each board";
  EXPECT_LE(line.cell.read, 8u) << "not more than a window is taken from the store";
  line.wire = {};
  line.host.link_lost(line.now);
  EXPECT_TRUE(line.run([&] { return line.host.results.size() == 3603; }, 600 * second));
  expect_all(line, 3603);
  // Seven of 43 bytes fit into the driver's 300; two more pass before and after.
  EXPECT_LE(line.host.heartbeats, 9u) << "lines were piled up for a host that did not read";
}

TEST(LossyLine, EachHostHasItsOwnPosition) {
  Results cell;
  cell.last = 20;
  Line quick(cell, 0), slow(cell, 0.01), gone(cell, 0);
  const auto all = [](Line& line, std::size_t n) {
    return line.run([&] { return line.host.results.size() >= n; }, 1000 * second);
  };
  EXPECT_TRUE(all(gone, 1));
  const std::size_t seen = gone.host.results.size();
  gone.hang_up();
  EXPECT_TRUE(all(slow, 9));
  slow.hang_up();
  EXPECT_TRUE(all(quick, 20));
  EXPECT_LT(slow.host.results.size(), 20u) << "one host's acknowledgements are not another's";
  cell.last = 50;
  EXPECT_TRUE(all(quick, 50));
  EXPECT_TRUE(all(slow, 50));
  expect_all(quick, 50);
  expect_all(slow, 50);
  EXPECT_EQ(gone.host.results.size(), seen);
  gone.now = 3600 * second;
  EXPECT_TRUE(all(gone, 50)) << "an hour later";
  expect_all(gone, 50);
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
