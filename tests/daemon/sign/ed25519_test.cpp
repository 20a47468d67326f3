// Keys: permissions and forms; signatures against RFC 8032.
#include "daemon/sign/ed25519.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "daemon/sign/hex.h"
#include "tests/daemon/sign/key_files.h"

namespace datum {
namespace ed25519_test {
namespace {

namespace fs = std::filesystem;
using testing::FreshFolder;
using ::testing::HasSubstr;
using testing::new_key;

std::string refusal_of(const fs::path& file) {
  try {
    SigningKey::from_file(file);
  } catch (const KeyError& error) {
    return error.what();
  }
  return "";
}

// RFC 8032, 7.1, test 2: one byte.
TEST(Ed25519, ChecksAsTheStandardsExample) {
  const std::string key = "3d4017c3e843895a92b70aa74d1b7ebc9c982ccf2ec4968cc0cd55f12af4660c";
  const std::string signature =
      "92a009a9f0d4cab8720e820b5f642540a2b27b5416503f8fb3762223ebdb69da"
      "085ac1e43e15996e458f3613d0f11d8c387b2eaeb4302aeeb00d291612bb0c00";
  EXPECT_TRUE(is_signed_by(key, "\x72", signature));
  EXPECT_FALSE(is_signed_by(key, "\x73", signature));
  EXPECT_FALSE(is_signed_by(key, "\x72", signature.substr(2) + "00"));
  EXPECT_FALSE(is_signed_by(key.substr(2), "\x72", signature));
  EXPECT_FALSE(is_signed_by(key, "\x72", ""));
}

TEST(Ed25519, AKeyAsTheManualMakesItSignsAndIsChecked) {
  const FreshFolder folder;
  const SigningKey key = SigningKey::from_file(new_key(folder));
  const std::string signature = key.sign("a head");
  EXPECT_TRUE(is_signed_by(key.public_key(), "a head", signature));
  EXPECT_FALSE(is_signed_by(key.public_key(), "a head ", signature));
  const std::string pem = (folder / "key.pem").string(), pub = (folder / "key.pub").string();
  ASSERT_EQ(std::system(("openssl pkey -in '" + pem + "' -pubout -out '" + pub + "'").c_str()), 0);
  EXPECT_EQ(public_key_of(pub), key.public_key());
  EXPECT_EQ(public_key_of(folder.write("made.pub", pem_of(key.public_key()))), key.public_key());
}

TEST(Ed25519, RefusesAKeyThatOthersMayReadOrWrite) {
  const FreshFolder folder;
  const fs::path file = new_key(folder);
  EXPECT_EQ(refusal_of(file), "");
  for (const unsigned mode : {0404u, 0602u, 0420u}) {
    fs::permissions(file, static_cast<fs::perms>(mode));
    EXPECT_THAT(refusal_of(file), HasSubstr("others may read or write the private key")) << mode;
  }
}

TEST(Ed25519, RefusesWhatIsNoKey) {
  const FreshFolder folder;
  const auto file_of = [&](const std::string& text) {
    const fs::path file = folder.write("bad.pem", text);
    fs::permissions(file, static_cast<fs::perms>(0400));
    std::string why = refusal_of(file);
    fs::remove(file);
    return why;
  };
  EXPECT_THAT(file_of(""), HasSubstr("holds no Ed25519 private key"));
  EXPECT_THAT(file_of("-----BEGIN PRIVATE KEY-----\nAAAA\n-----END PRIVATE KEY-----\n"),
              HasSubstr("'openssl genpkey -algorithm ed25519' makes one"));
  EXPECT_THAT(file_of(std::string(5000, 'x')), HasSubstr("fewer than 4096"));
  EXPECT_THAT(refusal_of(folder / "missing.pem"), HasSubstr("can't be opened"));
  EXPECT_THAT(refusal_of(folder.path()), HasSubstr("no regular file"));
  const std::string rsa = (folder / "rsa.pem").string();
  ASSERT_EQ(std::system(("umask 077; openssl genpkey -quiet -algorithm x25519 -out '" + rsa +
                         "' 2>/dev/null || openssl genpkey -algorithm x25519 -out '" + rsa + "'")
                            .c_str()),
            0);
  EXPECT_THAT(refusal_of(rsa), HasSubstr("holds no Ed25519 private key"));
  EXPECT_THROW(public_key_of(folder.write("bad.pub", "no key")), KeyError);
  EXPECT_THROW(pem_of("12"), KeyError);
}

}  // namespace
}  // namespace ed25519_test
}  // namespace datum
