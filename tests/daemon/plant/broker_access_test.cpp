// The way to the broker: which files it is made of, and which it refuses.
#include "daemon/plant/broker_access.h"

#include <gmock/gmock.h>

#include "tests/drivers/tls/tls_wire.h"

namespace datum {
namespace {

using namespace testing;
using ::testing::HasSubstr;
namespace fs = std::filesystem;

struct BrokerAccessing : ::testing::Test {
  BrokerAccessing() {
    settings.host = "cell-7";
    settings.handle = "V.M.1";
    settings.authority_file = files.server.client_ca;
    const TlsClientSettings own = files.client("cell1");
    settings.certificate_file = own.certificate;
    settings.key_file = own.key;
  }
  std::string refusal() const {
    try {
      broker_access(settings, settings.handle, "plant", tls_clock);
    } catch (const RefusedError& error) {
      return error.what();
    }
    return "";
  }
  TlsFiles files;
  PlantSettings settings;
};

TEST_F(BrokerAccessing, ShowsACertificateOrAPassword) {
  EXPECT_TRUE(broker_access(settings, settings.handle, "plant", tls_clock).who.certificate);
  settings.user = "cell";
  settings.password_file = write_secret(files.folder, "password", "pass word\nsecond line\n");
  const BrokerAccess access = broker_access(settings, settings.handle, "plant", tls_clock);
  EXPECT_EQ(access.who.password, "pass word");
  EXPECT_EQ(access.who.host, "cell-7");
}

TEST_F(BrokerAccessing, ReadsFilesAnew) {
  settings.password_file = write_secret(files.folder, "password", "old\n");
  EXPECT_EQ(broker_access(settings, settings.handle, "plant", tls_clock).who.password, "old");
  write_secret(files.folder, "password", "new\n");
  EXPECT_EQ(broker_access(settings, settings.handle, "plant", tls_clock).who.password, "new");
}

TEST_F(BrokerAccessing, RefusesWhatOthersCanRead) {
  const auto group = fs::perms::owner_all | fs::perms::group_read;
  settings.password_file = write_secret(files.folder, "password", "x\n");
  EXPECT_EQ(refusal(), "");
  fs::permissions(settings.password_file, group);
  EXPECT_THAT(refusal(), HasSubstr("this password is open to others"));
  settings.password_file.clear();
  fs::permissions(settings.key_file, group);
  EXPECT_THAT(refusal(), HasSubstr("this private key is open to others"));
}

TEST_F(BrokerAccessing, NamesTheFileThatIsNoUse) {
  settings.password_file = write_secret(files.folder, "password", "\nx\n");
  EXPECT_THAT(refusal(), HasSubstr("its first line is empty"));
  settings.password_file = files.folder / "none";
  EXPECT_THAT(refusal(), HasSubstr("none: No such file"));
  settings.password_file = "%d/password";
  EXPECT_THAT(refusal(), HasSubstr("LoadCredential="));
  settings.password_file.clear();
  settings.crl_file = settings.authority_file;
  EXPECT_THAT(refusal(), HasSubstr("has no list of revoked certificates"));
  settings.crl_file.clear();
  settings.key_file = files.client("other").key;
  EXPECT_THAT(refusal(), HasSubstr("is not the key of"));
}

/// Over the wire, a broker whose certificate is on the list, or whose list has run out, is refused by the plant's own words.
TEST_F(BrokerAccessing, ARevokedBrokerIsRefused) {
  IssueOptions o;
  o.common_name = "cell-7";
  o.purpose = "serverAuth";
  o.names = "DNS:cell-7";
  const Paper broker = files.authority.issue(o);
  TlsServerSettings server = files.server;
  server.certificate = files.folder.write("broker.crt", broker.certificate);
  server.key = write_secret(files.folder, "broker.key", broker.key);
  TlsClientSettings client = files.client("cell1");
  client.names.crl = "plant.crl_file";
  const auto said = [&](const std::string& list) {
    client.crl = files.folder.write("crl.pem", list);
    TlsPair pair(server, client);
    const bool good = pair.shake();
    EXPECT_EQ(good, pair.client_said.empty());
    return pair.client_said;
  };
  EXPECT_EQ(said(files.authority.revoke({})), "");
  EXPECT_THAT(said(files.authority.revoke({broker.serial})), HasSubstr("certificate revoked"));
  EXPECT_THAT(said(files.authority.revoke({}, tls_now_s - 1)),
              HasSubstr("plant.crl_file needs a current list"));
}

}  // namespace
}  // namespace datum
