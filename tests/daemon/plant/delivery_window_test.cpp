// What counts as delivered, and how much may be open.
#include "daemon/plant/delivery_window.h"

#include <gtest/gtest.h>

namespace datum {
namespace {

PlantPosition at(std::uint64_t link) { return {"s", {link, "h"}}; }

TEST(DeliveryWindow, ReachesAnEntryWhenItAndAllBeforeAreAccepted) {
  DeliveryWindow window(3);
  window.sent(4, 1, std::nullopt);
  window.sent(6, 1, at(1));
  window.sent(9, 1, at(2));
  EXPECT_TRUE(window.is_full());
  EXPECT_FALSE(window.accepted(9)) << "4 and 6 are open";
  EXPECT_FALSE(window.accepted(4));
  EXPECT_FALSE(window.accepted(5)) << "of no message";
  EXPECT_FALSE(window.accepted(10));
  const auto reached = window.accepted(6);
  ASSERT_TRUE(reached);
  EXPECT_EQ(reached->place.link, 2u);
  EXPECT_EQ(window.open(), 0u);
  EXPECT_FALSE(window.accepted(6)) << "twice";
  window.sent(11, 1, at(3));
  window.lost();
  EXPECT_FALSE(window.accepted(11)) << "of a connection that was lost";
}

TEST(DeliveryWindow, IsFullByItsBytesAndNeverByNone) {
  DeliveryWindow window(100);
  EXPECT_FALSE(window.is_full());
  window.sent(1, DeliveryWindow::most_bytes, at(1));
  EXPECT_TRUE(window.is_full());
  window.accepted(1);
  EXPECT_FALSE(window.is_full());
  window.sent(2, 3 * DeliveryWindow::most_bytes, at(2));
  window.lost();
  EXPECT_FALSE(window.is_full());
}

}  // namespace
}  // namespace datum
