// The cell's configuration. Files to be refused are in tests/data/bad/config.
#include "daemon/configuration/daemon_config.h"
#include "daemon/configuration/config_advice.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <sstream>

#include "tests/fresh_folder.h"

namespace datum {
namespace {

namespace fs = std::filesystem;
using ::testing::ElementsAre;
using ::testing::IsEmpty;

const std::string least = R"(schema = 1
cell = "c"
[sensor]
profile = "sensors/s.toml"
drop_folder = "/drop"
[inspection]
recipes_folder = "recipes"
trigger = "on_frame"
[results]
store_file = "../results.db"
[host.tcp]
)";

/// A CMM's positions are paired with triggered frames.
std::string with_cmm(const std::string& cmm) {
  std::string text = least;
  text.replace(text.find("on_frame"), 8, "bus");
  return text + "[cmm]\n" + cmm;
}

class DaemonConfigFile : public ::testing::Test {
 protected:
  DaemonConfig loaded(const std::string& text) {
    return load_daemon_config(folder.write("cell/d.toml", text));
  }
  testing::FreshFolder folder;
};

TEST_F(DaemonConfigFile, PathsCountFromItsOwnFolder) {
  const DaemonConfig c = loaded(least);
  EXPECT_EQ(c.sensor_profile, folder.path() / "cell/sensors/s.toml");
  EXPECT_EQ(c.file_drop.folder, "/drop");
  EXPECT_EQ(c.recipes, folder.path() / "cell/recipes");
  EXPECT_EQ(c.store, folder.path() / "results.db");
}

TEST_F(DaemonConfigFile, LeavesOutWhatIsNotSaid) {
  const DaemonConfig c = loaded(least);
  EXPECT_EQ(c.cell, "c");
  EXPECT_FALSE(c.cmm);
  EXPECT_FALSE(c.serial);
  EXPECT_FALSE(c.pictures);
  EXPECT_EQ(c.recipe + c.calibration + c.calibrations.string(), "");
  EXPECT_EQ(c.tcp->address, "127.0.0.1") << "nobody else may command the cell unless the file says so";
  EXPECT_EQ(c.tcp->port, 5025);
  EXPECT_EQ(c.backend.kind, BackendSettings::Kind::automatic);
}

TEST_F(DaemonConfigFile, ReadsTheHostsSerialLine) {
  const DaemonConfig c =
      loaded(least + "[host.serial]\npath = \"/dev/ttyS1\"\nbaud = 19200\ndata_bits = 7\n" +
             "parity = \"even\"\nstop_bits = 2\nflow = \"rts_cts\"\npush_results = false\n");
  EXPECT_EQ(c.serial->line.path, "/dev/ttyS1");
  EXPECT_EQ(line_format(c.serial->line), "19200 7E2 rts/cts");
  EXPECT_FALSE(c.serial->push_results);
}

TEST_F(DaemonConfigFile, ANumberedSerialDeviceIsAdvisedAgainst) {
  EXPECT_TRUE(config_advice(loaded(least)).empty());
  const auto with = [&](const std::string& path) {
    return config_advice(loaded(least + "[host.serial]\npath = \"" + path + "\"\nbaud = 115200\n"));
  };
  ASSERT_EQ(with("/dev/ttyUSB0").size(), 1u);
  EXPECT_EQ(with("/dev/ttyUSB0")[0].rfind("host.serial.path: '/dev/ttyUSB0' becomes another device", 0), 0u);
  EXPECT_EQ(with("/dev/ttyACM12").size(), 1u);
  EXPECT_TRUE(with("/dev/ttyS0").empty()) << "a port of the computer itself keeps its number";
  EXPECT_TRUE(with("/dev/serial/by-id/usb-FTDI_FT232R-if00-port0").empty());
}

TEST_F(DaemonConfigFile, ReadsHostsThatTalkToAGocator) {
  const DaemonConfig c = loaded(
      least + "[host.serial]\npath = \"/dev/ttyS1\"\nbaud = 115200\nprotocol = \"gocator_ascii\"\n" +
      "terminator = \"\\r\"\npush_results = false\n[host.gocator]\nmode = \"polled\"\ndelimiter = \";\"\n");
  EXPECT_EQ(c.serial->gocator->terminator, "\r");
  EXPECT_FALSE(c.serial->gocator->asynchronous);
  EXPECT_EQ(c.gocator_host->port, 8190);
  EXPECT_EQ(c.gocator_host->gocator->delimiter, ";");
  EXPECT_FALSE(c.gocator_host->gocator->asynchronous);
  EXPECT_FALSE(c.tcp->gocator);
}

TEST_F(DaemonConfigFile, ReservesControlForALink) {
  std::string text = least;
  EXPECT_EQ(loaded(text).control.reserved, "") << "whoever asks first";
  text.insert(text.find("[host.tcp]"), "[host]\ncontrol = \"tcp\"\n");
  EXPECT_EQ(loaded(text).control.reserved, "tcp");
}

TEST_F(DaemonConfigFile, APresetIsTakenWithWhatTheFileChanges) {
  const DaemonConfig c =
      loaded(with_cmm("preset = \"heidenhain_nd28x\"\nmax_age_ms = 300\ntouch = \"stand_still\"\n"
                      "[cmm.serial]\npath = \"/dev/ttyS2\"\n[cmm.pairing]\ntolerance_um = 8\n"));
  EXPECT_EQ(line_format(std::get<SerialSettings>(c.cmm->link)), "9600 7E2 xon/xoff") << "of the preset";
  EXPECT_EQ(std::get<SerialSettings>(c.cmm->link).path, "/dev/ttyS2");
  EXPECT_EQ(c.cmm->max_age_ms, 300);
  EXPECT_EQ(c.cmm->touch, TouchRule::stand_still) << "its contact is not wired here";
  EXPECT_EQ(c.cmm->pairing.tolerance_um, 8);
  EXPECT_EQ(c.cmm->layout, Layout::columns);
}

TEST_F(DaemonConfigFile, ListsReplaceThoseOfThePreset) {
  const DaemonConfig c =
      loaded(with_cmm("preset = \"grbl_1_1\"\nfixed_z_mm = 12.5\n[cmm.tcp]\nhost = \"10.0.0.7\"\nport = 23\n"
                      "[[cmm.axis]]\nlabel = \"X\"\nmachine_axis = \"Y\"\nreversed = true\n"
                      "[[cmm.axis]]\nlabel = \"Y\"\nmachine_axis = \"X\"\noffset_mm = 3\n"));
  EXPECT_EQ(std::get<TcpSettings>(c.cmm->link).port, 23);
  ASSERT_EQ(c.cmm->axes.size(), 2u);
  EXPECT_EQ(c.cmm->axes[0].machine_axis, 1);
  EXPECT_TRUE(c.cmm->axes[0].reversed);
  EXPECT_EQ(c.cmm->axes[1].offset_mm, 3);
  EXPECT_EQ(c.cmm->fixed_mm[2], 12.5);
}

TEST_F(DaemonConfigFile, EveryProblemIsNamedNotOnlyTheFirst) {
  std::string text =
      least + "port = 70000\n[host.serial]\npath = \"ttyS1\"\nbaud = 9600\n[backend]\nkind = \"gpu\"\n";
  text.replace(text.find("on_frame"), 8, "frame");
  config::Problems problems;
  load_daemon_config(folder.write("d.toml", text), problems);
  std::vector<std::string> keys;
  for (const auto& error : problems.errors()) keys.push_back(error.key());
  EXPECT_THAT(keys, ElementsAre("inspection.trigger", "backend.kind", "host.serial.path", "host.tcp.port"));
}

TEST_F(DaemonConfigFile, ALinkThatOthersReachSaysThatItIsInsecure) {
  const auto refusal = [&](const std::string& text) -> std::string {
    try {
      loaded(text);
    } catch (const config::ConfigError& error) {
      return error.what();
    }
    return "";
  };
  for (const std::string table : {"[host.tcp]", "[host.gocator]", "[host.modbus_tcp]"}) {
    std::string open = least;
    open.replace(open.find("[host.tcp]"), 10, table + "\naddress = \"0.0.0.0\"");
    EXPECT_THAT(refusal(open), ::testing::HasSubstr("insecure = true")) << table;
    EXPECT_EQ(refusal(open + "insecure = true\n"), "") << table;
  }
  EXPECT_EQ(refusal(least + "address = \"::1\"\n"), "");
}

TEST_F(DaemonConfigFile, HostsByCertificateHaveTheirOwnRoles) {
  const std::string tls =
      "[host.tcp.tls]\ncertificate = \"tls/a.crt\"\nkey = \"%d/a.key\"\nclient_ca = \"/etc/ca.crt\"\n"
      "[[host.tcp.tls.client]]\nname = \"plc\"\nrole = \"operate\"\n[[host.tcp.tls.client]]\nsha256 = \"";
  std::string fingerprint = "AB";
  for (int i = 1; i < 32; ++i) fingerprint += ":AB";
  const DaemonConfig c =
      loaded(least + "address = \"0.0.0.0\"\n" + tls + fingerprint + "\"\nrole = \"configure\"\n");
  ASSERT_TRUE(c.tcp->tls);
  EXPECT_EQ(c.tcp->tls->files.certificate, folder.path() / "cell/tls/a.crt");
  EXPECT_EQ(c.tcp->tls->files.key, "%d/a.key");
  EXPECT_EQ(c.tcp->tls->files.client_ca, "/etc/ca.crt");
  EXPECT_TRUE(c.tcp->tls->files.crl.empty());
  EXPECT_EQ(c.control.roles.at("tcp"), Role::configure) << "the highest";
  ASSERT_EQ(c.tcp->tls->clients.size(), 2u);
  EXPECT_EQ(c.tcp->tls->clients[1].sha256.substr(60), "abab");
  TlsIdentity identity;
  identity.name = "plc";
  EXPECT_EQ(role_of(identity, c.tcp->tls->clients), Role::operate);
  identity.sha256 = c.tcp->tls->clients[1].sha256;
  EXPECT_EQ(role_of(identity, c.tcp->tls->clients), Role::configure) << "the fingerprint is stronger";
  EXPECT_EQ(role_of(TlsIdentity{}, c.tcp->tls->clients), std::nullopt) << "an empty name is nobody's";
}

TEST_F(DaemonConfigFile, EachLinkHasARole) {
  const auto serial = std::string("[host.serial]\npath = \"/dev/ttyS0\"\nbaud = 9600\n");
  EXPECT_EQ(loaded(least + serial).control.roles,
            (std::map<std::string, Role>{{"tcp", Role::operate}, {"serial", Role::configure}}));
  EXPECT_EQ(loaded(least + "role = \"read\"\n").control.roles.at("tcp"), Role::read);
  EXPECT_THROW(loaded(least + "[host.gocator]\nrole = \"configure\"\n"), config::ConfigError);
  std::string reserved = least + "role = \"read\"\n";
  reserved.insert(reserved.find("[host.tcp]"), "[host]\ncontrol = \"tcp\"\n");
  EXPECT_THROW(loaded(reserved), config::ConfigError);
}

}  // namespace
}  // namespace datum
