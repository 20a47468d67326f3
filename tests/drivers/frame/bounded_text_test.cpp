// Texts that leave the daemon are bounded and harmless on a terminal.
#include "drivers/frame/bounded_text.h"

#include <gtest/gtest.h>

#include "drivers/frame/frame_error.h"

namespace datum {
namespace {

TEST(BoundedText, KeepsWhatFitsAndTellsTheRestByLengthAndHash) {
  const std::string fits(512, 'x');
  EXPECT_EQ(bounded_text(fits), fits);
  const std::string cut = bounded_text(fits + "x");
  EXPECT_EQ(cut, std::string(472, 'x') + "... (513 bytes, FNV-1a c464da8f01978f07)");
  EXPECT_EQ(cut.size(), 512u);
  EXPECT_NE(bounded_text(fits + "y"), cut) << "another text";
  EXPECT_LE(bounded_text(std::string(60'000'000, 'x')).size(), 512u);
  std::string wide;
  for (int i = 0; i < 300; ++i) wide += "\u00e9";
  const std::string whole = bounded_text(wide);
  EXPECT_EQ((whole.find("...")) % 2, 0u) << "no character is cut in two";
}

TEST(BoundedText, OfAFrameItsRefusalIsBounded) {
  EXPECT_LE(
      std::string(FrameError("a.csv:1: '" + std::string(60'000'000, '9') + "' is no number").what()).size(),
      512u);
}

TEST(PrintableText, SteersNoTerminal) {
  EXPECT_EQ(printable_text("a\nb\tc\x1b[31m\x07\x7f\r"), "a b c?[31m???");
  EXPECT_EQ(printable_text("\xc2\x9b"
                           "31m \xc2\xa0\xc3\xa9 \xe2\x82\xac \xf0\x9f\x98\x80"),
            "??31m \xc2\xa0\xc3\xa9 \xe2\x82\xac \xf0\x9f\x98\x80");
  EXPECT_EQ(printable_text("\x9b\xff\xc3"), "???") << "no UTF-8";
}

}  // namespace
}  // namespace datum
