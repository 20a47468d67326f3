// The delivery behind the board in work: what its claim states for a process after this one.
#include "daemon/cell/read_ahead.h"

#include <gtest/gtest.h>
#include <poll.h>

#include <fstream>

#include "tests/fresh_folder.h"

namespace datum::read_ahead_test {
namespace {

class FakeSource final : public FrameSource {
 public:
  std::optional<ClaimedFrame> waiting;
  std::vector<std::optional<ClaimRecord>> records;  // of the claim, as they were stated
  std::string failure;

  std::vector<Pollable*> pollables() override { return {}; }
  std::string describe() const override { return "fake"; }
  std::string refusal() const override { return ""; }
  std::string place() const override { return "fake"; }
  std::optional<LinkReport> report(MonotonicNs) const override { return std::nullopt; }
  std::size_t begin(MonotonicNs) override { return 0; }
  void claims_are_for(const ClaimRecord& record) override { records = {record}; }
  void claim_is_for(const ClaimedFrame&, const std::optional<ClaimRecord>& record) override {
    records.push_back(record);
  }
  std::optional<ClaimedFrame> next() override { return std::exchange(waiting, std::nullopt); }
  bool is_duplicate(const FrameIdentity&) const override { return false; }
  void measured(const ClaimedFrame&, const FrameIdentity&) override {}
  void duplicate(const ClaimedFrame&, const FrameIdentity&) override {}
  void failed(const ClaimedFrame&, const std::string& reason) override { failure = reason; }
  std::vector<std::string> take_warnings() override { return {}; }
};

class FromNetwork final : public ReceivedFrame {
 public:
  HeightFrame read(const SensorProfile&) override { return {}; }
};

struct Rig {
  testing::FreshFolder folder;
  SensorProfile sensor;
  BackendChoice backend;
  HostEvents events{[](int, const std::string&, const LogEvent&) {}};
  std::unique_ptr<MeasurementBasis> basis;
  std::unique_ptr<BoardOrders> orders;
  Worker loader, worker, checkpointer, storer, drawer;
  BoardThreads threads{loader, worker, storer, drawer, checkpointer};
  FakeSource source;
  std::unique_ptr<ReadAhead> ahead;

  Rig() {
    std::ifstream demo(DATUM_SOURCE_DIR "/config/recipes/demo-board.toml");
    folder.write("recipes/demo.toml", {std::istreambuf_iterator<char>(demo), {}});
    sensor.serial = "VS3D-0001";
    basis = std::make_unique<MeasurementBasis>(
        MeasurementBasisDependencies{folder.path() / "recipes", folder.path(), "", 3600, false, sensor,
                                     [] { return std::int64_t{1}; }, nullptr, events});
    basis->choose(basis->find("demo-board", std::nullopt));
    orders = std::make_unique<BoardOrders>(BoardOrdersDependencies{sensor, backend, 1, 3600, nullptr, nullptr,
                                                                   *basis, [](int, const std::string&) {}});
    ahead = std::make_unique<ReadAhead>(source, *orders, threads);
  }
  void deliver(MonotonicNs seen_ns) {
    source.waiting = ClaimedFrame{};
    source.waiting->entry = folder.path() / "work/1/a.json";  // can't be read, which changes nothing here
    source.waiting->first_seen_ns = seen_ns;
  }
  void read() {
    ahead->begin(false, 1000);
    while (ahead->reading()) {
      pollfd done{loader.fd(), POLLIN, 0};
      ASSERT_EQ(::poll(&done, 1, 60'000), 1);
      loader.on_ready(0);
    }
  }
  std::string unit_stated() const {
    return source.records.back() ? source.records.back()->unit : "no record";
  }
};

TEST(ReadAhead, ADeliveryHasItsTurnOnce) {
  Rig rig;
  rig.read();
  EXPECT_FALSE(rig.ahead->holds()) << "nothing was there";
  rig.deliver(500);
  rig.read();
  ASSERT_TRUE(rig.ahead->holds());
  const auto order = rig.ahead->take();
  EXPECT_EQ(order->taken_ns, 1000);
  EXPECT_NE(order->frame_error, "") << "that file is not there";
  EXPECT_FALSE(rig.ahead->holds());
}

TEST(ReadAhead, ItsClaimStatesTheUnitThatWasReportedBeforeIt) {
  Rig rig;
  rig.orders->serials().state("U1", 400);
  rig.deliver(500);
  rig.read();
  rig.ahead->keep_record(true);
  EXPECT_EQ(rig.unit_stated(), "U1");
  EXPECT_EQ(rig.source.records.size(), 1u) << "nothing had to be changed";
  rig.orders->serials().state("U2", 600);
  rig.ahead->keep_record(true);
  EXPECT_EQ(rig.unit_stated(), "") << "whose frame it is is not known any more";
}

TEST(ReadAhead, ItsClaimStatesNoUnitThatWasReportedAfterIt) {
  Rig rig;
  rig.orders->serials().state("U1", 700);
  rig.deliver(500);
  rig.read();
  rig.ahead->keep_record(true);
  EXPECT_EQ(rig.unit_stated(), "");
}

TEST(ReadAhead, ItsClaimStatesNothingOnceTheCellIsDisarmed) {
  Rig rig;
  rig.deliver(500);
  rig.read();
  rig.ahead->keep_record(true);
  EXPECT_EQ(rig.source.records.back()->recipe, "demo-board");
  rig.ahead->keep_record(false);
  EXPECT_FALSE(rig.source.records.back());
  rig.ahead->keep_record(false);
  EXPECT_EQ(rig.source.records.size(), 2u) << "once";
}

TEST(ReadAhead, OneThatWasInWorkBeforeKeepsItsOwnClaim) {
  Rig rig;
  rig.deliver(500);
  rig.source.waiting->left_over = true;
  rig.read();
  rig.ahead->keep_record(false);
  EXPECT_EQ(rig.source.records.size(), 1u);
}

TEST(ReadAhead, OnlyAFrameOfTheNetworkIsGivenUpWithTheArming) {
  Rig rig;
  rig.deliver(500);
  rig.read();
  EXPECT_EQ(rig.ahead->give_up_received(), 0u);
  EXPECT_TRUE(rig.ahead->holds()) << "a file waits for the next arming, as it would in its folder";
  rig.ahead->take();
  rig.deliver(500);
  rig.source.waiting->received = std::make_shared<FromNetwork>();
  rig.read();
  EXPECT_EQ(rig.ahead->give_up_received(), 1u);
  EXPECT_NE(rig.source.failure, "");
  EXPECT_FALSE(rig.ahead->holds());
}

TEST(ReadAhead, AFaultOfTheSensorReachesItsBoard) {
  Rig rig;
  rig.deliver(500);
  rig.read();
  rig.ahead->tell_fault("data were lost");
  EXPECT_EQ(rig.ahead->take()->late_fault.why(), "data were lost");
}

}  // namespace
}  // namespace datum::read_ahead_test
