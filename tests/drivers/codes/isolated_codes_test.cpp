// Codes are looked for by datumd-parse, confined and with its limits of time.
#include "daemon/parse/isolated_codes.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/drivers/codes/printed_code.h"

namespace datum {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;

TEST(IsolatedCodes, AreTheSameInTheConfinedProcess) {
  ParserClient link(code_parse_settings());
  const IsolatedCodes codes(link);
  EXPECT_THAT(codes.read(testing::printed("SN-00042", {})), ElementsAre(ReadCode{"SN-00042", false}))
      << "its process is started with the first image";
  EXPECT_THAT(codes.read(testing::blank(64, 64)), IsEmpty());
  testing::Print noisy;
  noisy.noise = 60;
  codes.read(testing::printed("SN-00042", noisy));
  const pid_t pid = link.pid();
  EXPECT_THROW(codes.read({3, 3, std::vector<std::uint8_t>(9)}), CodeError);
  EXPECT_THAT(codes.read(testing::printed("SN-1", {})), ElementsAre(ReadCode{"SN-1", false}));
  EXPECT_EQ(link.pid(), pid) << "a refusal ends no process";
}

TEST(IsolatedCodes, APictureThatTakesTooLongIsAnErrorAndTheNextOneIsRead) {
  ParserClientSettings hurried = code_parse_settings();
  hurried.cpu_timeout = std::chrono::milliseconds(0);
  hurried.timeout = std::chrono::milliseconds(1);
  ParserClient link(hurried);
  const IsolatedCodes codes(link);
  testing::Print large;
  large.module_px = 30;
  large.noise = 40;
  EXPECT_THROW(codes.read(testing::printed("SN-00042", large)), CodeError);
}

}  // namespace
}  // namespace datum
