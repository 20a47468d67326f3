#include "drivers/ipp/ipp_value.h"

#include <gmock/gmock.h>

#include "drivers/ipp/ipp_error.h"

namespace datum {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::Optional;

std::vector<IppValue> values(const std::string& text) {
  const IppReading reading = read_ipp_values(text);
  EXPECT_EQ(reading.why, "") << text;
  return reading.values;
}

TEST(IppValue, NumbersInEveryFormOfTheStandard) {
  for (const auto& [text, wanted] :
       std::vector<std::pair<std::string, double>>{{"X(0.00000)", 0},
                                                   {"X(+.197)", 0.197},
                                                   {"X(-4.003E-01)", -0.4003},
                                                   {"X( +1.245E01 )", 12.45},
                                                   {"X (5.)", 5},
                                                   {"X(1.2345678901234567)", 1.2345678901234567},
                                                   {"X(2e+002)", 200}})
    EXPECT_THAT(number_of(values(text), "X"), Optional(wanted)) << text;
  for (const std::string text :
       {"X(1.2.3)", "X(--1)", "X(+-1)", "X(1e)", "X(.)", "X(1e999)", "X(-)", "X(1,)"})
    EXPECT_NE(read_ipp_values(text).why, "") << text;
  for (const std::string text : {"X(nan)", "X(inf)", "X()", "X", "Y(1)", "X(1, 2)", "X(1), X(2)", "X(\"1\")"})
    EXPECT_FALSE(number_of(values(text), "X")) << text;
}

TEST(IppValue, WordsQuotedOrNotNamedOrNot) {
  for (const std::string text : {"Tool.Name(\"Probe1\")", "Tool.Name(Probe1)", "\"Probe1\"", "Probe1"})
    EXPECT_THAT(word_of(values(text), "Tool.Name"), Optional(std::string("Probe1"))) << text;
  EXPECT_THAT(word_of(values("DMEVersion(2.5)"), "DMEVersion"), Optional(std::string("2.5")));
  EXPECT_FALSE(word_of(values("Tool.Name()"), "Tool.Name"));
  EXPECT_FALSE(word_of(values("\"A\", \"B\""), "Tool.Name"));
  EXPECT_FALSE(word_of(values("Tool.Id(\"3\")"), "Tool.Name"));
}

TEST(IppValue, ListsOfNumbersWithAndWithoutAName) {
  EXPECT_THAT(numbers_of(values("T(1, -2.5, 3E1)"), "T"), Optional(ElementsAre(1, -2.5, 30)));
  EXPECT_THAT(numbers_of(values("1,2 , 3"), "T"), Optional(ElementsAre(1, 2, 3)));
  EXPECT_FALSE(numbers_of(values("T(1, a)"), "T"));
}

TEST(IppValue, SaysWhereItCantBeRead) {
  for (const auto& [text, why] : std::vector<std::pair<std::string, std::string>>{
           {"X(1", "no ')' at character 4"},
           {"X(1))", "')' without '(' at character 5"},
           {"X(1),", "a value is missing at character 6"},
           {",X(1)", "a value is missing at character 1"},
           {"Name(\"Probe1)", "no '\"' at the end at character 6"},
           {"a(a(a(a(a(a(a(a(a(1)))))))))", "too many '(' within each other at character 19"}})
    EXPECT_EQ(read_ipp_values(text).why, why) << text;
  EXPECT_TRUE(values("").empty());
  EXPECT_NE(read_ipp_values(std::string(100'000, '(')).why, "");
}

TEST(IppError, SeverityCodeCauseAndText) {
  const IppError e =
      read_ipp_error("Error(3, 1008, \"00011 GoTo(X(99999))\", \"Target position out of machine volume\")");
  EXPECT_EQ(e.severity, 3);
  EXPECT_EQ(e.code, 1008);
  EXPECT_EQ(e.cause, "00011 GoTo(X(99999))");
  EXPECT_EQ(e.text, "Target position out of machine volume");
  EXPECT_EQ(describe(e),
            "error 1008 (target outside the volume), severity 3: Target position out of machine "
            "volume [00011 GoTo(X(99999))]");
}

TEST(IppError, CausesWithoutQuotes) {
  const IppError e = read_ipp_error("Error( 3,500, HealthCheck, \"Emergency Stop\" )");
  EXPECT_EQ(e.cause, "HealthCheck");
  EXPECT_EQ(e.text, "Emergency Stop");
  const IppError f = read_ipp_error("Error(2, 0509, Get(X(), Q()), \"Bad argument, twice\")");
  EXPECT_EQ(f.cause, "Get(X(), Q())");
  EXPECT_EQ(f.text, "Bad argument, twice");
  EXPECT_EQ(read_ipp_error("Error(1, 0504, A, B)").text, "B");
}

// An error line without a readable cause counts as severe.
TEST(IppError, WhatCantBeReadIsSevere) {
  for (const std::string text : {"", "Error", "Error()", "Error(2)", "Error(x, 1, A, B)", "Oops(1, 2, 3, 4)",
                                 "Error(1, 0504, A, B", "Error(7, 0504, A, B)", "Error(-1, 0504, A, B)"})
    EXPECT_EQ(read_ipp_error(text).severity, 2) << text;
  EXPECT_THAT(describe(read_ipp_error("Oops")), HasSubstr("severity 2: Oops"));
  EXPECT_EQ(read_ipp_error("Error(9, 0503, A, B)").severity, IppError::fatal);
}

}  // namespace
}  // namespace datum
