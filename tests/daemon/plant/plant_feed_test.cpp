// What is sent of a store, in which order, and what counts as delivered.
#include "daemon/plant/plant_feed.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <fstream>
#include <nlohmann/json.hpp>

#include "daemon/plant/plant_resend.h"
#include "daemon/sign/entry_hash.h"
#include "daemon/store/result_store.h"
#include "tests/daemon/scpi/fixture.h"

namespace datum {
namespace {

namespace fs = std::filesystem;
using ::testing::ElementsAre;
using testing::FreshFolder;
using ::testing::HasSubstr;
using Json = nlohmann::json;

PlantSettings to(const std::string& messages, const std::string& entries) {
  PlantSettings s;
  s.handle = "Datumd.Cell.0001";
  s.messages = messages;
  s.entries = entries;
  return s;
}

std::vector<PlantMessage> all_of(PlantFeed& feed) {
  std::vector<PlantMessage> all;
  for (; const PlantMessage* next = feed.front(); feed.pop()) all.push_back(*next);
  return all;
}

/// The last word of each name.
std::vector<std::string> names_of(const std::vector<PlantMessage>& messages) {
  std::vector<std::string> names;
  for (const PlantMessage& m : messages) names.push_back(m.name.substr(m.name.rfind('.') + 1));
  return names;
}

struct PlantFeeds : ::testing::Test {
  void add(int n, const std::string& unit = "") {
    ResultStore store(file);
    for (int i = 0; i < n; ++i) {
      BoardVerdict board = testing::board();
      if (!unit.empty()) board.unit_id = unit;
      store.store(board);
    }
  }
  FreshFolder folder;
  const fs::path file = folder / "results.db";
};

TEST_F(PlantFeeds, ARunThatIsCutOffAnywhereSendsEachEntryAgainOrOnce) {
  add(40);  // more than one reading of the store
  PlantFeed whole(file, to("m", "e"), {});
  const auto all = all_of(whole);
  std::uint64_t links = 0;
  std::string before(64, '0');
  for (const PlantMessage& message : all)
    if (message.name == "datumd.Entry") {
      const Json entry = Json::parse(message.json);
      EXPECT_EQ(entry.at("link"), ++links);
      EXPECT_EQ(EntryHash(before).add(entry.at("body").get<std::string>()).hex(), entry.at("sha256"));
      before = entry.at("sha256");
    }
  EXPECT_GT(links, 40u) << "and a statement";
  EXPECT_EQ(
      std::count_if(all.begin(), all.end(), [](const auto& m) { return m.name.ends_with("UnitsInspected"); }),
      40);
  for (std::size_t cut = 1; cut < all.size(); cut += 7) {
    PlantPosition at;
    for (std::size_t i = 0; i < cut; ++i)
      if (all[i].completes) at = *all[i].completes;
    PlantFeed again(file, to("m", "e"), read_position(to_text(at)));
    const auto rest = all_of(again);
    ASSERT_GE(rest.size(), all.size() - cut);
    for (std::size_t i = 0; i < rest.size(); ++i)
      EXPECT_EQ(rest[i].json, all[all.size() - rest.size() + i].json);
  }
}

TEST_F(PlantFeeds, GoesOnWithWhatComes) {
  add(1);
  PlantFeed feed(file, to("m", ""), {});
  const auto first = names_of(all_of(feed));
  EXPECT_THAT(first, ElementsAre("LogEntryRecorded", "RecipeActivated", "WorkStarted", "UnitsInspected",
                                 "WorkCompleted"));
  add(1);
  EXPECT_THAT(names_of(all_of(feed)), ElementsAre("WorkStarted", "UnitsInspected", "WorkCompleted"))
      << "the recipe is the same";
  for (const char* sha256 : {"ab", "ab", "cd"}) {
    ResultStore store(file);
    BoardVerdict board = testing::board();
    board.calibration = "cal-7";
    board.calibration_sha256 = sha256;
    store.store(board);
  }
  EXPECT_THAT(names_of(all_of(feed)),
              ElementsAre("CalibrationPerformed", "WorkStarted", "UnitsInspected", "WorkCompleted",
                          "WorkStarted", "UnitsInspected", "WorkCompleted", "CalibrationPerformed",
                          "WorkStarted", "UnitsInspected", "WorkCompleted"));
  EXPECT_EQ(feed.notice(), "");
  EXPECT_EQ(feed.front(), nullptr);
}

TEST_F(PlantFeeds, SaysWhatRetentionRemovedBefore) {
  add(6);
  PlantFeed feed(file, to("m", "e"), {});
  PlantPosition at;
  for (const PlantMessage& message : all_of(feed))
    if (message.completes && message.completes->place.link == 3) at = *message.completes;
  {
    ResultStore store(file);
    RemovalOrder order;
    order.up_to = 4;
    order.rule = "results older than 1 day";
    order.utc = "2026-11-23T00:00:00Z";
    EXPECT_EQ(store.remove_oldest(order).results, 4u);
  }
  PlantFeed late(file, to("m", "e"), at);
  const auto rest = all_of(late);
  ASSERT_GT(rest.size(), 2u);
  EXPECT_THAT(rest[0].name, HasSubstr("FaultOccurred"));
  EXPECT_EQ(rest[1].name, "datumd.Gap");
  const Json gap = Json::parse(rest[1].json).at("gap");
  EXPECT_EQ(gap.at("first"), 4);
  const auto next =
      std::find_if(rest.begin(), rest.end(), [](const auto& m) { return m.name == "datumd.Entry"; });
  ASSERT_NE(next, rest.end());
  EXPECT_EQ(Json::parse(next->json).at("link"), gap.at("last").get<std::uint64_t>() + 1);
  EXPECT_EQ(late.notice(), "") << "it is the same store";
}

TEST_F(PlantFeeds, AnotherStoreIsSentWhole) {
  add(3);
  PlantFeed feed(file, to("", "e"), {});
  PlantPosition at;
  for (const PlantMessage& message : all_of(feed)) at = *message.completes;
  for (const char* name : {"results.db", "results.db.mark"}) fs::remove(folder / name);
  add(5);
  PlantFeed again(file, to("", "e"), at);
  const auto all = all_of(again);
  EXPECT_EQ(Json::parse(all.at(0).json).at("link"), 1);
  EXPECT_THAT(again.notice(), HasSubstr("replaced or set back"));
}

TEST_F(PlantFeeds, SendsAgainFromTheEntryThatWasAskedFor) {
  add(6);
  EXPECT_EQ(asked_to_resend(folder.path()), std::nullopt);
  ask_to_resend(folder.path(), 4);
  EXPECT_EQ(asked_to_resend(folder.path()), 4u);
  PlantFeed feed(file, to("", "e"), read_position(to_text(position_before(file, 4))));
  const auto all = all_of(feed);
  ASSERT_EQ(all.size(), 4u) << "entries 4 to 7: six results and a statement";
  const Json first = Json::parse(all.at(0).json);
  EXPECT_EQ(first.at("link"), 4);
  EXPECT_EQ(first.at("head"), 7) << "the store's newest";
  EXPECT_EQ(feed.notice(), "") << "it is the same store";
  EXPECT_EQ(position_before(file, 1).place.link, 0u);
  EXPECT_EQ(position_before(file, 99).place.link, 0u) << "an entry that is not there: all";
  forget_resend(folder.path());
  EXPECT_EQ(asked_to_resend(folder.path()), std::nullopt);
  folder.write("resend", "all\n");
  EXPECT_EQ(asked_to_resend(folder.path()), std::nullopt);
}

TEST_F(PlantFeeds, BytesThatAreNoTextKeepTheirHash) {
  add(1, "\xff\xfe");
  PlantFeed feed(file, to("", "e"), {});
  std::string before(64, '0');
  for (const PlantMessage& message : all_of(feed)) {
    const Json entry = Json::parse(message.json);
    std::string body = entry.value("body", "");
    if (entry.contains("body_hex")) {
      const std::string hex = entry.at("body_hex");
      for (std::size_t i = 0; i < hex.size(); i += 2)
        body += static_cast<char>(std::stoi(hex.substr(i, 2), nullptr, 16));
    }
    EXPECT_EQ(EntryHash(before).add(body).hex(), entry.at("sha256"));
    before = entry.at("sha256");
  }
}

TEST_F(PlantFeeds, AFaultOfTheStationIsOpenAcrossRestarts) {
  const auto store_one = [&](Reason reason) {
    ResultStore store(file);
    BoardVerdict board = testing::board();
    if (reason != Reason::none) {
      board.decision = Decision::invalid;
      board.reason = reason;
      board.components.clear();
    }
    store.store(board);
  };
  PlantPosition at;
  const auto sent = [&] {
    PlantFeed feed(file, to("m", ""), read_position(to_text(at)));
    const auto all = all_of(feed);
    if (!all.empty()) at = *all.back().completes;
    std::vector<std::string> faults;
    for (const PlantMessage& m : all)
      if (m.name.find("Fault") != m.name.npos) {
        const Json body = Json::parse(m.json).at("MessageBody");
        faults.push_back(body.contains("Fault")
                             ? "+" + body.at("Fault").at("FaultOccurrenceId").get<std::string>()
                             : "-" + body.at("FaultOccurrenceId").get<std::string>());
      }
    return faults;
  };
  store_one(Reason::none);
  EXPECT_TRUE(sent().empty());
  store_one(Reason::frame_stale);
  const auto first = sent();
  ASSERT_EQ(first.size(), 1u);
  store_one(Reason::frame_stale);
  EXPECT_TRUE(sent().empty()) << "it is open";
  store_one(Reason::serial);  // of the board: the station is well
  const auto cleared = sent();
  ASSERT_EQ(cleared.size(), 1u);
  EXPECT_EQ(cleared[0], "-" + first[0].substr(1));
  store_one(Reason::frame_stale);
  EXPECT_NE(sent(), first) << "another occurrence";
}

TEST(PlantPosition, AFileOfBeforeIsReadAndAFileThatIsNoneIsRefused) {
  EXPECT_EQ(read_position(R"({"store_id":"a","link":7,"sha256":"b","recipe_sha256":"c"})").place.link, 7u);
  for (const char* text :
       {"", "{}", "[1]", R"({"store_id":1,"link":"x"})", R"({"store_id":"a","link":-1,"sha256":"b"})"})
    EXPECT_THROW(read_position(text), std::runtime_error) << text;
}

}  // namespace
}  // namespace datum
