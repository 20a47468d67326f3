// Files of TLS: refusals and their texts.
#include "drivers/tls/tls_files.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <openssl/pem.h>
#include <sys/stat.h>

#include <cstdlib>

#include "drivers/tls/tls_check.h"
#include "tests/drivers/tls/tls_wire.h"

namespace datum {
namespace tls_files_test {

using ::testing::HasSubstr;
using testing::TlsFiles;

struct Files : ::testing::Test {
  ~Files() override { unsetenv("CREDENTIALS_DIRECTORY"); }
  std::string problem() const { return problem_of(files.server); }
  TlsFiles files;
};

TEST_F(Files, GoodOnesAreGood) { EXPECT_EQ(problem(), ""); }

TEST_F(Files, AKeyThatOthersMayReadIsRefused) {
  for (const mode_t mode : {0640u, 0604u, 0660u, 0601u}) {
    chmod(files.server.key.c_str(), mode);
    EXPECT_THAT(problem(), HasSubstr("server.key: this private key is open to others")) << mode;
  }
  chmod(files.server.key.c_str(), 0400);
  EXPECT_EQ(problem(), "");
}

// The service manager grants access by an access list, whose mask appears as the group's bits.
TEST_F(Files, ACredentialIsItsReadersAlone) {
  const std::string folder = files.folder.path().string();
  chmod(files.server.key.c_str(), 0440);
  files.server.key = "%d/server.key";
  unsetenv("CREDENTIALS_DIRECTORY");
  EXPECT_EQ(problem(), "") << "only the service has it; the rest is looked at";
  EXPECT_THROW(TlsContext::of_server(files.server, testing::tls_clock), RefusedError);
  setenv("CREDENTIALS_DIRECTORY", folder.c_str(), 1);
  EXPECT_EQ(problem(), "");
  EXPECT_NO_THROW(TlsContext::of_server(files.server, testing::tls_clock));
  files.server.key = "%d/other";
  EXPECT_THAT(problem(), HasSubstr("/other: No such file"));
}

TEST_F(Files, AnothersKeyIsRefused) {
  files.server.key = testing::write_secret(files.folder, "another.key", files.authority.issue({}).key);
  EXPECT_THAT(problem(), HasSubstr("another.key: is not the key of "));
}

TEST_F(Files, AnEncryptedKeyIsRefused) {
  const testing::Paper paper = files.authority.issue({});
  BIO* from = BIO_new_mem_buf(paper.key.data(), static_cast<int>(paper.key.size()));
  EVP_PKEY* key = PEM_read_bio_PrivateKey(from, nullptr, nullptr, nullptr);
  BIO* to = BIO_new(BIO_s_mem());
  PEM_write_bio_PKCS8PrivateKey(to, key, EVP_aes_128_cbc(), "secret", 6, nullptr, nullptr);
  char* bytes = nullptr;
  const long size = BIO_get_mem_data(to, &bytes);
  files.server.key =
      testing::write_secret(files.folder, "locked.key", std::string(bytes, static_cast<std::size_t>(size)));
  BIO_free(from);
  BIO_free(to);
  EVP_PKEY_free(key);
  EXPECT_THAT(problem(), HasSubstr("locked.key: this private key is encrypted"));
}

TEST_F(Files, AFifoIsNotWaitedFor) {
  files.server.certificate = files.folder / "fifo";
  mkfifo(files.server.certificate.c_str(), 0600);
  EXPECT_THAT(problem(), HasSubstr("fifo: is no regular file"));
}

TEST_F(Files, DamageAndTheWrongKindAreNamed) {
  const std::string ca = files.authority.certificate();
  files.folder.write("ca.crt", ca + ca.substr(0, ca.size() / 2));
  EXPECT_THAT(problem(), HasSubstr("ca.crt: certificate 2 is damaged"));
  files.folder.write("ca.crt", "nothing\n");
  EXPECT_THAT(problem(), HasSubstr("ca.crt: has no certificate"));
  files.folder.write("ca.crt", files.authority.issue({}).certificate);
  EXPECT_THAT(problem(), HasSubstr("ca.crt: holds a certificate that is no CA's"));
  files.folder.write("ca.crt", ca);
  files.server.crl = files.folder.write("ca.crl", ca);
  EXPECT_THAT(problem(), HasSubstr("ca.crl: has no list of revoked certificates"));
}

TEST_F(Files, TheFirstEndOfEachIsTold) {
  files.server.crl = files.folder.write("ca.crl", files.authority.revoke({}, testing::tls_now_s + 60));
  const TlsEnds ends = ends_of(files.server);
  EXPECT_EQ(ends.certificate_s, testing::tls_now_s + 100 * testing::tls_day_s);
  EXPECT_EQ(ends.client_ca_s, testing::tls_now_s + 3000 * testing::tls_day_s);
  EXPECT_EQ(ends.crl_s, testing::tls_now_s + 60);
}

}  // namespace tls_files_test
}  // namespace datum
