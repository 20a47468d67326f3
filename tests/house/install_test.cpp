// The installed files: sandboxed units, manual pages with every option, files in the folders that systemd searches.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdio>
#include <filesystem>
#include <fstream>
#include <memory>
#include <regex>
#include <sstream>
#include <string>

#include "tests/fresh_folder.h"
#include "tests/house/output_of.h"

namespace datum {
namespace {

using ::testing::HasSubstr;

using testing::Output;
using testing::output_of;

std::string text_of(const std::filesystem::path& file) {
  std::ifstream in(file);
  std::stringstream text;
  text << in.rdbuf();
  return text.str();
}

class Installed : public ::testing::Test {
 protected:
  static void SetUpTestSuite() {
    folder_ = std::make_unique<testing::FreshFolder>();
    const Output out =
        output_of("cmake --install " DATUM_BUILD " --prefix " + (folder_->path() / "usr").string());
    ASSERT_EQ(out.status, 0) << out.text;
  }
  static void TearDownTestSuite() { folder_.reset(); }
  static std::filesystem::path file(const std::string& name) { return folder_->path() / "usr" / name; }

 private:
  static inline std::unique_ptr<testing::FreshFolder> folder_;
};

TEST_F(Installed, LiesWhereTheSystemLooks) {
  for (const char* name : {"bin/datumd",
                           "bin/datumctl",
                           "bin/datumd-batch",
                           "bin/datumd-gpu",
                           "bin/datumd-parse",
                           "bin/datumd-sign",
                           "bin/datumd-plant",
                           "bin/datumd-collect",
                           "lib/systemd/system/datumd-collect.service",
                           "lib/sysusers.d/datumd-collect.conf",
                           "share/man/man8/datumd-collect.8",
                           "share/doc/datumd-collect/examples/collect.toml",
                           "bin/datumd-plant-view",
                           "lib/systemd/system/datumd-plant-view.service",
                           "lib/sysusers.d/datumd-plant-view.conf",
                           "share/man/man8/datumd-plant-view.8",
                           "share/doc/datumd-plant-view/reader.sql",
                           "share/doc/datumd-plant-view/examples/plant-view.toml",
                           "bin/datumd-view",
                           "lib/systemd/system/datumd-plant.service",
                           "lib/sysusers.d/datumd-plant.conf",
                           "lib/sysusers.d/datumd-view.conf",
                           "share/man/man8/datumd-plant.8",
                           "share/man/man8/datumd-view.8",
                           "lib/systemd/system/datumd-view.service",
                           "lib/systemd/system/datumd.service",
                           "lib/systemd/system/datumd@.service",
                           "lib/systemd/system/datumd-account@.service",
                           "lib/systemd/system/datumd-sign.socket",
                           "lib/systemd/system/datumd-sign@.socket",
                           "lib/sysusers.d/datumd.conf",
                           "lib/tmpfiles.d/datumd.conf",
                           "lib/udev/rules.d/60-datumd.rules",
                           "lib/systemd/catalog/datumd.catalog",
                           "share/man/man8/datumd.8",
                           "share/man/man5/datumd.toml.5",
                           "share/man/man1/datumctl.1",
                           "share/man/man1/datumd-batch.1",
                           "share/man/man7/datumd-protocol.7",
                           "share/man/man7/datumd-modbus.7",
                           "share/man/man7/datumd-reasons.7",
                           "share/man/man7/datumd-frames.7",
                           "share/man/man7/datumd-glossary.7",
                           "share/doc/datumd/daemon/modbus/README.md",
                           "share/bash-completion/completions/datumctl",
                           "share/doc/datumd/README.md",
                           "share/doc/datumd/examples/datumd.toml"})
    EXPECT_TRUE(std::filesystem::exists(file(name))) << name;
}

TEST_F(Installed, UnitsAreExposedNoMoreThanIsPromised) {
  if (output_of("systemd-analyze security --help").text.find("--offline") == std::string::npos)
    GTEST_SKIP() << "no systemd-analyze that judges units offline (systemd 250)";
  for (const char* unit : {"datumd.service", "datumd@.service", "datumd-sign.service", "datumd-sign@.service",
                           "datumd-plant.service", "datumd-collect.service", "datumd-plant-view.service",
                           "datumd-view.service"}) {
    const Output out = output_of("systemd-analyze security --offline=true --no-pager " +
                                 file("lib/systemd/system/" + std::string(unit)).string());
    std::smatch level;
    ASSERT_TRUE(std::regex_search(out.text, level, std::regex("exposure level for [^:]*: ([0-9.]+)")))
        << out.text;
    EXPECT_LE(std::stod(level[1]), 1.3) << unit;
  }
}

// Names of the kernel's drivers, as in /proc/devices.
TEST_F(Installed, UnitsOpenTheSerialPortsOfPcsAndOfArmControllers) {
  for (const char* unit : {"datumd.service", "datumd@.service"})
    for (const char* tty : {"ttyUSB", "ttyACM", "ttyS", "ttyTHS", "ttyAMA", "ttymxc"})
      EXPECT_THAT(text_of(file("lib/systemd/system/") / unit),
                  HasSubstr(std::string("\nDeviceAllow=char-") + tty + " rw\n"));
}

TEST_F(Installed, OneCellOrSeveralAreOneUnit) {
  const std::string one = text_of(file("lib/systemd/system/datumd.service"));
  std::string several = text_of(file("lib/systemd/system/datumd@.service"));
  EXPECT_THAT(several, HasSubstr("--config /etc/datumd/%i.toml\n"));
  EXPECT_THAT(several, HasSubstr("StateDirectory=datumd/%i\n"));
  EXPECT_THAT(one, Not(HasSubstr("@UNIT")));
  EXPECT_THAT(several, HasSubstr("\nUser=datumd-%i\nGroup=datumd-%i\n")) << "an account of its own";
  EXPECT_THAT(several, HasSubstr("\nRequires=datumd-account@%i.service\n"));
  several = std::regex_replace(several, std::regex("; datumd-account@%i.service creates"),
                               "; systemd/sysusers.conf creates");
  several = std::regex_replace(several, std::regex("\nRequires=[^\n]*| datumd-account@%i.service"), "");
  several = std::regex_replace(several, std::regex("=datumd-%i"), "=datumd");
  several = std::regex_replace(several, std::regex(" of cell %i"), "");
  several = std::regex_replace(several, std::regex("/etc/datumd/%i"), "/etc/datumd/datumd");
  several = std::regex_replace(several, std::regex("datumd/%i"), "datumd");
  EXPECT_EQ(several, one);
}

// The units cannot write other processes' memory, and cannot reach the internet.
TEST_F(Installed, UnitsKeepToTheirNetworkAndTheirOwnMemory) {
  const std::string unit = text_of(file("lib/systemd/system/datumd.service"));
  EXPECT_THAT(
      unit,
      HasSubstr("\nSystemCallFilter=~@privileged @resources @keyring process_vm_readv process_vm_writev\n"));
  EXPECT_THAT(unit, HasSubstr("\nIPAddressDeny=any\n"));
  EXPECT_THAT(unit, HasSubstr("\nPrivateUsers=yes\n"));
  EXPECT_THAT(text_of(file("lib/systemd/system/datumd-account@.service")),
              HasSubstr("--inline \"u datumd-%i - "));
}

// Only the signer's account can access its key and memory; its socket admits datumd's account.
TEST_F(Installed, SignerIsApart) {
  for (const auto& [at, name, user] :
       {std::tuple{"", "datumd", "datumd"}, std::tuple{"@", "%i", "datumd-%i"}}) {
    const std::string stem = "lib/systemd/system/datumd-sign" + std::string(at);
    const std::string service = text_of(file(stem + ".service")), socket = text_of(file(stem + ".socket"));
    EXPECT_THAT(service, HasSubstr("\nUser=datumd-sign\nGroup=datumd-sign\n"));
    EXPECT_THAT(service, HasSubstr("\nStateDirectory=datumd-sign/" + std::string(name) +
                                   "\nStateDirectoryMode=0700\n"));
    EXPECT_THAT(service, HasSubstr("\nLoadCredentialEncrypted=signing-key:/etc/datumd/"));
    EXPECT_THAT(service, HasSubstr("\nPrivateNetwork=yes\n"));
    EXPECT_THAT(socket, HasSubstr("\nListenStream=/run/datumd-sign/" + std::string(name) + ".sock\n"));
    EXPECT_THAT(socket, HasSubstr("\nSocketUser=" + std::string(user) + "\n"));
    EXPECT_THAT(socket, HasSubstr("\nSocketMode=0600\n"));
    EXPECT_THAT(service + socket, Not(HasSubstr("@SIGN")));
  }
}

/// The first group of the first match; "": no match.
std::string found(const std::string& text, const std::string& expression) {
  std::smatch match;
  return std::regex_search(text, match, std::regex(expression)) ? match[1].str() : "";
}

TEST_F(Installed, SocketsStandWhereTheSampleConfigurationListens) {
  const std::string sample = text_of(file("share/doc/datumd/examples/datumd.toml"));
  for (const auto& [unit, table] : {std::pair{"datumd", "tcp"}, std::pair{"datumd-gocator", "gocator"},
                                    std::pair{"datumd-modbus", "modbus_tcp"}}) {
    // Up to the header of the next table; text may name one.
    const std::string keys =
        found(sample, "\n#?\\[host\\." + std::string(table) + "\\]\n((?:(?!#?[|]?\\[)[^\n]*\n)*)");
    const std::string place = found(keys, "#address = \"([^\"]*)") + ":" + found(keys, "#port = ([0-9]+)");
    for (const std::string at : {"", "@"}) {
      const std::string text = text_of(file("lib/systemd/system/" + (unit + at) + ".socket"));
      EXPECT_THAT(text, HasSubstr("\nListenStream=" + place + "\n")) << unit << at;
      EXPECT_THAT(text, HasSubstr("\nFileDescriptorName=" + std::string(table) + "\n")) << unit << at;
      EXPECT_THAT(text,
                  HasSubstr(at.empty() ? "\nService=datumd.service\n" : "\nService=datumd@%i.service\n"));
      EXPECT_THAT(text, Not(HasSubstr("@SOCKET"))) << unit << at;
    }
  }
}

TEST_F(Installed, PagesNameEveryOptionAndEveryKey) {
  const std::string page =
      std::regex_replace(text_of(file("share/man/man8/datumd.8")), std::regex("\\\\-"), "-");
  const std::string help = output_of(DATUMD " --help").text;
  const std::regex option("\\n  (?:-h,)?(--[a-z-]+)");
  int options = 0;
  for (std::sregex_iterator it(help.begin(), help.end(), option), end; it != end; ++it, ++options)
    EXPECT_THAT(page, HasSubstr((*it)[1])) << "datumd.8";
  EXPECT_GT(options, 10);
  const std::string batch_page =
      std::regex_replace(text_of(file("share/man/man1/datumd-batch.1")), std::regex("\\\\-"), "-");
  for (const char* command : {"manifest", "run", "status", "merge", "audit"}) {
    const std::string of_it = output_of(DATUMD "-batch " + std::string(command) + " --help").text;
    const std::regex its_option("\\n  (?:-[a-z],)?(--[a-z-]+)");
    for (std::sregex_iterator it(of_it.begin(), of_it.end(), its_option), end; it != end; ++it)
      EXPECT_THAT(batch_page, HasSubstr((*it)[1])) << "datumd-batch.1, " << command;
  }
  const std::string sample = text_of(file("share/man/man5/datumd.toml.5"));
  EXPECT_THAT(sample, HasSubstr("\nschema = 1\n"));
  EXPECT_THAT(sample, HasSubstr("\n[sensor]\n"));
}

}  // namespace
}  // namespace datum
