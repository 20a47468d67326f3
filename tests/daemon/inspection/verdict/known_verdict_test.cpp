// Reading for showing: what a newer datumd added is passed over and named, and nothing else is.
#include "daemon/inspection/verdict/known_verdict.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "daemon/inspection/verdict/json_element.h"
#include "tests/daemon/scpi/fixture.h"

namespace datum {
namespace known_verdict_test {
namespace {

using testing::board;
using ::testing::ElementsAre;

std::string with(std::string json, const std::string& part, const std::string& other) {
  json.replace(json.find(part), part.size(), other);
  return json;
}

std::vector<std::string> left_out(const std::string& json) {
  std::vector<std::string> names;
  known_verdict(json, names);
  return names;
}

const std::string good = to_json(board());

}  // namespace

TEST(KnownVerdict, OfAKnownOneNothingIsLeftOut) {
  std::vector<std::string> names;
  EXPECT_EQ(to_json(known_verdict(good, names)), good);
  EXPECT_TRUE(names.empty());
}

TEST(KnownVerdict, NewKeysAreNamedOnceAndTheRestIsRead) {
  std::string newer = good;
  for (std::size_t at = 0; (at = newer.find("\"rms_um\"", at)) != newer.npos; at += 24)
    newer.insert(at, "\"rms2_um\":1,");
  newer = with(newer, "\"backend\":", "\"shift\":{\"x\":[1,{}]},\"backend\":");
  EXPECT_THROW(verdict_from_json(newer), std::runtime_error);  // what verifies a store stays strict
  std::vector<std::string> names;
  EXPECT_EQ(to_json(known_verdict(newer, names)), good);
  EXPECT_THAT(names, ElementsAre("components[].floor.rms2_um", "shift"));
}

TEST(KnownVerdict, ANewWordTakesItsCheckOrItsReasonAlone) {
  std::vector<std::string> names;
  const BoardVerdict v =
      known_verdict(with(with(good, "\"characteristic\":\"median\"", "\"characteristic\":\"no_such_thing\""),
                         "\"reason\":\"FLOOR_INLIER_RATIO\"", "\"reason\":\"FLOOR_COLOUR\""),
                    names);
  ASSERT_EQ(v.components.size(), 3u);
  EXPECT_TRUE(v.components[0].checks.empty());
  EXPECT_EQ(v.components[0].decision, Decision::pass);
  EXPECT_EQ(v.components[1].checks.size(), 1u);
  EXPECT_EQ(v.decision, Decision::invalid);
  EXPECT_EQ(v.reason, Reason::none);
  EXPECT_THAT(
      names,
      ElementsAre("reason: 'FLOOR_COLOUR' is not known",
                  "verdict JSON: components[0].checks[0].characteristic: 'no_such_thing' is not known"));
}

TEST(KnownVerdict, WhatABoardItselfNeedsIsDemanded) {
  EXPECT_THROW(left_out("{"), std::runtime_error);
  EXPECT_THROW(left_out("[]"), std::runtime_error);
  EXPECT_THROW(left_out(with(good, "\"decision\":\"INVALID\"", "\"decision\":\"DOUBTFUL\"")),
               std::runtime_error);
  EXPECT_THROW(left_out(with(good, "\"recipe\":\"mainboard\",", "")), std::runtime_error);
}

TEST(KnownComponent, IsThatOfTheWholeVerdict) {
  BoardVerdict v = board();
  v.detail = "},{\"components\":[{\"reference\":\"U2\"}]\\";  // stands before the components
  v.components[0].checks[0].detail = "\"reference\":\"U2\"";
  v.components[1].reference = "U\"2\\ \xc3\xa4";
  const std::string json = to_json(v);
  for (const ComponentVerdict& c : v.components) {
    const auto found = known_component(json, c.reference);
    ASSERT_TRUE(found) << c.reference;
    EXPECT_EQ(found->decision, c.decision);
    EXPECT_EQ(found->checks.at(0).value, c.checks[0].value);
  }
  EXPECT_FALSE(known_component(json, "U2"));
  EXPECT_FALSE(known_component(json, ""));
}

TEST(KnownComponent, NoTextLeadsItAstray) {
  for (std::size_t n = 0; n < good.size(); ++n) {  // cut off at each place
    const auto found = known_component(std::string_view(good).substr(0, n), "U3");
    if (found) {
      EXPECT_EQ(found->checks.size(), 1u) << n;
    }
  }
  for (const char* text : {"", "{", "{\"components\"", "{\"components\":", "{\"components\":[",
                           "{\"components\":{}}", "{\"components\":[[{\"reference\":\"U3\"}]]}",
                           "{\"a\":\"\\\"", "{\"a\":\"\\", "[{\"components\":[{\"reference\":\"U3\"}]}]",
                           "{\"components\":[{\"reference\":{\"reference\":\"U3\"}}]}"})
    EXPECT_TRUE(element_with(text, "components", "reference", "\"U3\"").empty()) << text;
  EXPECT_EQ(element_with(" { \"x\" : [ ] , \"components\" : [ 1 , { \"a\" : 2 , \"reference\" : \"U3\" } ] }",
                         "components", "reference", "\"U3\""),
            "{ \"a\" : 2 , \"reference\" : \"U3\" }");
}

}  // namespace known_verdict_test
}  // namespace datum
