// The collector and a broker in memory: what it takes, when it accepts, and the brokers that it refuses.
#include "daemon/collect/collector.h"

#include <gmock/gmock.h>

#include "daemon/plant/broker_access.h"
#include "tests/daemon/plant/test_broker.h"
#include "tests/drivers/tls/tls_wire.h"
#include "tests/house/output_of.h"

namespace datum {
namespace {

using namespace testing;
using ::testing::Each;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::SizeIs;

constexpr MonotonicNs of_second = 1'000'000'000, of_minute = 60 * of_second;

struct Collecting : ::testing::Test {
  Collecting() {
    settings.broker.url = "amqp://127.0.0.1";
    settings.broker.entries = "entries";
    settings.broker.window = 3;
    access = [this] { return BrokerAccess{broker.port(), {"datumd-collect", "127.0.0.1", ""}}; };
  }
  void start() {
    CollectorActions actions;
    actions.access = [this] { return access(); };
    actions.write = [this](std::uint64_t number, Delivered message) {
      numbers.push_back(number);
      written.push_back(message.raw);
    };
    actions.end_writer = [this] { writer_ended = true; };
    actions.writer_has_ended = [this] { return writer_ended && writer_may_end; };
    actions.log = [this](int, const std::string& text) { log.push_back(text); };
    actions.now_us = [] { return std::int64_t{1}; };
    collector = std::make_unique<Collector>(settings, actions);
  }
  void settle() {
    do collector->on_ready(now);
    while (broker.step(now));
  }
  void run(MonotonicNs span) {
    const MonotonicNs end = now + span;
    settle();
    for (auto due = collector->deadline(); due && *due <= end; due = collector->deadline()) {
      now = std::max(now, *due);
      collector->on_deadline(now);
      settle();
    }
    now = end;
  }
  void commit(const std::vector<std::uint64_t>& which) {
    collector->committed(which, now);
    settle();
  }
  std::string said() const {
    std::string all;
    for (const std::string& line : log) all += line + "\n";
    return all;
  }

  CollectSettings settings;
  TestBroker broker;
  std::function<BrokerAccess()> access;
  MonotonicNs now = of_second;
  std::vector<std::uint64_t> numbers;
  std::vector<std::string> written, log;
  bool writer_ended = false, writer_may_end = true;
  std::unique_ptr<Collector> collector;
};

TEST_F(Collecting, TakesAWindowAndGoesOnWithEachCommit) {
  broker.queue = {"a", "b", "c", "d", "e"};
  start();
  run(of_second);
  EXPECT_THAT(written, ElementsAre("a", "b", "c"));
  EXPECT_THAT(broker.forgotten, IsEmpty()) << "nothing is committed";
  commit({1, 2});
  EXPECT_THAT(broker.forgotten, ElementsAre("a", "b"));
  EXPECT_THAT(written, ElementsAre("a", "b", "c", "d", "e"));
  commit({2, 99});
  EXPECT_THAT(broker.forgotten, ElementsAre("a", "b")) << "each once, and none that is unknown";
}

TEST_F(Collecting, TakesAgainWhatWasNotCommittedWhenTheLinkWasLost) {
  broker.queue = {"a", "b"};
  start();
  run(of_second);
  commit({1});
  broker.cut();
  run(of_minute);
  EXPECT_THAT(written, ElementsAre("a", "b", "b"));
  commit({2});
  EXPECT_THAT(broker.forgotten, ElementsAre("a")) << "a commit of the lost link's number";
  commit({3});
  EXPECT_THAT(broker.forgotten, ElementsAre("a", "b"));
}

TEST_F(Collecting, GivesWhatIsNoMessageToTheWriter) {
  broker.raw = true;
  broker.queue = {"\x01no AMQP message", "b"};
  start();
  run(of_second);
  EXPECT_THAT(written, ElementsAre("\x01no AMQP message", "b"));
  EXPECT_EQ(broker.connections, 1);
}

TEST_F(Collecting, EndsBehindTheLastCommit) {
  broker.queue = {"a", "b"};
  start();
  run(of_second);
  writer_may_end = false;
  collector->end(now);
  broker.queue.push_back("c");
  run(of_second);
  EXPECT_FALSE(collector->has_ended());
  commit({1, 2});
  writer_may_end = true;
  run(of_second);
  EXPECT_TRUE(collector->has_ended());
  EXPECT_THAT(broker.forgotten, ElementsAre("a", "b"));
  EXPECT_THAT(written, SizeIs(2));
}

TEST_F(Collecting, ACommitBehindALateEndIsHarmless) {
  broker.queue = {"a"};
  start();
  run(of_second);
  writer_may_end = false;
  collector->end(now);
  run(Collector::open_at_end_ns + of_second);
  ASSERT_TRUE(collector->has_ended());
  commit({1});
  EXPECT_THAT(broker.forgotten, IsEmpty());
}

struct Misbehaviour {
  const char* name;
  std::function<void(Behaviour&)> set;
  const char* words;
};
struct BadBrokersOfTheCollector : Collecting, ::testing::WithParamInterface<Misbehaviour> {};

TEST_P(BadBrokersOfTheCollector, AreNamedOnceAndTriedAgain) {
  broker.queue = {"a"};
  GetParam().set(broker.behaviour);
  start();
  run(10 * of_minute);
  EXPECT_THAT(said(), HasSubstr(GetParam().words));
  EXPECT_LE(log.size(), 2u) << said();
  EXPECT_THAT(broker.forgotten, IsEmpty());
  EXPECT_LE(broker.connections, 27);
  broker.behaviour = {};
  run(of_minute);
  ASSERT_THAT(written, ::testing::Not(IsEmpty()));
  EXPECT_THAT(written, Each("a"));
  commit({numbers.back()});
  EXPECT_THAT(broker.forgotten, ElementsAre("a"));
}
INSTANTIATE_TEST_SUITE_P(
    All, BadBrokersOfTheCollector,
    ::testing::Values(
        Misbehaviour{"RefusesConnections", [](Behaviour& b) { b.refuses = true; }, "connection refused"},
        Misbehaviour{"SaysNothing", [](Behaviour& b) { b.is_silent = true; }, "no answer for 30 s"},
        Misbehaviour{"ClosesAtOnce", [](Behaviour& b) { b.closes_connection = true; },
                     "it closed the connection: amqp:internal-error: no disk left"},
        Misbehaviour{"HasNoSource", [](Behaviour& b) { b.has_no_target = true; }, "no answer for 30 s"},
        Misbehaviour{"WantsNoAcceptance", [](Behaviour& b) { b.takes_settled = true; },
                     "without waiting for their acceptance"},
        Misbehaviour{"GivesAMessageSettled", [](Behaviour& b) { b.gives_settled = true; },
                     "it gave a message of entries without waiting for its acceptance"},
        Misbehaviour{"DeniesTheUser", [](Behaviour& b) { b.denies = true; }, "amqp:unauthorized-access"},
        Misbehaviour{"IsAWebServer", [](Behaviour& b) { b.garbage = "HTTP/1.1 400 Bad Request\r\n\r\n"; },
                     "the connection failed"},
        Misbehaviour{"DetachesTheLink", [](Behaviour& b) { b.detaches = true; },
                     "it closed the way to entries: amqp:internal-error"}),
    [](const auto& p) { return std::string(p.param.name); });

/// The collector and a broker's TLS over a wire. The program's own words for the keys of its settings are those of BrokerAccessing.
struct CollectingByTls : Collecting {
  CollectingByTls() {
    client = files.client("collect");
    client.names.server = "the broker";
    client.names.crl = "broker.crl_file";
    client.names.ca = "broker.authority_file";
    access = [this] {
      wire = {};
      server = std::make_unique<TlsPort>(std::make_unique<WirePort>(wire, true),
                                         TlsContext::of_server(files.server, tls_clock));
      return BrokerAccess{std::make_unique<TlsPort>(std::make_unique<WirePort>(wire, false),
                                                    TlsContext::of_client(client, tls_clock)),
                          {"datumd-collect", "cell-7", ""}};
    };
  }
  Paper certify(std::int64_t to_s = tls_now_s + tls_day_s) {
    IssueOptions o;
    o.common_name = "cell-7";
    o.purpose = "serverAuth";
    o.names = "DNS:cell-7";
    o.from_s = tls_now_s - 10 * tls_day_s;
    o.to_s = to_s;
    const Paper paper = files.authority.issue(o);
    files.server.certificate = files.folder.write("broker.crt", paper.certificate);
    files.server.key = write_secret(files.folder, "broker.key", paper.key);
    return paper;
  }
  void list(const std::string& text) { client.crl = files.folder.write("crl.pem", text); }
  /// What the collector says of the broker.
  std::string met() {
    start();
    collector->on_deadline(now);
    for (int i = 0; i < 20; ++i) {
      try {
        server->shake();
      } catch (const std::runtime_error&) {  // the collector hung up
      }
      collector->on_ready(now);
    }
    return said();
  }

  TlsFiles files;
  TlsClientSettings client;
  Wire wire;
  std::unique_ptr<TlsPort> server;
};

/// datumd-collect --check-config with this [broker] crl_file.
struct CheckedConfiguration : ::testing::Test {
  Output checked(const std::string& crl) {
    folder.write("collect.toml",
                 "[broker]\nurl = \"amqps://b\"\nentries = \"e\"\ncrl_file = \"" + crl +
                     "\"\nauthority_file = \"" + (files.folder / "ca.crt").string() +
                     "\"\n[database]\nhost = \"/run/postgresql\"\nname = \"p\"\nuser = \"c\"\n");
    return output_of(DATUMD_COLLECT " --check-config --config " + (folder / "collect.toml").string());
  }
  TlsFiles files;
  FreshFolder folder;
};

TEST_F(CheckedConfiguration, AListThatCantBeUsedIsNamed) {
  folder.write("good.crl", files.authority.revoke({}));
  folder.write("text.crl", "no PEM\n");
  folder.write("empty.crl", "");
  std::filesystem::create_directory(folder / "a_folder");
  const Output good = checked("good.crl");
  EXPECT_EQ(good.status, 0) << good.text;
  EXPECT_THAT(good.text, HasSubstr("collect.toml: good"));
  for (const char* name : {"missing.crl", "text.crl", "empty.crl", "a_folder"}) {
    const Output bad = checked(name);
    EXPECT_EQ(bad.status, 78) << name << ": " << bad.text;
    EXPECT_THAT(bad.text, ::testing::AllOf(HasSubstr("broker.crl_file"), HasSubstr((folder / name).string())))
        << name;
  }
}

TEST_F(CollectingByTls, AGoodBrokerIsNotRefused) {
  certify();
  list(files.authority.revoke({}));
  EXPECT_EQ(met(), "");
  EXPECT_TRUE(server->connected());
}
TEST_F(CollectingByTls, ARevokedBrokerIsRefused) {
  list(files.authority.revoke({certify().serial}));
  EXPECT_THAT(met(), HasSubstr("certificate revoked"));
}
TEST_F(CollectingByTls, AListThatHasRunOutIsRefused) {
  certify();
  list(files.authority.revoke({}, tls_now_s - 1));
  EXPECT_THAT(met(), HasSubstr("broker.crl_file needs a current list"));
}
TEST_F(CollectingByTls, AnExpiredBrokerIsRefused) {
  certify(tls_now_s - tls_day_s);
  EXPECT_THAT(met(), HasSubstr("expired"));
}
TEST_F(CollectingByTls, ABrokerOfAnotherAuthorityIsRefused) {
  certify();
  client.ca = files.folder.write("stranger.crt", Authority().certificate());
  EXPECT_THAT(met(), HasSubstr("is refused: certificate signature failure")) << "of the same name";
}

}  // namespace
}  // namespace datum
