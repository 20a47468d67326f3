#include "drivers/gocator/health.h"

#include <gtest/gtest.h>

#include "drivers/gocator/protocol_error.h"

namespace datum::gocator {
namespace {

using Bytes = std::vector<std::uint8_t>;

Bytes health(const std::vector<Indicator>& indicators) {
  Bytes bytes;
  append(bytes, static_cast<std::uint32_t>(14 + 16 * indicators.size()));
  append(bytes, std::uint16_t{0x8000});
  append(bytes, static_cast<std::uint32_t>(indicators.size()));
  append(bytes, std::uint32_t{0});
  for (const Indicator& i : indicators) {
    append(bytes, i.id);
    append(bytes, i.instance);
    append(bytes, i.value);
  }
  return bytes;
}

TEST(GocatorHealth, IndicatorsByTheirFields) {
  const auto indicators = health_of(health({{2002, 1, 41500}, {1003, 0, -7}}));
  ASSERT_EQ(indicators.size(), 2u);
  EXPECT_EQ(indicators[0].id, 2002u);
  EXPECT_EQ(indicators[0].instance, 1u);
  EXPECT_EQ(indicators[0].value, 41500);
  EXPECT_EQ(indicators[1].value, -7);
}

TEST(GocatorHealth, OtherTypesArePassedOverAndLiesRefused) {
  Bytes other = health({{1003, 0, 1}});
  other[4] = 22;
  EXPECT_TRUE(health_of(other).empty());
  Bytes liar = health({{1003, 0, 1}});
  liar[6] = 2;
  EXPECT_THROW(health_of(liar), ProtocolError);
  liar[9] = 0xFF;
  EXPECT_THROW(health_of(liar), ProtocolError);
}

TEST(GocatorHealth, ARiseOfADropCounterIsSeen) {
  DropCounters counters;
  EXPECT_EQ(counters.rise({{21005, 0, 3}, {2201, 0, 1}}), "") << "what rose before is not known";
  EXPECT_EQ(counters.rise({{21005, 0, 3}, {2201, 0, 1}}), "");
  EXPECT_EQ(counters.rise({{21005, 0, 5}, {2201, 0, 1}, {2002, 0, 99}}), "Ethernet drops rose by 2 to 5");
  EXPECT_EQ(counters.rise({{21005, 1, 7}}), "") << "another instance, the first time";
  EXPECT_EQ(counters.rise({{21005, 1, 8}, {2201, 0, 2}}),
            "Ethernet drops rose by 1 to 8, camera trigger drops rose by 1 to 2");
  EXPECT_EQ(counters.rise({{21005, 0, 0}}), "") << "the sensor began again";
  EXPECT_EQ(counters.rise({{21005, 0, 1}}), "Ethernet drops rose by 1 to 1");
}

TEST(GocatorHealth, EveryCounterOfLostDataIsWatched) {
  for (const std::uint32_t id : {2201, 21000, 21005, 21010, 21011, 21016}) {
    DropCounters counters;
    counters.rise({{id, 0, 0}});
    EXPECT_NE(counters.rise({{id, 0, 1}}), "") << id;
  }
}

}  // namespace
}  // namespace datum::gocator
