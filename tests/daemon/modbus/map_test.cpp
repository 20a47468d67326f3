// The map's table against itself and against what it names.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cstring>
#include <set>
#include <sstream>

#include "daemon/modbus/codes.h"
#include "daemon/modbus/image.h"
#include "daemon/modbus/register_map.h"
#include "daemon/modbus/registers.h"

namespace datum::modbus {
namespace {

using ::testing::HasSubstr;

/// One line per register that overlaps the one before, leaves the room, or has a size that its type does not have.
std::vector<std::string> faults(const std::vector<Register>& registers, Address end) {
  std::vector<std::string> found;
  Address next = 0;
  for (const Register& r : registers) {
    if (r.address < next) found.push_back(std::string(r.name) + " overlaps");
    next = static_cast<Address>(r.address + r.count);
    const int size = r.type == Type::u64                                                  ? 4
                     : r.type == Type::i32 || r.type == Type::u32 || r.type == Type::f32  ? 2
                     : r.type == Type::u16 || r.type == Type::i16 || r.type == Type::bits ? 1
                                                                                          : r.count;
    if (size != r.count) found.push_back(std::string(r.name) + " has a wrong size");
  }
  if (next > end) found.push_back("the last one leaves the room");
  return found;
}

TEST(RegisterMap, HasNoTwoValuesInOnePlace) {
  EXPECT_THAT(faults(base_registers(), base_end), ::testing::IsEmpty());
  EXPECT_THAT(faults(window_registers(), window_size), ::testing::IsEmpty());
  for (const Register& r : window_registers())  // none among the rows
    EXPECT_TRUE(r.address + r.count <= in_first_row || r.address >= in_first_row + most_rows * row_size)
        << r.name;
  EXPECT_THAT(faults(row_registers(), row_size), ::testing::IsEmpty());
  EXPECT_THAT(faults({{5, 2, Type::u16}, {6, 1, Type::u16}}, 6), ::testing::SizeIs(3));
  EXPECT_LE(in_first_row + most_rows * row_size, window_size);
  EXPECT_LE(at_result + window_size, at_fifo);
  EXPECT_LE(at_fifo + window_size, 65536);
}

TEST(RegisterMap, LetsOnlyTheControlBlockBeWritten) {
  for (const Register& r : base_registers())
    EXPECT_EQ(r.access == Access::write, r.address >= at_control && r.address < control_end) << r.name;
}

template <class Bit>
std::uint32_t bits_named(const char* of, Bit) {
  std::uint32_t bits = 0;
  for (const Meaning& m : bit_meanings())
    if (std::strcmp(m.of, of) == 0) bits |= 1u << m.number;
  return bits;
}

TEST(RegisterMap, NamesEachBitThatTheCodeSets) {
  EXPECT_EQ(bits_named("CONTROL", 0), control_bits);
  EXPECT_EQ(bits_named("STATUS", 0), 0xFFFFu);
  EXPECT_EQ(bits_named("NOT_READY", 0), 2u * not_ready_on_frame - 1);
  EXPECT_EQ(bits_named("LINKS", 0), 2u * link_store - 1);
  EXPECT_EQ(bits_named("TRUNCATED", 0), 2u * truncated_boards - 1);
}

TEST(RegisterMap, NamesEachCommand) {
  std::set<int> named;
  for (const Meaning& m : value_meanings())
    if (std::strcmp(m.of, "COMMAND") == 0) named.insert(m.number);
  EXPECT_EQ(named.size(), last_command + 1u);
  EXPECT_EQ(*named.rbegin(), last_command);
}

TEST(Codes, HaveANumberOfItsOwnForEverythingThatIsNamed) {
  std::set<int> decisions, reasons, characteristics;
  for (int d = 0; d <= static_cast<int>(Decision::invalid); ++d)
    decisions.insert(code_of(static_cast<Decision>(d)));
  EXPECT_EQ(decisions, (std::set<int>{1, 2, 3, 4})) << "0 is no decision";
  for (int r = 1; r <= static_cast<int>(Reason::internal); ++r)
    reasons.insert(code_of(static_cast<Reason>(r)));
  EXPECT_EQ(reasons.size(), static_cast<std::size_t>(Reason::internal));
  EXPECT_EQ(reasons.count(0), 0u);
  EXPECT_EQ(reasons.size() + 1, result_codes().size());
  for (int c = 0; c <= static_cast<int>(last_characteristic); ++c) {
    characteristics.insert(code_of(static_cast<Characteristic>(c)));
    EXPECT_NE(measure_code_of(static_cast<Characteristic>(c)), 0);
  }
  EXPECT_EQ(characteristics.size(), static_cast<std::size_t>(last_characteristic) + 1);
  EXPECT_EQ(characteristics.count(0), 0u);
}

TEST(MapAsCsv, HasEachRegisterOnceWithItsAddressOnTheWire) {
  const std::string csv = map_as_csv();
  EXPECT_THAT(csv, HasSubstr("kind,address,registers,type,access,name,unit,text\n"));
  EXPECT_THAT(csv, HasSubstr("\nregister,4,2,f32,read,TEST_F32,,always 123456.0\n"));
  EXPECT_THAT(csv, HasSubstr("\nregister,10002,4,u64,read,RESULT.SEQUENCE,"));
  EXPECT_THAT(csv, HasSubstr("\nregister,30176,2,f32,read,FIFO.ROW0.VALUE,MEASURE,"));
  EXPECT_THAT(csv, HasSubstr("\nbit,300.4,,,,PASS,,while RESULTS_VALID: each limit is kept\n"));
  EXPECT_THAT(csv, HasSubstr("\nvalue,101=1,,,,ARM,,INITiate\n"));
  EXPECT_THAT(csv, HasSubstr("\nvalue,10006=4,,,,INVALID,,not measured\n"));
  EXPECT_THAT(csv, HasSubstr("\ncoil,0,,,,TRIGGER,"));
  EXPECT_THAT(csv, HasSubstr("\ndiscrete,23,,,,HEARTBEAT,"));
  for (const Register& r : base_registers())
    EXPECT_THAT(csv, HasSubstr("\nregister," + std::to_string(r.address) + "," + std::to_string(r.count) +
                               "," + name_of(r.type) + ","));
}

/// Fields of a line, quoted ones too.
std::size_t fields(const std::string& line) {
  std::size_t n = 1;
  bool quoted = false;
  for (const char c : line) {
    if (c == '"') quoted = !quoted;
    n += c == ',' && !quoted;
  }
  return n;
}

TEST(MapAsCsv, HasEightFieldsInEachLine) {
  std::istringstream lines(map_as_csv());
  for (std::string line; std::getline(lines, line);) EXPECT_EQ(fields(line), 8u) << line;
}

TEST(Registers, HaveTheHighWordFirst) {
  std::array<std::uint16_t, 8> words{};
  put_u32(words, 0, 0x12345678);
  put_u64(words, 2, 0x0102030405060708);
  put_f32(words, 6, 123456.0f);
  // IEEE 754: 123456 = 1.8837890625 * 2^16, exponent 16 + 127 = 143
  EXPECT_EQ(words,
            (std::array<std::uint16_t, 8>{0x1234, 0x5678, 0x0102, 0x0304, 0x0506, 0x0708, 0x47F1, 0x2000}));
  EXPECT_EQ(get_u32(words, 0), 0x12345678u);
  EXPECT_EQ(get_u64(words, 2), 0x0102030405060708u);
  EXPECT_EQ(get_f32(words, 6), 123456.0f);
}

TEST(Registers, HoldOneCharacterEach) {
  std::array<std::uint16_t, 4> words{9, 9, 9, 9};
  EXPECT_TRUE(put_text(words, 0, 4, "ab"));
  EXPECT_EQ(words, (std::array<std::uint16_t, 4>{'a', 'b', 0, 0}));
  EXPECT_FALSE(put_text(words, 0, 4, "abcde"));
  EXPECT_EQ(get_text(words, 0, 4), "abcd");
}

TEST(Registers, AValueThatDoesNotFitIsNone) {
  EXPECT_EQ(milli(1160.2504), 1160250);
  EXPECT_EQ(milli(-0.0006), -1);
  EXPECT_EQ(milli(2147483.647), 2147483647);
  EXPECT_EQ(milli(2147483.648), no_integer);
  EXPECT_EQ(milli(std::numeric_limits<double>::quiet_NaN()), no_integer);
  EXPECT_EQ(milli(-std::numeric_limits<double>::infinity()), no_integer);
}

}  // namespace
}  // namespace datum::modbus
