// Assignment of places to new connections.
#include "daemon/hosts/host_places.h"

#include <gtest/gtest.h>

namespace datum {
namespace {

const PlaceLimits open_link{4, 0, "0.0.0.0"}, own_link{4, 0, "127.0.0.1"};

std::vector<HeldPlace> held_by(const std::vector<std::string>& peers, HostPlace place = HostPlace::common) {
  std::vector<HeldPlace> held;
  for (const std::string& peer : peers) held.push_back({peer, place});
  return held;
}

TEST(HostPlaces, AreHalfForOneAddressWhereOthersReachTheLink) {
  const auto held = held_by({"10.0.0.7:1024", "10.0.0.7:1025"});
  EXPECT_EQ(choose_place(open_link, held, "10.0.0.8:1024", "").place, HostPlace::common);
  const PlaceChoice refused = choose_place(open_link, held, "10.0.0.7:1026", "");
  EXPECT_EQ(refused.place, HostPlace::none);
  EXPECT_TRUE(refused.address_is_full);
  EXPECT_EQ(choose_place({4, 3, "0.0.0.0"}, held, "10.0.0.7:1026", "").place, HostPlace::common)
      << "as stated";
  EXPECT_EQ(
      choose_place(own_link, held_by({"127.0.0.1:1", "127.0.0.1:2", "127.0.0.1:3"}), "127.0.0.1:4", "").place,
      HostPlace::common);
  EXPECT_EQ(most_per_address({1, 0, "::"}), 1);
}

TEST(HostPlaces, LoopbackIsOneComputer) {
  const auto held = held_by({"127.0.0.1:1", "127.0.0.2:1", "[::1]:7"});
  EXPECT_TRUE(choose_place({8, 3, "0.0.0.0"}, held, "127.9.9.9:1", "").place == HostPlace::local);
  EXPECT_FALSE(same_origin("10.0.0.7:1", "10.0.0.8:1"));
  EXPECT_TRUE(same_origin("[fe80::1%eth0]:1", "[fe80::1%eth0]:2"));
}

TEST(HostPlaces, OnlyPortsThatRootCanBindAreReserved) {
  for (const char* peer : {"127.0.0.1:512", "127.0.0.1:1023", "[::1]:700", "127.9.9.9:600"})
    EXPECT_TRUE(from_reserved_port(peer)) << peer;
  for (const char* peer :
       {"127.0.0.1:511", "127.0.0.1:1024", "127.0.0.1:41576", "10.0.0.7:600", "[::1]:1024", "", "127.0.0.1"})
    EXPECT_FALSE(from_reserved_port(peer)) << peer;
}

TEST(HostPlaces, APeerIsOnTheLinkThatItsHostNames) {
  EXPECT_EQ(peer_on("tcp", "tcp 10.0.0.7:1026"), "10.0.0.7:1026");
  EXPECT_EQ(peer_on("tcp", "modbus_tcp 10.0.0.7:1026"), "");
  EXPECT_EQ(peer_on("tcp", "tcp"), "");
  EXPECT_EQ(peer_on("modbus_tcp", ""), "");
}

TEST(HostPlaces, OneIsKeptForControlAndOneForThisComputer) {
  auto held = held_by({"10.0.0.1:1", "10.0.0.2:1", "10.0.0.3:1", "10.0.0.4:1"});
  EXPECT_EQ(choose_place(open_link, held, "10.0.0.9:1", "").place, HostPlace::none);
  EXPECT_FALSE(choose_place(open_link, held, "10.0.0.9:1", "").address_is_full);
  EXPECT_EQ(choose_place(open_link, held, "10.0.0.9:2", "10.0.0.9:1").place, HostPlace::control);
  EXPECT_EQ(choose_place(open_link, held, "10.0.0.8:1", "10.0.0.9:1").place, HostPlace::none);
  EXPECT_EQ(choose_place(open_link, held, "127.0.0.1:1", "").place, HostPlace::local);
  EXPECT_EQ(choose_place({4, 0, "10.0.0.5"}, held, "10.0.0.5:1", "").place, HostPlace::local)
      << "its own address";
  held.push_back({"10.0.0.9:2", HostPlace::control});
  held.push_back({"127.0.0.1:1", HostPlace::local});
  EXPECT_EQ(choose_place(open_link, held, "10.0.0.9:3", "10.0.0.9:1").place, HostPlace::none);
  EXPECT_EQ(choose_place(open_link, held, "127.0.0.1:2", "").place, HostPlace::none);
}

TEST(HostPlaces, WhereThisComputerIsAloneOneIsKeptForWhoMaintainsIt) {
  auto held = held_by({"127.0.0.1:1", "127.0.0.1:2", "127.0.0.1:3", "127.0.0.1:4"});
  const auto maintains = [] { return true; };
  EXPECT_EQ(choose_place(own_link, held, "127.0.0.1:5", "").place, HostPlace::none);
  EXPECT_EQ(choose_place(own_link, held, "127.0.0.1:5", "", maintains).place, HostPlace::local);
  held.push_back({"127.0.0.1:5", HostPlace::local});
  EXPECT_EQ(choose_place(own_link, held, "127.0.0.1:6", "", maintains).place, HostPlace::none);
  held.erase(held.begin());
  EXPECT_EQ(choose_place(own_link, held, "127.0.0.1:6", "", maintains).place, HostPlace::common);
}

}  // namespace
}  // namespace datum
