// Records of claims in work/, and the count of processes that ended during a delivery.
#include "drivers/sensor/claim_record.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <fstream>

#include "drivers/frame/frame_error.h"
#include "drivers/sensor/claimed_frame.h"
#include "drivers/sensor/drop_folder.h"
#include "tests/fresh_folder.h"

namespace datum {
namespace {

namespace fs = std::filesystem;

const ClaimRecord record{"board-b", std::string(64, 'a'), "on_frame", "SN 1%\n\xc3\xa9"};

TEST(ClaimRecord, ReadsBackWhateverTheUnitIsCalled) {
  EXPECT_EQ(to_text(record), "datum claim 1\nrecipe board-b\nsha256 " + std::string(64, 'a') +
                                 "\ntrigger on_frame\nunit SN%201%25%0A%C3%A9\n");
  EXPECT_EQ(claim_record_from_text(to_text(record)), record);
  ClaimRecord nameless = record;
  nameless.unit.clear();
  EXPECT_EQ(claim_record_from_text(to_text(nameless)), nameless);
}

TEST(ClaimRecord, ReadsBackTheSerialNumbersOfAPanelsBoards) {
  ClaimRecord panel = record;
  panel.boards = {"SN 1", "", "a,b%", ""};
  EXPECT_EQ(claim_record_from_text(to_text(panel)), panel);
  panel.boards = {""};
  EXPECT_EQ(claim_record_from_text(to_text(panel)), panel);
  EXPECT_FALSE(claim_record_from_text(to_text(record) + "boards a,b")) << "cut off";
  EXPECT_FALSE(claim_record_from_text(to_text(record) + "boards a\nboards b\n"));
  EXPECT_FALSE(claim_record_from_text(to_text(record) + "boards %zz\n"));
}

TEST(ClaimRecord, IsNoneWhereItIsNotWhole) {
  const std::string text = to_text(record);
  for (std::size_t n = 0; n < text.size(); ++n)
    EXPECT_EQ(claim_record_from_text(text.substr(0, n)), std::nullopt) << n;
  EXPECT_EQ(claim_record_from_text(text + "x"), std::nullopt);
  EXPECT_EQ(claim_record_from_text("datum claim 1\nrecipe \nsha256 \ntrigger x\nunit \n"), std::nullopt);
}

TEST(ClaimRecord, IsFoundWithTheDeliveryAndGoesWithItsResult) {
  const testing::FreshFolder folder;
  DropFolder drop(folder.path());
  drop.prepare();
  folder.write("f.ptr", "x");
  const auto claim = drop.claim("f.ptr", record);
  ASSERT_TRUE(claim);
  DropFolder again(folder.path());
  const auto found = again.left_over();
  ASSERT_EQ(found.size(), 1u);
  EXPECT_EQ(found[0].record, record);
  again.finish(found[0], DropFolder::End::done, "");
  EXPECT_TRUE(fs::exists(folder / "done/f/f.ptr"));
  EXPECT_FALSE(fs::exists(folder / "done/f/.claim"));
}

/// Killed between the record and the claim: the delivery remains in place, and the slot is removed.
TEST(ClaimRecord, OfNoDeliveryIsRemoved) {
  const testing::FreshFolder folder;
  DropFolder drop(folder.path());
  drop.prepare();
  fs::create_directory(folder / "work/1");
  ASSERT_TRUE(write_claim_record(folder / "work/1", record));
  EXPECT_TRUE(drop.left_over().empty());
  EXPECT_FALSE(fs::exists(folder / "work/1"));
}

TEST(DeliveryTry, RefusesWhatEndedTheProcessTwice) {
  const testing::FreshFolder folder;
  ClaimedFrame claim;
  claim.entry = folder.write("work/1/f.ptr", "x");
  { const DeliveryTry read(claim, "read"); }
  { const DeliveryTry again(claim, "read"); }
  const auto ends = [&] {
    std::ofstream(folder / "work/1/.read", std::ios::app) << 'x';  // as left by a process that ends meanwhile
  };
  ends();
  { const DeliveryTry once(claim, "read"); }
  ends();
  ends();
  try {
    const DeliveryTry refused(claim, "read");
    FAIL();
  } catch (const FrameError& error) {
    EXPECT_STREQ(
        error.what(),
        "f.ptr: datumd ended 2 times while it read this; it is damaged or too large for its memory: keep it "
        "for the maintainers of datumd, and let the sensor expose again");
  }
}

}  // namespace
}  // namespace datum
