// The command server with TLS: roles by certificate, admission, limits for unknown peers. Real sockets; time is injected.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <poll.h>

#include <algorithm>

#include "daemon/hosts/command_server.h"
#include "daemon/store/deed_book.h"
#include "daemon/store/result_chain.h"
#include "tests/daemon/scpi/fixture.h"
#include "tests/drivers/tls/tls_wire.h"

namespace datum {
namespace tls_server_test {

using ::testing::AllOf;
using ::testing::Contains;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::StartsWith;

constexpr MonotonicNs second = 1'000'000'000;

/// TestCell at the date of the certificates.
class Cell : public testing::TestCell {
 public:
  using TestCell::TestCell;
  std::int64_t utc_s() const override { return today_s; }
  std::int64_t today_s = testing::tls_now_s;
};

struct TlsServer : ::testing::Test {
  TlsServer() {
    settings.port = 0;
    settings.account_of = [this](const std::string&, int) { return account; };
    settings.tls =
        HostTls{files.server,
                {{"reader", "", Role::read}, {"plc", "", Role::operate}, {"engineer", "", Role::configure}}};
    serve();
  }
  void serve() {
    server = std::make_unique<CommandServer>(settings, cell,
                                             [this](int, const std::string& text, const LogEvent& event) {
                                               log.push_back(text);
                                               if (event.event == Event::host_refused)
                                                 refusals.push_back(text);
                                             });
  }
  /// Turns of the server until no event is pending.
  void turn() {
    for (int i = 0; i < 20; ++i) {
      pollfd entry{server->fd(), POLLIN, 0};
      const bool due = server->deadline() && *server->deadline() <= now;
      if (poll(&entry, 1, i < 2 ? 20 : 0) > 0) server->on_ready(now);
      if (due) server->on_deadline(now);
    }
  }
  std::unique_ptr<Port> plain() {
    auto port = tcp_port("127.0.0.1", server->port());
    port->open();
    return port;
  }
  std::unique_ptr<TlsPort> secured(const TlsClientSettings& client) {
    auto port = std::make_unique<TlsPort>(tcp_port("127.0.0.1", server->port()),
                                          TlsContext::of_client(client, testing::tls_clock));
    port->open();
    for (int i = 0; i < 6 && !port->connected(); ++i) {
      turn();
      port->shake();
    }
    turn();
    return port;
  }
  std::unique_ptr<TlsPort> host(const std::string& name) { return secured(files.client(name)); }
  /// The bytes that a client received, and how its connection ended.
  std::string heard(Port& port) {
    std::string text;
    try {
      for (int i = 0; i < 4; ++i) {
        std::uint8_t bytes[4096];
        while (const std::size_t n = port.read(bytes, sizeof bytes))
          text.append(reinterpret_cast<const char*>(bytes), n);
        turn();
      }
    } catch (const std::runtime_error& error) {
      text += std::string("<") + error.what() + ">";
    }
    return text;
  }
  std::string ask(Port& port, const std::string& line) {
    port.write(reinterpret_cast<const std::uint8_t*>(line.data()), line.size());
    turn();
    return heard(port);
  }

  testing::TlsFiles files;
  testing::FreshFolder folder;
  Cell cell{folder / "results.db"};
  std::vector<std::string> log, refusals;
  std::optional<std::uint32_t> account = 65'534;  // of the peer: nobody
  MonotonicNs now = second;
  CommandServerSettings settings;
  std::unique_ptr<CommandServer> server;
};

TEST_F(TlsServer, EachCertificateHasItsRole) {
  const auto reader = host("reader"), plc = host("plc"), engineer = host("engineer");
  EXPECT_EQ(ask(*reader, "CONF:REC?\n"), "\"\",\"\"\n");
  EXPECT_THAT(ask(*reader, "CONF:REC 'mainboard';:SYST:ERR?\n"),
              HasSubstr("this certificate has role \"\"read\"\"; this takes role = \"\"operate\"\" in its "
                        "[[host.tcp.tls.client]]"));
  EXPECT_THAT(ask(*plc, "CONF:REC 'mainboard';:SYST:ERR?\n"), StartsWith("0,"));
  const std::string remove = "MMEM:DEL 'mainboard';:SYST:ERR?\n";
  EXPECT_THAT(ask(*plc, remove), HasSubstr("role = \"\"configure\"\""));
  EXPECT_THAT(ask(*engineer, remove), StartsWith("0,"));
  EXPECT_THAT(server->describe(), HasSubstr("3 of 8 connections, TLS"));
}

TEST_F(TlsServer, WhoDidWhatIsToldUnabridged) {
  DeedBook book;
  cell.desk.on_deed([&](const std::string& name, std::string_view what) {
    book.add({name, name_of(cell.desk.role_of(name)), cell.desk.certificate_of(name)}, what,
             "2030-03-17T00:00:00Z", 0);
  });
  testing::IssueOptions o;
  o.common_name = "plc";
  o.organisation = std::string(60, 'w');
  o.serial = 0xBEEF;
  const testing::Paper paper = files.authority.issue(o);
  const auto plc = secured(files.client(paper));
  EXPECT_THAT(ask(*plc, "CONF:REC 'mainboard';:SYST:ERR?\n"), StartsWith("0,"));
  const std::string who = "O=" + o.organisation + ",CN=plc, serial BEEF, SHA-256 ";
  EXPECT_THAT(log, Contains(AllOf(HasSubstr(" (" + who), HasSubstr(", operate) connected"))));
  EXPECT_THAT(cell.who_did_what, Contains(AllOf(StartsWith("tcp 127.0.0.1:"), HasSubstr(" (" + who),
                                                HasSubstr("CONFigure:RECipe"))));
  const std::vector<std::string> deeds = book.take();
  ASSERT_EQ(deeds.size(), 1u);
  EXPECT_THAT(deeds[0], HasSubstr("\"certificate\":\"" + who));
  EXPECT_THAT(words_of(deeds[0]),
              AllOf(HasSubstr("(operate, " + who), HasSubstr("): CONFigure:RECipe mainboard")));
}

TEST_F(TlsServer, ACertificateWithoutARoleIsToldSoAndClosed) {
  const auto stranger = host("stranger");
  EXPECT_THAT(heard(*stranger),
              StartsWith("REFUSED,no [[host.tcp.tls.client]] names this certificate: CN=stranger, serial "));
  EXPECT_EQ(server->connections(), 0u);
  EXPECT_THAT(refusals, ElementsAre(HasSubstr("CN=stranger")));
}

TEST_F(TlsServer, AFingerprintIsStrongerThanAName) {
  const testing::Paper paper = files.authority.issue([] {
    testing::IssueOptions o;
    o.common_name = "engineer";
    return o;
  }());
  const auto first = secured(files.client(paper));
  EXPECT_THAT(log, Contains(HasSubstr(", configure) connected")));
  const std::string line = log.back();
  const std::string sha256 = line.substr(line.find("SHA-256 ") + 8, 64);
  HostTls tls = *settings.tls;
  tls.clients.push_back({"", sha256, Role::read});
  server->reload(tls, now);
  EXPECT_THAT(ask(*first, "CONF:REC 'mainboard';:SYST:ERR?\n"), HasSubstr("has role \"\"read\"\""));
}

TEST_F(TlsServer, APeerWithoutTlsIsToldInItsLanguage) {
  const auto port = plain();
  EXPECT_THAT(ask(*port, "*IDN?\n"), StartsWith("REFUSED,host.tcp takes TLS alone\r\n<"));
  EXPECT_THAT(refusals, ElementsAre(HasSubstr("the peer speaks without TLS")));
}

TEST_F(TlsServer, APeerWithTlsIsToldWhereThereIsNone) {
  settings.tls.reset();
  serve();
  TlsPort port(tcp_port("127.0.0.1", server->port()),
               TlsContext::of_client(files.client("plc"), testing::tls_clock));
  port.open();
  turn();
  EXPECT_THAT(heard(port), HasSubstr("the peer speaks without TLS: REFUSED,host.tcp speaks without TLS>"));
  turn();
  EXPECT_EQ(server->connections(), 0u);
  const auto other = plain();
  EXPECT_THAT(ask(*other, "*IDN?\n"), StartsWith("datum,"));
}

// Slow loris: an incomplete handshake holds no host place, and ends after 5 s.
TEST_F(TlsServer, HalfHandshakesTakeNoPlaceAndEnd) {
  settings.most_connections = 2;
  serve();
  std::vector<std::unique_ptr<Port>> slow;
  for (std::size_t i = 0; i < TlsGate::most_per_address; ++i) {
    slow.push_back(plain());
    slow.back()->write(reinterpret_cast<const std::uint8_t*>("\x16\x03\x01"), 3);
  }
  turn();
  EXPECT_THAT(refusals, ::testing::SizeIs(0));
  slow.push_back(plain());
  turn();
  EXPECT_THAT(
      refusals,
      ElementsAre(HasSubstr("its TLS handshake is the oldest of 8 of its address, and another one came")));
  ASSERT_TRUE(server->deadline());
  EXPECT_EQ(*server->deadline(), now + TlsGate::handshake_ns);
  now += TlsGate::handshake_ns - 1;
  turn();
  EXPECT_EQ(refusals.size(), 1u);
  now += 1;
  turn();
  EXPECT_EQ(refusals.size(), 9u);
  EXPECT_THAT(refusals.back(), HasSubstr("no TLS handshake within 5 s"));
  EXPECT_EQ(server->deadline(), std::nullopt);
  for (const auto& port : slow) EXPECT_THAT(heard(*port), HasSubstr("closed the connection"));
  const auto plc = host("plc");
  EXPECT_THAT(ask(*plc, "*IDN?\n"), StartsWith("datum,"));
}

TEST_F(TlsServer, HandshakesOfOneAddressAreCounted) {
  for (int i = 0; i < TlsGate::burst; ++i) {
    plain()->close();
    turn();
  }
  const std::size_t before = refusals.size();
  EXPECT_EQ(before, static_cast<std::size_t>(TlsGate::burst)) << "each hung up";
  const auto port = plain();
  turn();
  EXPECT_THAT(refusals.back(), HasSubstr("more than 20 TLS handshakes a second of its address"));
  EXPECT_EQ(server->connections(), 0u);
  account = 0;
  EXPECT_THAT(ask(*host("engineer"), "*IDN?\n"), StartsWith("datum,")) << "root gets in all the same";
  account.reset();
  now += second / TlsGate::per_second;
  const auto plc = host("plc");
  EXPECT_THAT(ask(*plc, "*IDN?\n"), StartsWith("datum,"));
}

TEST_F(TlsServer, PlacesAreAsWithoutTls) {
  settings.most_connections = 1;
  serve();
  const auto plc = host("plc");
  const auto reader = host("reader");
  EXPECT_THAT(heard(*reader), StartsWith("REFUSED,1 hosts are connected: host.tcp.most_connections"));
  now += second * (settings.idle_s + 1);
  const auto engineer = host("engineer");
  EXPECT_THAT(ask(*engineer, "*IDN?\n"), StartsWith("datum,"));
  EXPECT_THAT(heard(*plc), StartsWith("CLOSED,silent for"));
}

TEST_F(TlsServer, AChangedRoleHoldsAtOnce) {
  const auto plc = host("plc");
  EXPECT_THAT(ask(*plc, "SYST:LOCK:REQ?\n"), StartsWith("1"));
  HostTls tls = *settings.tls;
  tls.clients[1].role = Role::read;
  server->reload(tls, now);
  EXPECT_THAT(ask(*plc, "CONF:REC 'mainboard';:SYST:ERR?\n"), HasSubstr("has role \"\"read\"\""));
  EXPECT_EQ(cell.desk.owner(), "") << "who may not operate holds no control";
  tls.clients.erase(tls.clients.begin() + 1);
  server->reload(tls, now);
  turn();
  EXPECT_THAT(heard(*plc), StartsWith("CLOSED,no [[host.tcp.tls.client]] names its certificate any more"));
  EXPECT_EQ(server->connections(), 0u);
}

TEST_F(TlsServer, ARevokedCertificateLosesItsConnection) {
  const testing::Paper bad = files.authority.issue([] {
    testing::IssueOptions o;
    o.common_name = "plc";
    return o;
  }());
  const auto revoked = secured(files.client(bad)), engineer = host("engineer");
  HostTls tls = *settings.tls;
  tls.files.crl = files.folder.write("ca.crl", files.authority.revoke({bad.serial}));
  server->reload(tls, now);
  turn();
  EXPECT_THAT(heard(*revoked), AllOf(StartsWith("CLOSED,"), HasSubstr("certificate revoked")));
  EXPECT_THAT(ask(*engineer, "*IDN?\n"), StartsWith("datum,"));
}

TEST_F(TlsServer, WhatCanNotBeReadAgainChangesNothing) {
  const auto plc = host("plc");
  files.folder.write("server.crt", "half a file");
  EXPECT_THROW(server->reload(settings.tls, now), RefusedError);
  EXPECT_THROW(server->reload(std::nullopt, now), RefusedError);
  EXPECT_THAT(ask(*plc, "*IDN?\n"), StartsWith("datum,"));
  const auto engineer = host("engineer");
  EXPECT_THAT(ask(*engineer, "*IDN?\n"), StartsWith("datum,"));
  EXPECT_THAT(server->report(now)->peer, HasSubstr("its certificates could not be read again"));
}

TEST_F(TlsServer, AnotherServersCertificateIsShownAfterAReload) {
  testing::IssueOptions o;
  o.common_name = "cell-8";
  o.purpose = "serverAuth";
  o.names = "DNS:cell-8";
  o.to_s = testing::tls_now_s + 5 * testing::tls_day_s;
  const testing::Paper paper = files.authority.issue(o);
  files.folder.write("server.crt", paper.certificate);
  testing::write_secret(files.folder, "server.key", paper.key);
  EXPECT_EQ(server->report(now)->peer.find("expires"), std::string::npos);
  server->reload(settings.tls, now);
  TlsClientSettings client = files.client("plc");
  EXPECT_THROW(secured(client), RefusedError) << "it is no cell-7 now";
  client.name = "cell-8";
  const auto plc = secured(client);
  EXPECT_THAT(ask(*plc, "*IDN?\n"), StartsWith("datum,"));
  EXPECT_THAT(server->report(now)->peer, HasSubstr("TLS, its certificate expires on 2030-03-22, in 5 days"));
  EXPECT_EQ(server->report(now)->trouble, "");
}

// Certificates expire during a board: existing connections stay, new ones are refused, and datumd starts.
TEST_F(TlsServer, AnExpiredCertificateEndsNothingThatRuns) {
  const auto plc = host("plc");
  cell.today_s += 101 * testing::tls_day_s;
  now += second;
  turn();
  EXPECT_THAT(ask(*plc, "*IDN?\n"), StartsWith("datum,"));
  EXPECT_THAT(server->report(now)->trouble,
              HasSubstr("its certificate expired on 2030-06-25: no host gets in"));
  server->reload(settings.tls, now);
  EXPECT_THAT(ask(*plc, "*IDN?\n"), StartsWith("datum,")) << "its own has expired as well";
  const auto late = host("plc");
  EXPECT_THAT(heard(*late), HasSubstr("it has expired, or is not valid yet"));
  EXPECT_NO_THROW(serve());
}

// 1014 records of 10,000 bytes, three reads each, 16 reads per turn: the last turn but one ends within the last record,
// for which the descriptor is no longer readable.
TEST_F(TlsServer, ALineOfTenMegabytesAndItsAnswersAreBounded) {
  constexpr std::size_t record = 10'000, records_a_turn = 6;
  const auto plc = host("plc");
  const std::string end = "\n*IDN?\n",
                    line = std::string(169 * records_a_turn * record - end.size(), 'x') + end;
  std::string answer;
  std::size_t sent = 0;
  for (int i = 0; i < 20'000 && answer.find("datum,") == std::string::npos; ++i) {
    for (std::size_t k = 0; k < records_a_turn && sent < line.size(); ++k)
      sent += plc->write(reinterpret_cast<const std::uint8_t*>(line.data()) + sent,
                         std::min(record, line.size() - sent));
    plc->write(nullptr, 0);
    pollfd entry{server->fd(), POLLIN, 0};
    if (poll(&entry, 1, 0) > 0) server->on_ready(now);
    if (server->deadline() && *server->deadline() <= now) server->on_deadline(now);
    std::uint8_t bytes[4096];
    answer.append(reinterpret_cast<char*>(bytes), plc->read(bytes, sizeof bytes));
  }
  EXPECT_EQ(sent, line.size());
  EXPECT_THAT(answer, HasSubstr("datum,"));
  EXPECT_THAT(ask(*plc, "SYST:ERR?\n"), ::testing::Not(StartsWith("0,")));
}

}  // namespace tls_server_test
}  // namespace datum
