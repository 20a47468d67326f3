#include "drivers/ipp/ipp_framer.h"

#include <gmock/gmock.h>

#include <vector>

namespace datum {
namespace {

using ::testing::ElementsAre;

/// "TAG MARK TEXT" of each line, or its fault.
std::vector<std::string> lines_of(const std::string& bytes, std::size_t most = IppFramer::longest) {
  IppFramer framer(most);
  std::vector<std::string> lines;
  MonotonicNs at = 0;
  for (const char c : bytes) {
    const auto line = framer.push(static_cast<std::uint8_t>(c), ++at);
    if (!line) continue;
    lines.push_back(line->fault == IppFault::none
                        ? line->tag + " " + static_cast<char>(line->mark) + " " + line->text
                        : name_of(line->fault));
  }
  return lines;
}

TEST(IppFramer, TakesTheColumnsApart) {
  EXPECT_THAT(
      lines_of("00001 &\r\n00001 # X(1.0), Y(2.0)\r\nE0007 %\r\nE0000 ! Error(3, 500, A, \"B\")\r\n"),
      ElementsAre("00001 & ", "00001 # X(1.0), Y(2.0)", "E0007 % ", "E0000 ! Error(3, 500, A, \"B\")"));
  EXPECT_THAT(lines_of("00002 #X(1)\r\n00003 #   \r\n"), ElementsAre("00002 # X(1)", "00003 # "));
}

TEST(IppFramer, NamesWhatIsWrongAndGoesOnAtTheNextLine) {
  const std::string good = "00001 &\r\n";
  for (const auto& [bytes, why] : std::vector<std::pair<std::string, IppFault>>{
           {"0001 &\r\n", IppFault::tag},
           {"00000 &\r\n", IppFault::tag},
           {"e0001 &\r\n", IppFault::tag},
           {"E00a1 &\r\n", IppFault::tag},
           {"00001&\r\n", IppFault::tag},
           {"00001_&\r\n", IppFault::tag},
           {"\r\n", IppFault::tag},
           {"<xml/>\r\n", IppFault::tag},
           {"00001 ?\r\n", IppFault::mark},
           {"00001 # X\t(1)\r\n", IppFault::character},
           {"00001 # X\xB1(1)\r\n", IppFault::character},
           {std::string("00001 # X\0(1)\r\n", 15), IppFault::character},
           {"00001 # X\n(1)\r\n", IppFault::terminator},
           {"00001 # X\r(1)\r\n", IppFault::terminator},
           {"00001 &\r\r\n", IppFault::terminator}})
    EXPECT_THAT(lines_of(bytes + good), ElementsAre(name_of(why), "00001 & ")) << bytes;
}

TEST(IppFramer, ALineIsNoLongerThanItsCap) {
  EXPECT_THAT(lines_of("00001 # 78\r\n", 10), ElementsAre("00001 # 78"));
  EXPECT_THAT(lines_of("00001 # 789\r\n00001 &\r\n", 10), ElementsAre("a line that is too long", "00001 & "));
  // For any amount of input no more than the limit is kept: an overlong line is one fault at its end.
  EXPECT_THAT(lines_of(std::string(3 * IppFramer::longest, '7') + "\r\n00001 &\r\n"),
              ElementsAre("a line that is too long", "00001 & "));
}

TEST(IppFramer, TimesAreThoseOfTheFirstAndLastByte) {
  IppFramer framer;
  MonotonicNs at = 0;
  std::optional<IppLine> line;
  for (const char c : std::string("00001 &\r\n00002 %\r\n"))
    if (auto next = framer.push(static_cast<std::uint8_t>(c), at++)) line = next;
  EXPECT_EQ(line->first_byte_ns, 9);
  EXPECT_EQ(line->last_byte_ns, 17);
}

TEST(IppFramer, AResetForgetsAHalfLine) {
  IppFramer framer;
  for (const char c : std::string("00001 # X(1")) framer.push(static_cast<std::uint8_t>(c), 0);
  framer.reset();
  std::optional<IppLine> line;
  for (const char c : std::string("00002 %\r\n")) line = framer.push(static_cast<std::uint8_t>(c), 0);
  EXPECT_EQ(line->tag, "00002");
  EXPECT_EQ(line->fault, IppFault::none);
}

}  // namespace
}  // namespace datum
