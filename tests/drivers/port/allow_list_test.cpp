// Peers that may connect.
#include "drivers/port/allow_list.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "drivers/link_error.h"

namespace datum {
namespace {

using ::testing::HasSubstr;

TEST(AllowList, AllowsEverybodyWhereItNamesNobody) {
  EXPECT_TRUE(AllowList().everybody());
  EXPECT_TRUE(AllowList().allows("203.0.113.9:1"));
}

TEST(AllowList, AllowsRangesAndSingleAddresses) {
  const AllowList list({"192.168.1.0/24", "10.0.0.7", "fd00::/8", "::1"});
  for (const char* peer :
       {"192.168.1.0:1", "192.168.1.255:65535", "192.168.1.9", "10.0.0.7:5025", "[fd12::7]:5025",
        "[fdff::1%eth0]:5", "[::1]:5025", "::1", "[::ffff:192.168.1.7]:5"})
    EXPECT_TRUE(list.allows(peer)) << peer;
  for (const char* peer : {"192.168.0.255:1", "192.168.2.0:1", "10.0.0.8:5025", "10.0.0.6", "[fe80::1]:5",
                           "[::2]:1", "[::ffff:10.0.0.8]:5", "unknown peer", "", "[", "300.1.1.1:5"})
    EXPECT_FALSE(list.allows(peer)) << peer;
}

// Borders of masks that end within a byte, by arithmetic: 10.1.64.0/18 is 10.1.64.0 to 10.1.127.255.
TEST(AllowList, KnowsMasksWithinAByte) {
  const AllowList list({"10.1.64.0/18", "2001:db8:8000::/33"});
  EXPECT_TRUE(list.allows("10.1.64.0"));
  EXPECT_TRUE(list.allows("10.1.127.255"));
  EXPECT_FALSE(list.allows("10.1.63.255"));
  EXPECT_FALSE(list.allows("10.1.128.0"));
  EXPECT_TRUE(list.allows("2001:db8:ffff::1"));
  EXPECT_FALSE(list.allows("2001:db8:7fff::1"));
}

TEST(AllowList, ZeroBitsAreAllOfOneFamily) {
  const AllowList v4({"0.0.0.0/0"}), v6({"::/0"});
  EXPECT_TRUE(v4.allows("203.0.113.9:1"));
  EXPECT_FALSE(v4.allows("[2001:db8::1]:1"));
  EXPECT_TRUE(v6.allows("[2001:db8::1]:1"));
}

TEST(AllowList, RefusesWhatIsNoRangeAndSaysWhy) {
  const auto refused = [](const std::string& text) {
    try {
      AllowList list({text});
    } catch (const RefusedError& error) {
      return std::string(error.what());
    }
    return std::string("taken");
  };
  for (const char* text : {"", "plc.local", "10.0.0/8", "10.0.0.0.0", "[::1]", "fe80::1%eth0"})
    EXPECT_THAT(refused(text), HasSubstr("is no numeric address")) << text;
  for (const char* text : {"10.0.0.0/33", "10.0.0.0/-1", "10.0.0.0/", "10.0.0.0/8x", "10.0.0.0/8/8"})
    EXPECT_THAT(refused(text), HasSubstr("the mask is 0 to 32 bits")) << text;
  EXPECT_THAT(refused("::/129"), HasSubstr("0 to 128"));
  EXPECT_THAT(refused("192.168.1.7/24"), HasSubstr("has bits behind its mask"));
}

}  // namespace
}  // namespace datum
