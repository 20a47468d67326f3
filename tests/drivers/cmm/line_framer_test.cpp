#include "drivers/cmm/line_framer.h"

#include <gmock/gmock.h>

#include "drivers/cmm/line_check.h"

namespace datum {
namespace {

using ::testing::ElementsAre;

// Lines as "text" or "!fault", from bytes a millisecond apart.
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

// The published check values of "123456789": CRC-16/MODBUS 4B37, CRC-16/CCITT-FALSE 29B1; its sum is 1DD, and
// DD + 23 is a multiple of 100 (hexadecimal).
TEST(LineFramer, PublishedCheckValues) {
  const std::pair<Integrity, const char*> values[] = {{Integrity::sum8_hex, "DD"},
                                                      {Integrity::lrc_hex, "23"},
                                                      {Integrity::crc16_modbus_hex, "4B37"},
                                                      {Integrity::crc16_ccitt_hex, "29B1"}};
  for (const auto& [integrity, digits] : values) {
    EXPECT_EQ(check_digits("123456789", integrity), digits);
    Framed framed(terminated_by("\r"), integrity);
    EXPECT_THAT(framed.take("123456789" + std::string(digits) + "\r"), ElementsAre("123456789"));
    for (char bit = 1; bit < 0x10; bit = static_cast<char>(bit * 2)) {  // one bit of a digit flipped
      std::string line = "123456789" + std::string(digits) + "\r";
      line[4] = static_cast<char>(line[4] ^ bit);
      EXPECT_EQ(framed.take(line).at(0).substr(0, 13), "!check digits") << digits;
    }
  }
}

TEST(LineFramer, CheckDigitsBehindTheEndCharacterCoverIt) {
  LineFraming framing = terminated_by("\r\n");
  framing.start = '\x02';
  framing.end = '\x03';
  EXPECT_THAT(Framed(framing).take("\x02\x41\x42\x03\r\n"), ElementsAre("AB"));
  EXPECT_THAT(Framed(framing).take("\x02\x41\x42\r\n"), ElementsAre("!no end character 0x03: 'AB'"));
  EXPECT_THAT(Framed(framing).take("\x02\x41\x42\x03\x39\r\n"), ElementsAre("!'9' behind the end character"));
  // 'A' + 'B' + 0x03 = 86
  Framed summed(framing, Integrity::sum8_hex);
  EXPECT_THAT(summed.take("\x02\x41\x42\x03\x38\x36\r\n"), ElementsAre("AB"));
  EXPECT_THAT(summed.take("\x02\x41\x42\x03\x38\x33\r\n"),
              ElementsAre("!check digits 83 where 86 belong: 'AB\\x0383'"));
}

// 'A' ^ 'B' ^ 0x03 = 0x00, 'A' ^ 'C' ^ 0x03 = 0x01: the check byte may have any value, even one that no line
// contains.
TEST(LineFramer, ACheckByteBehindTheTerminator) {
  LineFraming framing = terminated_by("\x03");
  framing.start = '\x02';
  Framed framed(framing, Integrity::xor_byte);
  EXPECT_THAT(framed.take(std::string("\x02\x41\x42\x03\x00\x02\x41\x43\x03\x01", 10)),
              ElementsAre("AB", "AC"));
  EXPECT_THAT(framed.take("\x02\x41\x42\x03\x02\x02\x41\x43\x03\x01"),
              ElementsAre("!check byte 02 where 00 belongs: 'AB\\x03'", "AC"));
}

TEST(LineFramer, FixedLength) {
  LineFraming framing = terminated_by("");
  framing.fixed_length = 4;
  EXPECT_THAT(Framed(framing).take("1.5 2.5 3"), ElementsAre("1.5 ", "2.5 "));
  framing.start = '#';
  EXPECT_THAT(Framed(framing).take("9.#1.25#1.#3.50"), ElementsAre("1.25", "!line cut short: '1.'", "3.50"));
}

TEST(LineFramer, APauseEndsALine) {
  LineFraming framing = terminated_by("");
  framing.gap_ms = 20;
  Framed framed(framing);
  framed.framer.reset(true);
  EXPECT_THAT(framed.take("25"), ElementsAre());  // the rest of a line
  framed.now += 19 * ns_per_ms;
  EXPECT_THAT(framed.take("1.0"), ElementsAre());  // 20 ms after the byte before
  EXPECT_EQ(framed.framer.ends_by_pause(), framed.now + 20 * ns_per_ms);
  EXPECT_FALSE(framed.framer.pause(framed.now + 20 * ns_per_ms - 1));
  const auto line = framed.framer.pause(framed.now + 20 * ns_per_ms);
  ASSERT_TRUE(line);
  EXPECT_EQ(line->text, "1.0");
  EXPECT_EQ(line->last_byte_ns, framed.now);
  EXPECT_FALSE(framed.framer.ends_by_pause());
  framed.take("2.0");
  framed.now += 30 * ns_per_ms;
  EXPECT_THAT(framed.take("3.0"), ElementsAre("2.0"));
  EXPECT_EQ(framed.lines.back().first_byte_ns, framed.lines.back().last_byte_ns - 2 * ns_per_ms);
  framed.now += 30 * ns_per_ms;
  EXPECT_THAT(framed.take(std::string(200, '7')),
              ElementsAre("3.0", ::testing::StartsWith("!line longer than 128 characters")));
}

}  // namespace
}  // namespace datum
