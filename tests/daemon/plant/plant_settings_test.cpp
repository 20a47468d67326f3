// [plant]: what is refused, and with which words.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "config/toml_reader.h"
#include "daemon/store/plant_settings.h"

namespace datum {
namespace {

using ::testing::HasSubstr;

PlantSettings read(const std::string& lines) {
  return config::read_plant(config::TomlTable::from_text(lines, "t.toml"), "/cell");
}
std::string refusal(const std::string& lines) {
  try {
    read(lines);
  } catch (const config::ConfigError& error) {
    return error.what();
  }
  return "";
}
const std::string least =
    "url = \"amqps://broker.plant\"\nhandle = \"V.M.1\"\nmessages = \"/amq/queue/cfx\"\n";

TEST(PlantSettings, ReadsABrokerWithItsFiles) {
  const PlantSettings s =
      read(least + "window = 7\nuser = \"cell\"\npassword_file = \"pw\"\nauthority_file = \"/ca.pem\"\n");
  EXPECT_EQ(s.window, 7);
  EXPECT_EQ(s.password_file, "/cell/pw");
  EXPECT_EQ(s.authority_file, "/ca.pem");
  EXPECT_EQ(s.heartbeat_s, 60);
  EXPECT_EQ(s.host, "broker.plant");
  EXPECT_EQ(s.port, 5671);
  EXPECT_TRUE(s.secret);
  EXPECT_EQ(
      read(least + "crl_file = \"crl.pem\"\nkey_file = \"%d/key\"\ncertificate_file = \"c\"\n").key_file,
      "%d/key");
  const PlantSettings v6 = read("url = \"amqp://[::1]:99\"\nhandle = \"V.M.1\"\nentries = \"e\"\n");
  EXPECT_EQ(v6.host, "::1");
  EXPECT_EQ(v6.port, 99);
  EXPECT_FALSE(v6.secret);
  EXPECT_NO_THROW(read("url = \"amqp://127.0.0.1:5672\"\nhandle = \"V.M.1\"\nentries = \"e\"\n"));
}

PlantSettings of_url(const std::string& url) {
  return read("url = \"" + url + "\"\nhandle = \"V.M.1\"\nmessages = \"m\"\n");
}

TEST(PlantSettings, ReadsEachFormOfABrokersUrl) {
  EXPECT_EQ(of_url("amqps://a.B-1").host, "a.B-1");
  EXPECT_EQ(of_url("amqps://[2001:db8::10.0.0.1]:65535").host, "2001:db8::10.0.0.1");
  EXPECT_EQ(of_url("amqps://[2001:db8::10.0.0.1]:65535").port, 65535);
  EXPECT_EQ(of_url("amqps://h:00001").port, 1);
  EXPECT_EQ(of_url("amqps://[::1]").port, 5671);
  EXPECT_EQ(of_url("amqp://[::1]").port, 5672);
  for (const char* url : {"amqps://", "amqps://:5671", "amqps://h:", "amqps://h:0", "amqps://h:65536",
                          "amqps://h:000001", "amqps://h:+1", "amqps://h:1x", "amqps://h/", "amqps://h_1",
                          "amqps://[]", "amqps://[::1", "amqps://[g]", "amqps://[::1]5671", "amqps://::1",
                          "amqps:/h", "AMQPS://h", " amqps://h", "amqps://h "})
    EXPECT_THAT(refusal(std::string("url = \"") + url + "\"\nhandle = \"V.M.1\"\nmessages = \"m\"\n"),
                HasSubstr("no broker's URL"))
        << url;
}

TEST(PlantSettings, TakesAHandleOfThreeParts) {
  const auto with = [](const std::string& handle) {
    return refusal("url = \"amqps://x\"\nhandle = \"" + handle + "\"\nmessages = \"m\"\n");
  };
  for (const char* handle : {"A-1.b_2.C", "V.M.1.2", "V.M..", "V.M.-"}) EXPECT_EQ(with(handle), "") << handle;
  for (const char* handle : {"", ".", "V.M", "V.M.", ".M.1", "V..1", "V.M.1 ", "V.M.\u00fc", "V/M.M.1"})
    EXPECT_THAT(with(handle), HasSubstr("no CFX handle")) << handle;
  EXPECT_EQ(with("V.M." + std::string(116, '1')), "");
  EXPECT_THAT(with("V.M." + std::string(117, '1')), HasSubstr("no CFX handle"));
}

TEST(PlantSettings, RefusesWhatWouldBeSentInClearOrNowhere) {
  EXPECT_THAT(refusal("url = \"amqp://10.0.0.1\"\nhandle = \"V.M.1\"\nmessages = \"m\"\n"),
              HasSubstr("in clear"));
  EXPECT_THAT(refusal("url = \"amqp://127.0.0.1.evil.example\"\nhandle = \"V.M.1\"\nmessages = \"m\"\n"),
              HasSubstr("in clear"));
  EXPECT_THAT(refusal("url = \"http://x\"\nhandle = \"V.M.1\"\nmessages = \"m\"\n"),
              HasSubstr("no broker's URL"));
  EXPECT_THAT(refusal("url = \"amqps://user:pw@x\"\nhandle = \"V.M.1\"\nmessages = \"m\"\n"),
              HasSubstr("no broker's URL"));
  EXPECT_THAT(refusal("url = \"amqps://x:70000\"\nhandle = \"V.M.1\"\nmessages = \"m\"\n"),
              HasSubstr("no broker's URL"));
  EXPECT_THAT(refusal("url = \"amqps://x\"\nhandle = \"cell\"\nmessages = \"m\"\n"),
              HasSubstr("no CFX handle"));
  EXPECT_THAT(refusal("url = \"amqps://x\"\nhandle = \"V.M.1\"\n"), HasSubstr("nothing would be sent"));
  EXPECT_THAT(refusal(least + "user = \"cell\"\n"), HasSubstr("password_file"));
  EXPECT_THAT(refusal(least + "key_file = \"k\"\n"), HasSubstr("certificate_file"));
  EXPECT_THAT(refusal("url = \"amqp://[::1]\"\nhandle = \"V.M.1\"\nentries = \"e\"\ncrl_file = \"c\"\n"),
              HasSubstr("crl_file"));
  EXPECT_THAT(refusal(least + "heartbeat_s = 301\n"), HasSubstr("300"));
  EXPECT_THAT(refusal(least + "password = \"x\"\n"), HasSubstr("password"));
}

}  // namespace
}  // namespace datum
