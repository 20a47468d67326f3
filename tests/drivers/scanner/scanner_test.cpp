// A scanner's bytes: what is a serial number, and what must never become one.
#include <gmock/gmock.h>

#include "drivers/scanner/iso15434.h"
#include "drivers/scanner/scanner_link.h"
#include "tests/drivers/port/pty_pair.h"

namespace datum {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

constexpr MonotonicNs ms = 1'000'000;

std::vector<std::string> texts(const std::vector<Scan>& scans) {
  std::vector<std::string> all;
  for (const Scan& scan : scans) all.push_back(scan.fault.empty() ? scan.bytes : "! " + scan.fault);
  return all;
}

ScanFramer framer() { return {"", "\r", 100 * ms}; }

TEST(ScanFramer, TwoScansInOneReadAreTwo) {
  ScanFramer f = framer();
  EXPECT_THAT(texts(f.receive("SN-1\r\nSN-2\r\n\r\r", 0)), ElementsAre("SN-1", "SN-2"));
  EXPECT_EQ(f.deadline(), std::nullopt) << "line ends begin no scan";
}

TEST(ScanFramer, AScanInPiecesIsOneAndHalfOfOneIsNone) {
  ScanFramer f = framer();
  EXPECT_THAT(texts(f.receive("SN", 0)), IsEmpty());
  EXPECT_THAT(texts(f.receive("-1\rSN-", 99 * ms)), ElementsAre("SN-1"));
  ASSERT_EQ(f.deadline(), 199 * ms);
  EXPECT_EQ(f.on_deadline(198 * ms), std::nullopt);
  EXPECT_THAT(f.on_deadline(199 * ms)->fault, HasSubstr("3 bytes came without the suffix"));
  EXPECT_THAT(texts(f.receive("2\r", 200 * ms)), ElementsAre("2")) << "what the pattern refuses";
  // The deadline was not served in time: the bytes are two scans all the same.
  EXPECT_THAT(texts(f.receive("SN-", 300 * ms)), IsEmpty());
  EXPECT_THAT(texts(f.receive("SN-3\r", 400 * ms)), ElementsAre("! 3 bytes came without the suffix", "SN-3"));
}

TEST(ScanFramer, AnEndlessLineIsSaidOnceAndLeavesNothing) {
  ScanFramer f = framer();
  std::size_t said = 0;
  for (int i = 0; i < 1000; ++i) said += f.receive(std::string(1000, 'A'), i * ms).size();
  EXPECT_EQ(said, 1u);
  EXPECT_THAT(texts(f.receive("tail\rSN-1\r", 1000 * ms)), ElementsAre("SN-1"));
  for (int i = 0; i < 10; ++i) f.receive(std::string(1000, 'A'), (2000 + i) * ms);
  EXPECT_EQ(f.on_deadline(2109 * ms), std::nullopt) << "said already";
  EXPECT_THAT(texts(f.receive("SN-2\r", 2110 * ms)), ElementsAre("SN-2"));
}

TEST(ScanFramer, WithoutItsPrefixItIsNoScan) {
  ScanFramer f("\x02", "\x03", 100 * ms);
  EXPECT_THAT(texts(f.receive("\x02SN-1\x03SN-2\x03\x02\x03", 0)),
              ElementsAre("SN-1", "! 4 bytes came without the prefix"));
}

TEST(ScanFramer, ALostLineCutsAScan) {
  ScanFramer f = framer();
  EXPECT_EQ(f.cut(), std::nullopt);
  f.receive("SN-", 0);
  EXPECT_THAT(f.cut()->fault, HasSubstr("after 3 bytes"));
  EXPECT_THAT(texts(f.receive("1\r", ms)), ElementsAre("1"));
}

const std::string whole =
    "[)>\x1e"
    "06\x1dP4711\x1dS0042ab\x1d"
    "1TLOT-7\x1e\x04";

TEST(Iso15434, FieldsByTheirDataIdentifiers) {
  const Iso15434 read = parse_iso15434(whole);
  EXPECT_EQ(read.fault, "");
  ASSERT_EQ(read.fields.size(), 3u);
  EXPECT_EQ(read.fields[1].identifier, "S");
  EXPECT_EQ(read.fields[1].value, "0042ab") << "zeros and case stay";
  EXPECT_EQ(read.fields[2].identifier, "1T");
  EXPECT_EQ(parse_iso15434("[)>\x1e"
                           "05\x1d"
                           "21XY\x1e"
                           "06\x1dS1\x1e\x04")
                .fields.size(),
            1u)
      << "format 05 is passed over";
}

TEST(Iso15434, EveryByteMissingIsAFault) {
  for (std::size_t i = 0; i < whole.size(); ++i) {
    std::string damaged = whole;
    damaged.erase(i, 1);
    const Iso15434 read = parse_iso15434(damaged);
    // A byte of a value or identifier, or a GS between fields, leaves a well-formed envelope: scanner.pattern refuses its number.
    const bool in_text = i > 6 && whole[i] != '\x1e' && whole[i] != '\x04';
    if (!in_text) {
      EXPECT_NE(read.fault, "") << i;
    }
    EXPECT_TRUE(read.fault.empty() || read.fields.empty());
    EXPECT_NE(parse_iso15434(whole.substr(0, i)).fault, "") << "the first " << i << " bytes";
  }
}

ScannerSettings envelope() {
  ScannerSettings s;
  s.format = ScanFormat::iso15434;
  return s;
}

TEST(SerialOf, TheFieldThatIsAskedFor) {
  EXPECT_EQ(serial_of(whole, envelope()).text, "0042ab");
  ScannerSettings part = envelope();
  part.identifier = "25S";
  EXPECT_THAT(serial_of(whole, part).fault, HasSubstr("no field of format 06 with data identifier 25S"));
  EXPECT_THAT(serial_of("[)>\x1e"
                        "06\x1dS1\x1dS2\x1e\x04",
                        envelope())
                  .fault,
              HasSubstr("two fields"));
  EXPECT_EQ(serial_of("[)>\x1e"
                      "06\x1dS1\x1dS1\x1e\x04",
                      envelope())
                .text,
            "1");
  EXPECT_THAT(serial_of("SN-1", envelope()).fault, HasSubstr("does not begin with [)>"));
  EXPECT_THAT(serial_of(whole, {}).fault, HasSubstr("scanner.format")) << "an envelope is no plain number";
}

TEST(SerialOf, NoControlCharacterNoGarbageNoEndlessText) {
  EXPECT_EQ(serial_of("SN-1 <b>&'\"", {}).text, "SN-1 <b>&'\"") << "text stays text";
  for (const std::string& hostile :
       {std::string("SN\0001", 5), std::string("SN\x1b[2J"), std::string("SN\xc3\xa4"),
        std::string("SN-1\nSN-2"), std::string(129, 'A')}) {
    const ScannedSerial read = serial_of(hostile, {});
    EXPECT_NE(read.fault, "") << hostile;
    EXPECT_EQ(read.text, "");
  }
  ScannerSettings s;
  s.pattern.emplace("^[A-Z]{2}-[0-9]+$");
  EXPECT_EQ(serial_of("SN-1", s).text, "SN-1");
  EXPECT_THAT(serial_of("N-1", s).fault, HasSubstr("'N-1' does not match scanner.pattern"));
}

config::TomlTable table(const std::string& keys) {
  return config::TomlTable::from_text("path = \"/dev/ttyACM0\"\n" + keys, "datumd.toml");
}

TEST(ScannerSettings, RefusesWithAReason) {
  const auto refusal = [](const std::string& keys) {
    return testing::message_of<config::ConfigError>([&] { config::read_scanner(table(keys)); });
  };
  EXPECT_EQ(refusal("suffix = \"\\u0003\"\nprefix = \"\\u0002\"\nformat = \"iso15434\"\nidentifier = \"1P\""),
            "");
  EXPECT_THAT(refusal("suffix = \"\""), HasSubstr("suffix: has 0 bytes; allowed: 1 to 8 bytes"));
  EXPECT_THAT(refusal("suffix = \"\\u001e\""), HasSubstr("ISO/IEC 15434"));
  EXPECT_THAT(refusal("pattern = \"(\""), HasSubstr("pattern: "));
  EXPECT_THAT(refusal("identifier = \"s\""), HasSubstr("no data identifier"));
  EXPECT_THAT(refusal("format = \"gs1\""), HasSubstr("iso15434"));
  EXPECT_THAT(refusal("sufix = \"\\r\""), HasSubstr("did you mean 'suffix'"));
}

TEST(ScannerLink, ReadsOverALineAndSaysWhereItWasLost) {
  testing::PtyPair line;
  ScannerSettings settings;
  settings.line.path = line.path();
  std::vector<std::string> heard, states;
  ScannerLink scanner(
      serial_port(settings.line), settings,
      [&](const ScannedSerial& scan, const std::string& hex, MonotonicNs) {
        heard.push_back(scan.fault.empty() ? scan.text + " " + hex : "! " + scan.fault);
      },
      [&](bool open, bool, const std::string& why) { states.push_back(open ? "open" : why); });
  scanner.on_deadline(0);
  ASSERT_THAT(states, ElementsAre("open"));
  line.send("SN-1\rSN\x01\rSN-2\r");
  while (heard.size() < 3 && testing::wait_readable(scanner.fd())) scanner.on_ready(1);
  EXPECT_THAT(heard, ElementsAre("SN-1 534e2d31", HasSubstr("! it holds the byte 0x01"), "SN-2 534e2d32"));
  line.send("SN-3");
  while (!scanner.deadline() && testing::wait_readable(scanner.fd())) scanner.on_ready(2);
  line.hang_up();
  for (int i = 0; i < 10 && heard.size() < 4; ++i) scanner.on_ready(3);
  ASSERT_EQ(heard.size(), 4u);
  EXPECT_THAT(heard[3], HasSubstr("the line was lost after 4 bytes of a scan"));
  EXPECT_EQ(states.size(), 2u);
  EXPECT_EQ(scanner.report(3)->state, LinkState::closed);
  EXPECT_TRUE(scanner.deadline()) << "it is opened again";
}

}  // namespace
}  // namespace datum
