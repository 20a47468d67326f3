// TLS over an in-memory connection: accepted and refused peers, both sides' texts, and unchanged transfer of
// bytes.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <random>

#include "tests/drivers/tls/tls_wire.h"

namespace datum {
namespace tls_port_test {

using ::testing::HasSubstr;
using ::testing::IsEmpty;
using testing::IssueOptions;
using testing::tls_day_s;
using testing::tls_now_s;
using testing::TlsFiles;
using testing::TlsPair;

std::size_t put(Port& port, std::string_view bytes) {
  return port.write(reinterpret_cast<const std::uint8_t*>(bytes.data()), bytes.size());
}
std::string got(Port& port, std::size_t room = 4096) {
  std::string bytes(room, '\0');
  bytes.resize(port.read(reinterpret_cast<std::uint8_t*>(bytes.data()), room));
  return bytes;
}

TEST(TlsPort, BothSidesProveWhoTheyAre) {
  TlsFiles files;
  IssueOptions o;
  o.common_name = "line-plc";
  o.organisation = "Works";
  o.serial = 0x1a2b;
  TlsPair pair(files.server, files.client(files.authority.issue(o)));
  ASSERT_TRUE(pair.shake()) << pair.server_said << pair.client_said;
  EXPECT_EQ(pair.server.version(), "TLSv1.3");
  const TlsIdentity peer = pair.server.peer();
  EXPECT_EQ(peer.subject, "O=Works,CN=line-plc");
  EXPECT_EQ(peer.name, "line-plc");
  EXPECT_EQ(peer.serial, "1A2B");
  EXPECT_EQ(peer.sha256.size(), 64u);
  EXPECT_EQ(peer.ends_s, tls_now_s + 100 * tls_day_s);
  EXPECT_EQ(text_of(peer), "O=Works,CN=line-plc, serial 1A2B, SHA-256 " + peer.sha256);
  EXPECT_EQ(put(pair.client, "*IDN?\n"), 6u);
  EXPECT_EQ(got(pair.server), "*IDN?\n");
  EXPECT_EQ(put(pair.server, "datum\n"), 6u);
  EXPECT_EQ(got(pair.client), "datum\n");
  EXPECT_EQ(pair.wire.to_server.find("IDN"), std::string::npos);
  pair.client.close();
  EXPECT_THROW(got(pair.server), LostError);
}

struct Refusal {
  const char* name;
  std::function<TlsClientSettings(TlsFiles&)> client;
  std::string server_says, client_says;
};

class TlsRefusal : public ::testing::TestWithParam<Refusal> {};

TlsClientSettings dated(TlsFiles& files, std::int64_t from_s, std::int64_t to_s) {
  IssueOptions o;
  o.from_s = from_s;
  o.to_s = to_s;
  return files.client(files.authority.issue(o));
}

TEST_P(TlsRefusal, LetsNobodyIn) {
  TlsFiles files;
  TlsPair pair(files.server, GetParam().client(files));
  pair.shake();
  pair.listen();
  EXPECT_FALSE(pair.server.connected());
  EXPECT_THAT(pair.server_said, HasSubstr(GetParam().server_says));
  EXPECT_THAT(pair.client_said, HasSubstr(GetParam().client_says));
  EXPECT_TRUE(pair.client_lasting) << "trying again mends nothing";
}

const Refusal refusals[] = {
    {"anothers_ca",
     [](TlsFiles& files) {
       testing::Authority other("other CA");
       return files.client(other.issue({}));
     },
     "no CA of host.tcp.tls.client_ca signed it", "signed by another CA than host.tcp.tls.client_ca"},
    {"a_ca_of_the_same_name",
     [](TlsFiles& files) {
       testing::Authority other;
       return files.client(other.issue({}));
     },
     "is refused: ", "datumd refuses this"},
    {"its_own_signature", [](TlsFiles& files) { return files.client(testing::self_signed({})); },
     "self-signed certificate; no CA of host.tcp.tls.client_ca signed it", "signed by another CA"},
    {"expired", [](TlsFiles& files) { return dated(files, tls_now_s - 10 * tls_day_s, tls_now_s - 1); },
     "the certificate CN=host expired on 2030-03-17", "it has expired, or is not valid yet"},
    {"not_yet_valid", [](TlsFiles& files) { return dated(files, tls_now_s + 60, tls_now_s + tls_day_s); },
     "the certificate CN=host is not valid before 2030-03-17", "datumd refuses this"},
    {"a_servers_certificate",
     [](TlsFiles& files) {
       IssueOptions o;
       o.purpose = "serverAuth";
       return files.client(files.authority.issue(o));
     },
     "unsuitable certificate purpose", "datumd refuses this"},
    {"no_certificate",
     [](TlsFiles& files) {
       return TlsClientSettings{files.server.client_ca, {}, {}, "cell-7"};
     },
     "it shows no certificate", "datumd wants a client certificate: --tls-cert and --tls-key"},
};

INSTANTIATE_TEST_SUITE_P(Each, TlsRefusal, ::testing::ValuesIn(refusals),
                         [](const auto& info) { return std::string(info.param.name); });

TEST(TlsPort, ARevokedCertificateLetsNobodyInAndAnOldListNeither) {
  TlsFiles files;
  const testing::Paper bad = files.authority.issue({}), good = files.authority.issue({});
  files.server.crl = files.folder.write("ca.crl", files.authority.revoke({bad.serial}));
  TlsPair revoked(files.server, files.client(bad)), other(files.server, files.client(good));
  revoked.shake();
  revoked.listen();
  EXPECT_THAT(revoked.server_said, HasSubstr("certificate revoked"));
  EXPECT_THAT(revoked.client_said, HasSubstr("it is revoked"));
  EXPECT_TRUE(other.shake()) << other.server_said;
  files.folder.write("ca.crl", files.authority.revoke({}, tls_now_s - 60));
  TlsPair old(files.server, files.client(good));
  old.shake();
  EXPECT_THAT(old.server_said, HasSubstr("CRL has expired; host.tcp.tls.crl needs a current list"));
}

struct Distrust {
  const char* name;
  std::function<void(TlsFiles&, TlsServerSettings&, TlsClientSettings&)> change;
  std::string client_says;
};
class TlsDistrust : public ::testing::TestWithParam<Distrust> {};

TEST_P(TlsDistrust, AClientLeavesAServerThatItDoesNotKnow) {
  TlsFiles files;
  TlsServerSettings server = files.server;
  TlsClientSettings client = files.client("host");
  GetParam().change(files, server, client);
  TlsPair pair(server, client);
  EXPECT_FALSE(pair.shake());
  EXPECT_THAT(pair.client_said, HasSubstr(GetParam().client_says));
  EXPECT_TRUE(pair.client_lasting);
  EXPECT_FALSE(pair.server.connected());
}

void serve_with(TlsFiles& files, TlsServerSettings& server, const IssueOptions& o) {
  const testing::Paper paper = files.authority.issue(o);
  server.certificate = files.folder.write("other.crt", paper.certificate);
  server.key = testing::write_secret(files.folder, "other.key", paper.key);
}

const Distrust distrusts[] = {
    {"another_name", [](TlsFiles&, auto&, TlsClientSettings& client) { client.name = "cell-8"; },
     "hostname mismatch; its subjectAltName must name the server, or --tls-name"},
    {"another_address", [](TlsFiles&, auto&, TlsClientSettings& client) { client.name = "10.0.0.7"; },
     "IP address mismatch"},
    {"another_ca",
     [](TlsFiles& files, auto&, TlsClientSettings& client) {
       client.ca = files.folder.write("other-ca.crt", testing::Authority("other CA").certificate());
     },
     "no CA of --tls-ca signed it"},
    {"expired",
     [](TlsFiles& files, TlsServerSettings& server, auto&) {
       IssueOptions o;
       o.common_name = "cell-7";
       o.purpose = "serverAuth";
       o.names = "DNS:cell-7";
       o.to_s = tls_now_s - tls_day_s / 2;
       serve_with(files, server, o);
     },
     "the certificate CN=cell-7 expired on 2030-03-17"},
    {"a_clients_certificate",
     [](TlsFiles& files, TlsServerSettings& server, auto&) {
       IssueOptions o;
       o.names = "DNS:cell-7";
       serve_with(files, server, o);
     },
     "unsuitable certificate purpose"},
};
INSTANTIATE_TEST_SUITE_P(Each, TlsDistrust, ::testing::ValuesIn(distrusts),
                         [](const auto& info) { return std::string(info.param.name); });

TEST(TlsPort, AClientKnowsTheServerByItsAddressToo) {
  TlsFiles files;
  TlsClientSettings client = files.client("host");
  client.name = "127.0.0.1";
  TlsPair pair(files.server, client);
  EXPECT_TRUE(pair.shake()) << pair.client_said;
}

TEST(TlsPort, NoNameIsReadFromASubjectWithTwo) {
  TlsFiles files;
  IssueOptions o;
  o.common_name = std::string("plc\0evil", 8);
  TlsPair zero(files.server, files.client(files.authority.issue(o)));
  ASSERT_TRUE(zero.shake());
  EXPECT_EQ(zero.server.peer().name, "");
  o.common_name = "host";
  o.organisation = std::string(64, 'o');
  TlsPair whole(files.server, files.client(files.authority.issue(o)));
  ASSERT_TRUE(whole.shake());
  EXPECT_THAT(text_of(whole.server.peer()), HasSubstr(std::string(64, 'o')));
}

// 10 MB in each direction through a wire that accepts few bytes at a time: every byte arrives once, in order,
// and neither side buffers more than a record.
TEST(TlsPort, ALongLineArrivesThroughANarrowWire) {
  TlsFiles files;
  TlsPair pair(files.server, files.client("host"));
  ASSERT_TRUE(pair.shake());
  std::mt19937 random(1);
  std::string sent(10'000'000, '\0'), received;
  for (char& c : sent) c = static_cast<char>('a' + random() % 26);
  sent.back() = '\n';
  for (TlsPort* from : {&pair.client, &pair.server}) {
    TlsPort& to = from == &pair.client ? pair.server : pair.client;
    received.clear();
    std::size_t done = 0;
    int stalled = 0;
    for (int turns = 0; received.size() < sent.size() && turns < 2'000'000; ++turns) {
      pair.wire.room = 1 + random() % 9000;
      // A caller may offer fewer bytes after a partial write: accepted bytes stay unchanged.
      const std::size_t n = std::min<std::size_t>(sent.size() - done, 1 + random() % 40'000);
      if (n > 0) done += put(*from, std::string_view(sent).substr(done, n));
      if (from->wants_write()) from->write(nullptr, 0);
      stalled += from->wants_write();
      received += got(to, 1 + random() % 5000);
    }
    EXPECT_TRUE(received == sent);
    EXPECT_GT(stalled, 100) << "the wire was narrow";
  }
}

TEST(TlsPort, SaysWhatItHoldsThatItsDescriptorDoesNotShow) {
  TlsFiles files;
  TlsPair pair(files.server, files.client("host"));
  ASSERT_TRUE(pair.shake());
  put(pair.client, std::string(10'000, 'x'));
  EXPECT_EQ(got(pair.server, 4096).size(), 4096u);
  EXPECT_TRUE(pair.server.holds_input());
  EXPECT_THAT(pair.wire.to_server, IsEmpty()) << "nothing would wake a loop";
  EXPECT_EQ(got(pair.server, 9000).size(), 10'000u - 4096u);
  EXPECT_FALSE(pair.server.holds_input());
}

TEST(TlsPort, APeerThatEndsInTheMiddleOfARecordIsLostAndSaysNothing) {
  TlsFiles files;
  TlsPair pair(files.server, files.client("host"));
  ASSERT_TRUE(pair.shake());
  put(pair.client, "SYST:LOCK:FORC\n");
  pair.wire.to_server.resize(pair.wire.to_server.size() - 5);
  EXPECT_EQ(got(pair.server), "");
  pair.wire.cut = true;
  EXPECT_THROW(got(pair.server), LostError);
  EXPECT_THROW(got(pair.server), LostError) << "and stays lost";
}

TEST(TlsPort, AChangedByteIsNeverHandedOn) {
  TlsFiles files;
  TlsPair pair(files.server, files.client("host"));
  ASSERT_TRUE(pair.shake());
  put(pair.client, "ABOR\n");
  pair.wire.to_server[7] = static_cast<char>(pair.wire.to_server[7] ^ 1);
  EXPECT_THROW(got(pair.server), LostError);
}

TEST(TlsPort, ExpiryIsWarnedOfInTime) {
  EXPECT_EQ(expiry_text(tls_now_s + 31 * tls_day_s, tls_now_s), "");
  EXPECT_EQ(expiry_text(tls_now_s + 12 * tls_day_s, tls_now_s), "expires on 2030-03-29, in 12 days");
  EXPECT_EQ(expiry_text(tls_now_s, tls_now_s), "expired on 2030-03-17");
}

TEST(TlsPort, FingerprintsAreTakenAsOpensslPrintsThem) {
  std::string with_colons;
  for (int i = 0; i < 32; ++i) with_colons += (i ? ":" : "") + std::string("AB");
  std::string plain;
  for (int i = 0; i < 32; ++i) plain += "ab";
  EXPECT_EQ(plain_sha256(with_colons), plain);
  EXPECT_EQ(plain_sha256(plain), plain);
  EXPECT_EQ(plain_sha256(plain.substr(2)), std::nullopt);
  EXPECT_EQ(plain_sha256(plain + "ab"), std::nullopt);
  EXPECT_EQ(plain_sha256("g" + plain.substr(1)), std::nullopt);
  EXPECT_EQ(plain_sha256(""), std::nullopt);
}

}  // namespace tls_port_test
}  // namespace datum
