// Whether the ring gauge vouches for the probe before a hole is touched.
#include "daemon/holes/gauge_watch.h"

#include <gtest/gtest.h>

#include "daemon/instrument/scpi_error.h"

namespace datum::gauge_watch {
namespace {

constexpr MonotonicNs hour = 3600'000'000'000;

class GaugeWatchTest : public ::testing::Test {
 protected:
  GaugeWatchTest() {
    settings.gauge = RingGauge{{100, 100, 0}, 5, 0.0005};
    settings.gauge_valid_h = 24;
    order.center_mm = {10, 20, 0};
    calibration.sha256 = "now";
  }
  void measure(double radius_mm, MonotonicNs at_ns) {
    TouchedHole hole;
    hole.center_mm = settings.gauge->center_mm;
    hole.radius_mm = radius_mm;
    hole.u_mm.setConstant(0.001);
    watch.measure(*settings.gauge, &hole, at_ns, "2026-01-02T03:04:05Z", calibration);
  }
  /// Why a hole may not be touched; empty: it may.
  std::string refusal(MonotonicNs now = hour) const {
    try {
      watch.demand(settings, order, calibration, now);
    } catch (const scpi::Error& error) {
      return error.what();
    }
    return "";
  }

  HoleSettings settings;
  HoleOrder order;
  Calibration calibration;
  GaugeWatch watch;
};

TEST_F(GaugeWatchTest, ANewProcessDemandsTheGauge) {
  EXPECT_EQ(refusal(),
            "the ring gauge was not measured since datumd started, and what was done to the probe before is "
            "not known (holes.ring_gauge): measure the gauge first, a hole at 100.000 100.000 0.000 mm of "
            "radius 5.0000 mm");
}

TEST_F(GaugeWatchTest, TheGaugeItselfAndACellWithoutOneDemandNothing) {
  order.center_mm = settings.gauge->center_mm;
  EXPECT_EQ(refusal(), "");
  order.center_mm.setZero();
  settings.gauge.reset();
  EXPECT_EQ(refusal(), "");
}

TEST_F(GaugeWatchTest, AGaugeThatHeldVouchesForSoManyHours) {
  measure(5, hour);
  ASSERT_TRUE(watch.last()->check.held);
  EXPECT_EQ(refusal(25 * hour), "");
  EXPECT_NE(refusal(25 * hour + hour / 10).find("24.10 h ago, and valid_h is 24"), std::string::npos);
}

TEST_F(GaugeWatchTest, AGaugeThatReadsWrongOrCouldNotBeMeasuredVouchesForNothing) {
  measure(5.1, hour);
  EXPECT_NE(refusal().find("did not hold on 2026-01-02T03:04:05Z"), std::string::npos);
  measure(5, hour);
  ASSERT_EQ(refusal(), "");
  watch.measure(*settings.gauge, nullptr, hour, "2026-01-03T03:04:05Z", calibration);
  EXPECT_NE(refusal().find("did not hold on 2026-01-03"), std::string::npos);
}

TEST_F(GaugeWatchTest, AnotherCalibrationDemandsTheGaugeAnew) {
  measure(5, hour);
  calibration.sha256 = "another";
  EXPECT_NE(refusal().find("under another calibration"), std::string::npos);
}

}  // namespace
}  // namespace datum::gauge_watch
