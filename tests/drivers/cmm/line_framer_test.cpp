#include "drivers/cmm/line_framer.h"

#include <gmock/gmock.h>

namespace datum {
namespace {

using ::testing::ElementsAre;

// Lines as "text" or "!fault", from bytes that come a millisecond apart.
struct Framed {
  LineFramer framer;
  std::vector<Line> lines;
  MonotonicNs now = 0;

  explicit Framed(const LineFraming& framing, Integrity integrity = Integrity::none)
      : framer(framing, integrity) {}
  std::vector<std::string> take(const std::string& bytes) {
    std::vector<std::string> texts;
    for (const char c : bytes) {
      now += ns_per_ms;
      if (auto line = framer.push(static_cast<std::uint8_t>(c), now)) {
        texts.push_back(line->fault.empty() ? line->text : "!" + line->fault);
        lines.push_back(*line);
      }
    }
    return texts;
  }
};

LineFraming terminated_by(const std::string& terminator) {
  LineFraming framing;
  framing.terminator = terminator;
  return framing;
}

TEST(LineFramer, Terminators) {
  for (const std::string end : {"\r", "\n", "\r\n", "\n\r", "\x03", ">"})
    EXPECT_THAT(Framed(terminated_by(end)).take("a" + end + end + "b c" + end + "rest"),
                ElementsAre("a", "b c"));
}

TEST(LineFramer, TheOtherTerminatorIsNamed) {
  EXPECT_THAT(Framed(terminated_by("\r")).take("1.0\r\n2.0\r"),
              ElementsAre("1.0", "!byte 0x0A at 1 of '\\x0A2.0'; terminator of the link?"));
}

TEST(LineFramer, TimesOfFirstAndLastByte) {
  Framed framed(terminated_by("\r\n"));
  framed.take("ab\r\ncd\r\n");
  ASSERT_EQ(framed.lines.size(), 2u);
  EXPECT_EQ(framed.lines[0].first_byte_ns, 1 * ns_per_ms);
  EXPECT_EQ(framed.lines[0].last_byte_ns, 4 * ns_per_ms);
  EXPECT_EQ(framed.lines[1].first_byte_ns, 5 * ns_per_ms);
  EXPECT_EQ(framed.lines[1].last_byte_ns, 8 * ns_per_ms);
}

TEST(LineFramer, StartCharacter) {
  LineFraming framing = terminated_by("\x03");
  framing.start = '\x02';
  EXPECT_THAT(Framed(framing).take("noise\x03\x02"
                                   "1.0\x03 more \x02"
                                   "2.\x02"
                                   "3.0\x03"),
              ElementsAre("1.0", "!line cut short: '2.'", "3.0"));
}

TEST(LineFramer, ALineBeyondTheMaximumIsRefusedAndTheNextOneRead) {
  LineFraming framing = terminated_by("\r\n");
  framing.max_length = 5;
  EXPECT_THAT(Framed(framing).take("12345\r\n"), ElementsAre("12345"));
  EXPECT_THAT(Framed(framing).take("123456\r\n1\r\n"),
              ElementsAre("!line longer than 5 characters: '123456\\x0D'", "1"));
  const std::string babble(100'000, '7');
  EXPECT_THAT(Framed(framing).take(babble + "\r\n1\r\n"),
              ElementsAre("!line longer than 5 characters: '7777777'", "1"));
}

TEST(LineFramer, TheRestOfALineThatBeganBeforeIsSkipped) {
  Framed framed(terminated_by("\r\n"));
  framed.framer.reset(true);
  EXPECT_THAT(framed.take("345\r\n1.5\r\n"), ElementsAre("1.5"));
}

TEST(LineFramer, BytesThatNoLineHas) {
  EXPECT_THAT(Framed(terminated_by("\r"))
                  .take(std::string("\0\0"
                                    "1.0\r",
                                    6)),
              ElementsAre("1.0"));
  EXPECT_THAT(Framed(terminated_by("\r")).take(std::string("1\0.0\r", 5)),
              ElementsAre("!byte 0x00 at 2 of '1\\x00.0'; parity or framing error?"));
  EXPECT_THAT(Framed(terminated_by("\r")).take("\xB1.0\r"),
              ElementsAre("!byte 0xB1 at 1 of '\\xB1.0'; data bits or parity of the link?"));
  LineFraming seven_bits = terminated_by("\r");
  seven_bits.mask_bit7 = true;
  EXPECT_THAT(Framed(seven_bits).take("\xB1.0\x8D"), ElementsAre("1.0"));
  EXPECT_THAT(Framed(terminated_by("\r"))
                  .take("1\x13.\x11"
                        "0\r"),
              ElementsAre("1.0"));
}

// 'A' ^ 'B' = 03, 'A' + 'B' = 83
TEST(LineFramer, CheckDigits) {
  const auto one = [](Integrity integrity, const std::string& text) {
    return Framed(terminated_by("\r"), integrity).take(text + "\r").at(0);
  };
  EXPECT_EQ(one(Integrity::xor_hex, "AB03"), "AB");
  EXPECT_EQ(one(Integrity::xor_hex, "AB04"), "!check digits 04 where 03 belong: 'AB04'");
  EXPECT_EQ(one(Integrity::sum8_hex, "AB83"), "AB");
  EXPECT_EQ(one(Integrity::sum8_hex, "AB03"), "!check digits 03 where 83 belong: 'AB03'");
  EXPECT_EQ(one(Integrity::nmea, "$AB*03"), "AB");
  EXPECT_EQ(one(Integrity::nmea, "$AB*83"), "!check digits 83 where 03 belong: '$AB*83'");
  EXPECT_EQ(one(Integrity::nmea, "$AB"), "!no check digits at the end of '$AB'");
  EXPECT_EQ(one(Integrity::xor_hex, "03"), "!no check digits at the end of '03'");
  EXPECT_EQ(one(Integrity::xor_hex, "xz02"), "xz");
  EXPECT_EQ(one(Integrity::sum8_hex, "xzf2"), "xz");  // lower case
}

TEST(LineFramer, QuotesForMessages) {
  EXPECT_EQ(in_quotes("a\x01"), "'a\\x01'");
  EXPECT_EQ(in_quotes(std::string(61, 'x')), "'" + std::string(60, 'x') + "...'");
}

}  // namespace
}  // namespace datum
