// The real daemon and datumctl over TLS, with the README's commands for the certificates.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <signal.h>
#include <sys/stat.h>

#include <cstdlib>
#include <fstream>
#include <nlohmann/json.hpp>
#include <sstream>

#include "tests/scenario/scenario_cell.h"

namespace datum::scenario {
namespace scenario_tls_test {

using ::testing::AllOf;
using ::testing::HasSubstr;

std::string readme_block(const std::string& language, const std::string& beginning) {
  const std::string text = slurp(std::filesystem::path(DATUM_SOURCE_DIR) / "daemon/hosts/README.md");
  const auto at = text.find("```" + language + "\n" + beginning);
  if (at == std::string::npos)
    throw std::runtime_error("daemon/hosts/README.md has no block that begins with " + beginning);
  const auto from = text.find('\n', at) + 1;
  return text.substr(from, text.find("\n```", from) - from) + "\n";
}

CellOptions with_tls() {
  CellOptions o;
  o.trigger = "bus";
  o.arm_at_start = o.push_results = false;
  o.role = "";
  o.more = readme_block("toml", "[host.tcp.tls]") +
           "[[host.tcp.tls.client]]\nname = \"reader\"\nrole = \"read\"\n";
  return o;
}

struct ScenarioTls : ::testing::Test {
  ScenarioTls() : cell(with_tls()) {
    const std::string commands = readme_block("sh", "openssl req -x509 -newkey");
    shell("mkdir tls && cd tls && set -e\n" + commands);
    // The last command again, for further clients.
    const std::string last = commands.substr(commands.rfind("openssl req"));
    for (const std::string name : {"reader", "stranger"})
      shell("cd tls\n" + replaced(last, "engineer", name));
    shell("cd tls\n" +
          replaced(replaced(commands.substr(0, commands.find("\nopenssl")), "cell CA", "other CA"), "ca.",
                   "other."));
  }
  static std::string replaced(std::string text, const std::string& from, const std::string& to) {
    for (auto at = text.find(from); at != std::string::npos; at = text.find(from, at + to.size()))
      text.replace(at, from.size(), to);
    return text;
  }
  void shell(const std::string& commands) const {
    const Outcome done = run({"/bin/sh", "-c", commands}, cell.path());
    if (done.status != 0) throw std::runtime_error(done.output);
  }
  Outcome ctl(std::vector<std::string> words, const std::string& who, const std::string& host = "127.0.0.1",
              const std::string& ca = "ca") const {
    words.insert(words.begin(), "datumctl");
    words.insert(words.end(), {"--tcp", host + ":" + std::to_string(cell.tcp_port())});
    if (!ca.empty()) words.insert(words.end(), {"--tls-ca", "tls/" + ca + ".crt"});
    if (!who.empty())
      words.insert(words.end(), {"--tls-cert", "tls/" + who + ".crt", "--tls-key", "tls/" + who + ".key"});
    return run(words, cell.path());
  }
  Cell cell;
};

TEST_F(ScenarioTls, TheReadmesCertificatesWorkAndEachHasItsRole) {
  EXPECT_THAT(run({"datumd", "--check-config", "--config", "datumd.toml"}, cell.path()).output,
              HasSubstr(": good"));
  cell.start();
  const Outcome status = ctl({"status"}, "engineer");
  EXPECT_EQ(status.status, 0) << status.output;
  EXPECT_THAT(status.output, HasSubstr("TLS"));
  EXPECT_EQ(ctl({"choose", "box"}, "engineer").status, 0);
  const Outcome reader = ctl({"choose", "box"}, "reader");
  EXPECT_EQ(reader.status, 8);
  EXPECT_THAT(reader.output, HasSubstr("this certificate has role \"\"read\"\""));
}

TEST_F(ScenarioTls, WhatIsWrongIsSaidInWords) {
  cell.start();
  const auto said = [&](const std::string& who, const std::string& host = "127.0.0.1",
                        const std::string& ca = "ca") {
    const Outcome outcome = ctl({"status"}, who, host, ca);
    EXPECT_EQ(outcome.status, 7);
    return outcome.output;
  };
  EXPECT_THAT(said("stranger"),
              HasSubstr("REFUSED,no [[host.tcp.tls.client]] names this certificate: CN=stranger, serial "));
  EXPECT_THAT(said(""), HasSubstr("datumd wants a client certificate: --tls-cert and --tls-key"));
  EXPECT_THAT(said("", "127.0.0.1", ""), HasSubstr("REFUSED,host.tcp takes TLS alone"));
  EXPECT_THAT(said("engineer", "127.0.0.1", "other"), HasSubstr("no CA of --tls-ca signed it"));
  EXPECT_THAT(ctl({"status", "--tls-name", "elsewhere"}, "engineer").output,
              HasSubstr("hostname mismatch; its subjectAltName must name the server, or --tls-name"));
  chmod((cell.path() / "tls/engineer.key").c_str(), 0644);
  EXPECT_THAT(said("engineer"), HasSubstr("engineer.key: this private key is open to others"));
  const std::string log = cell.daemon().output();
  EXPECT_THAT(log, AllOf(HasSubstr("it shows no certificate"), HasSubstr("the peer speaks without TLS"),
                         HasSubstr("CN=stranger, serial ")));
}

TEST_F(ScenarioTls, TheChainNamesTheCertificateOfWhoeverDidSomething) {
  cell.start();
  ASSERT_EQ(ctl({"choose", "box"}, "engineer").status, 0);
  ASSERT_EQ(ctl({"arm"}, "engineer").status, 0);
  cell.daemon().signal(SIGTERM);
  EXPECT_EQ(cell.daemon().wait(), 0);
  const Outcome verified = run({"datumctl", "verify", "results", "--store", "results.db"}, cell.path());
  EXPECT_THAT(verified.output, AllOf(HasSubstr("(configure, CN=engineer, serial "), HasSubstr(", SHA-256 "),
                                     HasSubstr("box")));
}

TEST_F(ScenarioTls, AWatchMeasuresABoardAndIsToldWhyItIsRefused) {
  cell.start();
  const auto watching = [&](const std::string& who, const std::string& log) {
    return std::make_unique<Program>(
        std::vector<std::string>{"datumctl", "watch", "--json", "--count", "1", "--after", "0", "--tcp",
                                 "127.0.0.1:" + std::to_string(cell.tcp_port()), "--tls-ca", "tls/ca.crt",
                                 "--tls-cert", "tls/" + who + ".crt", "--tls-key", "tls/" + who + ".key"},
        cell.path(), log);
  };
  const auto reader = watching("reader", "reader.log"), stranger = watching("stranger", "stranger.log");
  EXPECT_TRUE(reader->says("connected"));
  ASSERT_EQ(ctl({"choose", "box"}, "engineer").status, 0);
  ASSERT_EQ(ctl({"arm"}, "engineer").status, 0);
  Program trigger({"datumctl", "trigger", "--tcp", "127.0.0.1:" + std::to_string(cell.tcp_port()), "--tls-ca",
                   "tls/ca.crt", "--tls-cert", "tls/engineer.crt", "--tls-key", "tls/engineer.key"},
                  cell.path(), "trigger.log");
  EXPECT_EQ(trigger.wait(), 0) << trigger.output();
  cell.deliver("board", frame_of_box(good_height_um, 7));
  EXPECT_EQ(reader->wait(), 0);
  EXPECT_THAT(reader->output(), HasSubstr("PASS"));
  EXPECT_TRUE(stranger->says("REFUSED,no [[host.tcp.tls.client]] names this certificate: CN=stranger"))
      << stranger->output();
}

TEST_F(ScenarioTls, AReloadTakesRolesAndCertificatesAnew) {
  cell.start();
  ASSERT_EQ(ctl({"status"}, "reader").status, 0);
  const std::string config = slurp(cell.path() / "datumd.toml");
  cell.write("datumd.toml",
             replaced(config, "\"reader\"\nrole = \"read\"", "\"reader\"\nrole = \"operate\""));
  cell.daemon().signal(SIGHUP);
  const Deadline deadline = timeout();
  while (ctl({"choose", "box"}, "reader").status != 0)
    ASSERT_LT(std::chrono::steady_clock::now(), deadline) << cell.daemon().output();
  cell.write("datumd.toml", replaced(config, "name = \"reader\"", "name = \"nobody\""));
  cell.daemon().signal(SIGHUP);
  while (ctl({"status"}, "reader").status != 7)
    ASSERT_LT(std::chrono::steady_clock::now(), deadline) << cell.daemon().output();
  cell.write("datumd.toml", "schema = \n");
  cell.daemon().signal(SIGHUP);
  EXPECT_TRUE(cell.daemon().says("host.tcp.tls stays as it was")) << cell.daemon().output();
  EXPECT_EQ(ctl({"status"}, "engineer").status, 0);
}

TEST_F(ScenarioTls, AnEndingCertificateIsWarnedOfAndEndsNothing) {
  const std::string commands = readme_block("sh", "openssl req -x509 -newkey");
  const auto second = commands.find("\nopenssl") + 1;
  const std::string server = commands.substr(second, commands.rfind("openssl req") - second);
  shell("cd tls\n" + replaced(server, "-days 825", "-days 12"));
  const Outcome checked = run({"datumd", "--check-config", "--config", "datumd.toml"}, cell.path());
  EXPECT_EQ(checked.status, 0);
  EXPECT_THAT(checked.output, HasSubstr("datumd.toml: host.tcp.tls.certificate: expires on "));
  EXPECT_THAT(
      run({"datumctl", "doctor", "--config", "datumd.toml"}, cell.path()).output,
      AllOf(HasSubstr("host.tcp.tls.certificate: expires on "), HasSubstr("systemctl reload datumd")));
  cell.start();
  EXPECT_TRUE(cell.daemon().says("host.tcp.tls.certificate: expires on "));
  EXPECT_THAT(ctl({"status"}, "engineer").output, HasSubstr("its certificate expires on "));
}

TEST_F(ScenarioTls, AKeyThatOthersReadKeepsTheDaemonFromStarting) {
  chmod((cell.path() / "tls/cell-7.key").c_str(), 0640);
  const Outcome checked = run({"datumd", "--check-config", "--config", "datumd.toml"}, cell.path());
  EXPECT_EQ(checked.status, 78);
  EXPECT_THAT(checked.output, AllOf(HasSubstr("host.tcp.tls: "),
                                    HasSubstr("cell-7.key: this private key is open to others")));
  EXPECT_EQ(cell.launch().wait(), 78);
}

}  // namespace scenario_tls_test
}  // namespace datum::scenario
