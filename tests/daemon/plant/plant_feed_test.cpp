// What is sent of a store, in which order, and what counts as delivered.
#include "daemon/plant/plant_feed.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <fstream>
#include <nlohmann/json.hpp>

#include "daemon/sign/entry_hash.h"
#include "daemon/store/result_store.h"
#include "tests/daemon/scpi/fixture.h"

namespace datum {
namespace {

namespace fs = std::filesystem;
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
  const auto first = all_of(feed);
  ASSERT_EQ(first.size(), 4u);
  EXPECT_THAT(first[0].name, HasSubstr("RecipeActivated"));
  add(1);
  EXPECT_EQ(all_of(feed).size(), 3u) << "the recipe is the same";
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
  EXPECT_EQ(Json::parse(rest[3].name == "datumd.Entry" ? rest[3].json : rest.back().json)
                    .at("link")
                    .get<std::uint64_t>() > gap.at("last").get<std::uint64_t>(),
            true);
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

TEST(PlantPosition, AFileThatIsNoneIsRefused) {
  for (const char* text :
       {"", "{}", "[1]", R"({"store_id":1,"link":"x"})", R"({"store_id":"a","link":-1,"sha256":"b"})"})
    EXPECT_THROW(read_position(text), std::runtime_error) << text;
}

}  // namespace
}  // namespace datum
