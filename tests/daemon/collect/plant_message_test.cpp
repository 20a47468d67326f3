// Bytes of the broker: what is an entry, and what is refused with its reason.
#include "daemon/collect/plant_message.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>
#include <random>

#include "daemon/collect/verdict_rows.h"
#include "tests/daemon/collect/virtual_chain.h"
#include "tests/daemon/scpi/fixture.h"
#include "tests/damaged_bytes.h"

namespace datum {
namespace {

using ::testing::HasSubstr;
using Json = nlohmann::ordered_json;

constexpr std::size_t largest = 1 << 20;

std::string refusal(const std::string& bytes) {
  const auto content = decode_plant_message(bytes, largest);
  const auto* refused = std::get_if<Refusal>(&content);
  return refused ? refused->why : "";
}

Json one_entry() { return Json::parse(testing::VirtualChain("V.M.1").board(testing::board())); }

TEST(PlantMessage, ReadsAResult) {
  const auto content = decode_plant_message(one_entry().dump(), largest);
  const auto& entry = std::get<PlantEntry>(content);
  EXPECT_EQ(entry.cell, "V.M.1");
  EXPECT_EQ(entry.store_id, "store-a");
  EXPECT_EQ(entry.link, 1u);
  EXPECT_EQ(entry.head, 1u);
  EXPECT_TRUE(entry.is_result());
  EXPECT_EQ(entry.sequence, 1u);
  EXPECT_EQ(entry.measured_at(), "2026-11-21T07:18:17.123456Z");
  EXPECT_EQ(entry.unit_id(), "SN-7");
  EXPECT_EQ(entry.decision(), "3");
  EXPECT_EQ(entry_hash(entry.before, entry.body), entry.sha256);
}

TEST(PlantMessage, ReadsAStatementAndAGap) {
  testing::VirtualChain chain("V.M.1");
  const auto statement = decode_plant_message(chain.statement(R"({"what":"made"})"), largest);
  EXPECT_FALSE(std::get<PlantEntry>(statement).is_result());
  EXPECT_EQ(std::get<PlantEntry>(statement).statement(), R"({"what":"made"})");
  const auto gap =
      decode_plant_message(R"({"cell":"V.M.1","store_id":"s","gap":{"first":3,"last":9}})", largest);
  EXPECT_EQ(std::get<PlantGap>(gap).last, 9u);
}

TEST(PlantMessage, ReadsBytesThatAreNoText) {
  testing::VirtualChain chain("V.M.1");
  BoardVerdict board = testing::board();
  board.unit_id = std::string("\xff\x00z", 3);
  StoredResult row = row_of(board, to_json(board));
  row.sequence = 1;
  row.store_id = "store-a";
  const std::string body = chain_body(row);
  Json json = one_entry();
  json.erase("body");
  std::string hex;
  for (const char c : body) hex += fmt::format("{:02x}", static_cast<unsigned char>(c));
  json["body_hex"] = hex;
  const auto content = decode_plant_message(json.dump(), largest);
  EXPECT_EQ(std::get<PlantEntry>(content).body, body);
  EXPECT_EQ(std::get<PlantEntry>(content).unit_id(), std::string_view("\xff\x00z", 3));
}

TEST(PlantMessage, RefusesWhatIsNone) {
  EXPECT_THAT(refusal("hello"), HasSubstr("is no JSON object"));
  EXPECT_THAT(refusal(""), HasSubstr("is no JSON object"));
  EXPECT_THAT(refusal("[1]"), HasSubstr("is no JSON object"));
  EXPECT_THAT(refusal("{\"cell\":\"\xff\"}"), HasSubstr("is no JSON object"));
  EXPECT_THAT(refusal(std::string(2 << 20, ' ')), HasSubstr("largest_message_mib"));
  EXPECT_THAT(refusal(std::string(100'000, '[')), HasSubstr("is no JSON object")) << "depth";
  EXPECT_THAT(refusal("{}"), HasSubstr("cell"));
}

TEST(PlantMessage, RefusesAnEntryWithAFieldOfAnotherKind) {
  const auto with = [](const char* key, const Json& value) {
    Json json = one_entry();
    json[key] = value;
    return refusal(json.dump());
  };
  EXPECT_THAT(with("cell", "V.M.1\n2"), HasSubstr("'cell'"));
  EXPECT_THAT(with("cell", std::string("V\0M", 3)), HasSubstr("'cell'"));
  EXPECT_THAT(with("cell", std::string(200, 'a')), HasSubstr("'cell'"));
  EXPECT_THAT(with("link", 0), HasSubstr("'link'"));
  EXPECT_THAT(with("link", -1), HasSubstr("'link'"));
  EXPECT_THAT(with("link", 1.5), HasSubstr("'link'"));
  EXPECT_THAT(with("link", 18446744073709551615ULL), HasSubstr("'link'"));
  EXPECT_THAT(with("sha256", "abc"), HasSubstr("SHA-256"));
  EXPECT_THAT(with("sha256", ""), HasSubstr("SHA-256"));
  EXPECT_THAT(with("before", std::string(64, 'G')), HasSubstr("SHA-256"));
  EXPECT_THAT(with("body", "1:a"), HasSubstr("netstrings"));
  EXPECT_THAT(with("body", "99999999999999999999:a,"), HasSubstr("netstrings"));
  EXPECT_THAT(with("body", "1:s,9:statement,"), HasSubstr("neither"));
  EXPECT_THAT(with("body", "1:s,1:0,1:t,1:u,1:r,1:0,4:NONE,1:f,1:h,2:{},"), HasSubstr("sequence"));
  EXPECT_THAT(with("body", "1:s,1:1,1:t,1:u,1:r,1:4,4:NONE,1:f,1:h,2:{},"), HasSubstr("decision"));
}

TEST(PlantMessage, DamagedBytesAreNeverMoreThanRefused) {
  const std::string good = one_entry().dump();
  std::mt19937 random(11);
  for (int i = 0; i < 2000; ++i) {
    const auto content = decode_plant_message(testing::damaged(good, random), largest);
    if (const auto* entry = std::get_if<PlantEntry>(&content); entry && entry->is_result()) {
      EXPECT_NO_THROW(rows_of(*entry, 0));
    }
  }
}

}  // namespace
}  // namespace datum
