#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/virtual_cell/virtual_plc_answers.h"
#include "tests/virtual_cell/virtual_plc_link.h"

namespace datum::plc {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

template <class Call>
std::string refusal(Call&& call) {
  try {
    call();
  } catch (const std::exception& e) {
    return e.what();
  }
  return "accepted";
}

std::string with_crc(const std::string& text) {
  char crc[8];
  std::snprintf(crc, sizeof crc, "*%04X", crc16(text));
  return text + crc;
}

TEST(VirtualPlc, CrcIsModbus) { EXPECT_EQ(crc16("123456789"), 0x4B37); }  // the check value of CRC-16/MODBUS

TEST(VirtualPlc, ReadsAResultLine) {
  const ResultLine r =
      read_result(with_crc("R,9f3c,18446744073709551615,1700000000000000,demo,000007,FAIL,20,0,2,0"));
  EXPECT_EQ(r.store_id, "9f3c");
  EXPECT_EQ(r.sequence, 18446744073709551615u);
  EXPECT_EQ(r.recipe, "demo");
  EXPECT_EQ(r.frame, "000007");
  EXPECT_EQ(r.decision, "FAIL");
}

TEST(VirtualPlc, ADamagedResultLineIsNoResult) {
  std::string line = with_crc("R,9f3c,5,1700000000000000,demo,000007,FAIL,20,0,2,0");
  line[line.find("FAIL")] = 'H';
  EXPECT_THAT(refusal([&] { read_result(line); }), HasSubstr("is right"));
  EXPECT_THAT(refusal([] { read_result("R,9f3c,5,17,demo,7,PASS,1,0,0,0"); }), HasSubstr("without CRC"));
  EXPECT_THAT(refusal([] { read_result(with_crc("R,9f3c,5,17,demo,7,PASS,1,0,0")); }),
              HasSubstr("11 fields"));
  EXPECT_THAT(refusal([] { read_result(with_crc("R,9f3c,-5,17,demo,7,PASS,1,0,0,0")); }),
              HasSubstr("sequence '-5'"));
}

TEST(VirtualPlc, TellsPushedLinesFromAnswers) {
  EXPECT_TRUE(is_pushed("R,a,1"));
  EXPECT_TRUE(is_pushed("GAP,a,1,2*0000"));
  EXPECT_FALSE(is_pushed("0,\"No error\""));
  EXPECT_FALSE(is_pushed("\"R1\",\"median\""));
}

TEST(VirtualPlc, SplitsQuotedFields) {
  EXPECT_THAT(split("1,\"a,b\",\"say \"\"no\"\"\",,x"), ElementsAre("1", "a,b", "say \"no\"", "", "x"));
  EXPECT_THAT(refusal([] { split("\"open"); }), HasSubstr("not closed"));
}

TEST(VirtualPlc, ReadsComponentsAndTheNumbersThatStandForNone) {
  const Components c = read_components(
      "12,2,\"R1\",\"median\",PASS,NONE,551.25,1.5,500,9.9E37,\"um\",\"\","
      "\"C4\",\"median\",INVALID,FLOOR_SIDES,9.91E37,9.91E37,920,1080,\"um\",\"only, one side\"");
  EXPECT_EQ(c.sequence, 12u);
  ASSERT_EQ(c.rows.size(), 2u);
  EXPECT_EQ(c.rows[0].value, 551.25);
  EXPECT_EQ(c.rows[0].u_expanded, 1.5);
  EXPECT_EQ(c.rows[0].lower, 500);
  EXPECT_FALSE(c.rows[0].upper.has_value());
  EXPECT_FALSE(c.rows[1].value.has_value());
  EXPECT_EQ(c.rows[1].words, "only, one side");
  EXPECT_THAT(refusal([] { read_components("12,3,\"R1\",\"median\",PASS,NONE,1,1,1,1,\"um\",\"\""); }),
              HasSubstr("3 rows announced, 10 fields came"));
  const std::string table = table_of(c.rows);
  EXPECT_THAT(table, HasSubstr("551.25"));
  EXPECT_THAT(table, HasSubstr("INVALID FLOOR_SIDES: only, one side"));
  EXPECT_THAT(table, HasSubstr(" -        -"));
}

TEST(VirtualPlc, ExitCodesRankVerdictsAndUnknownWordsAreTheWorst) {
  EXPECT_EQ(exit_code_of("PASS"), 0);
  EXPECT_LT(exit_code_of("INCONCLUSIVE"), exit_code_of("FAIL"));
  EXPECT_LT(exit_code_of("FAIL"), exit_code_of("INVALID"));
  EXPECT_EQ(exit_code_of("pass"), exit_code_of("INVALID"));
}

TEST(VirtualPlc, RefusesLinksThatAreNone) {
  for (const char* link : {"", "tcp", "tcp:127.0.0.1", "udp:1:2", "tcp:127.0.0.1:x", "serial:/dev/x:fast"})
    EXPECT_THROW(port_of(link), std::invalid_argument) << link;
}

}  // namespace
}  // namespace datum::plc
