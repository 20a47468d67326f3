// Lossless delivery after the store was set back: every host continues at its position under the new id.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/daemon/delivery/delivery_cell.h"

namespace datum {
namespace {

using ::testing::ElementsAre;
using testing::Results;
using testing::said;
using testing::second;
using testing::sequences;
using ::testing::StartsWith;
using DeliveredSetBack = testing::Delivered;

/// The id was "aaaa" up to result 5 of 9; 10 to 12 belong to the present store.
void set_back(Results& cell) {
  cell.id = "bbbb";
  cell.former = {{7, "aaaa", 5, 9}};
  cell.last = cell.given = 12;
}

/// Results received under the former id do not come again; all others come under the present id.
TEST_F(DeliveredSetBack, GoesOnWhereAHostWasBeforeTheStoreWasSetBack) {
  set_back(cell);
  delivery.take(said("RESUME,aaaa,8"), 0);
  auto lines = at(0);
  EXPECT_THAT(lines,
              ElementsAre(with_crc("STORE,bbbb,1,12"), with_crc("GAP,bbbb,1,9"), StartsWith("R,bbbb,10,"),
                          StartsWith("R,bbbb,11,"), StartsWith("R,bbbb,12,")));
  EXPECT_EQ(delivery.acknowledged(), 9u);
  delivery.take(said("ACK,11"), 0);
  EXPECT_EQ(delivery.acknowledged(), 11u);
  delivery.take(said("RESUME,aaaa,4"), 0);
  lines = at(0);
  EXPECT_THAT(lines, ElementsAre(with_crc("STORE,bbbb,1,12"), with_crc("GAP,bbbb,1,4"),
                                 StartsWith("R,bbbb,5,"), with_crc("GAP,bbbb,6,9"), StartsWith("R,bbbb,10,"),
                                 StartsWith("R,bbbb,11,"), StartsWith("R,bbbb,12,")));
  delivery.take(said("RESUME,bbbb,11"), 0);
  EXPECT_THAT(sequences(at(0)), ElementsAre(12));
  delivery.take(said("RESUME,cccc,11"), 0);
  EXPECT_THAT(sequences(at(0)), ElementsAre(1, 2, 3, 4, 5, 10, 11));
}

/// During a delivery: the window under the former id is dropped.
TEST_F(DeliveredSetBack, TellsTheNewIdToAHostThatListens) {
  cell.id = "aaaa";
  cell.last = 5;
  delivery.take(said("RESUME,-,0"), 0);
  at(0);
  delivery.take(said("ACK,3"), 0);
  set_back(cell);
  EXPECT_THAT(at(second),
              ElementsAre(with_crc("STORE,bbbb,1,12"), with_crc("GAP,bbbb,1,3"), StartsWith("R,bbbb,4,"),
                          StartsWith("R,bbbb,5,"), with_crc("GAP,bbbb,6,9"), StartsWith("R,bbbb,10,"),
                          StartsWith("R,bbbb,11,"), StartsWith("R,bbbb,12,")));
}

TEST_F(DeliveredSetBack, SaysThatAHostIsAheadOfTheStore) {
  cell.last = 5;
  delivery.take(said("RESUME,ffff,8"), 0);
  EXPECT_EQ(delivery.take_ahead(), std::nullopt) << "of another store";
  delivery.take(said("RESUME,00112233aabbccdd,5"), 0);
  EXPECT_EQ(delivery.take_ahead(), std::nullopt);
  delivery.take(said("RESUME,00112233aabbccdd,8"), 0);
  EXPECT_EQ(delivery.take_ahead(), 8u);
  EXPECT_EQ(delivery.take_ahead(), std::nullopt) << "once";
}

}  // namespace
}  // namespace datum
