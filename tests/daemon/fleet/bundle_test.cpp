// Bundles: one spelling, every bit signed or hashed, nothing ambiguous, and keys that are not to be trusted.
#include "daemon/fleet/bundle.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/stat.h>
#include <unistd.h>

#include "tests/daemon/sign/key_files.h"
#include "tests/refusal.h"

namespace datum {
namespace bundle_test {
namespace {

namespace fs = std::filesystem;
using ::testing::ElementsAre;
using testing::FreshFolder;
using ::testing::HasSubstr;
using testing::new_key;

template <class Call>
std::string refusal(const Call& call) {
  return testing::refusal_of<BundleError>(call);
}

struct Signed {
  FreshFolder folder;
  SigningKey key = SigningKey::from_file(new_key(folder));
  Bundle bundle{"line-3",
                12,
                "Jane Doe",
                {"cell-2", "cell-1"},
                {{BundleKind::calibration, "cell-1.toml", "", "id = \"a\"\n"},
                 {BundleKind::recipe, "b.toml", "", "name = \"b\"\n"},
                 {BundleKind::recipe, "a.toml", "", ""}},
                "",
                ""};
  Signed() { sign(bundle, key); }
  std::string bytes() const { return bytes_of(bundle); }
  /// The manifest with `from` as `to`, signed by the same key.
  std::string signed_as(const std::string& from, const std::string& to) const {
    std::string all = bytes();
    const auto at = all.find("\nsignature ") + 1, files = all.find("\n\n") + 2;
    std::string lines = all.substr(0, at);
    const auto place = lines.find(from);
    EXPECT_NE(place, lines.npos) << from;
    lines.replace(place, from.size(), to);
    return lines + "signature " + key.sign(lines) + "\n\n" + all.substr(files);
  }
};

TEST(Bundle, IsReadAsItWasSigned) {
  const Signed s;
  const Bundle read = bundle_of(s.bytes());
  EXPECT_TRUE(is_good(read));
  EXPECT_EQ(bytes_of(read), s.bytes());
  EXPECT_THAT(read.cells, ElementsAre("cell-1", "cell-2"));
  ASSERT_EQ(read.files.size(), 3u);
  EXPECT_EQ(read.files[0].name, "a.toml");
  EXPECT_EQ(read.files[1].text, "name = \"b\"\n");
  EXPECT_EQ(read.files[2].kind, BundleKind::calibration);
  EXPECT_NO_THROW(demand_trusted(read, {s.key.public_key()}));
}

TEST(Bundle, NoBitOfItCanBeFlipped) {
  const Signed s;
  const std::vector<std::string> trusted{s.key.public_key()};
  const std::string good = s.bytes();
  for (std::size_t bit = 0; bit < 8 * good.size(); ++bit) {
    std::string bad = good;
    bad[bit / 8] = static_cast<char>(bad[bit / 8] ^ (1 << bit % 8));
    EXPECT_NE(refusal([&] { demand_trusted(bundle_of(bad), trusted); }), "(accepted)") << bit;
  }
}

TEST(Bundle, IsRefusedCutOffOrLengthened) {
  const Signed s;
  const std::string good = s.bytes();
  for (std::size_t n = 0; n < good.size(); ++n)
    EXPECT_NE(refusal([&] { bundle_of(good.substr(0, n)); }), "(accepted)") << n;
  EXPECT_THAT(refusal([&] { bundle_of(good + "x"); }), HasSubstr("1 bytes stand behind the last file"));
}

// Each of these is signed by a trusted key: the fault is the signer's, or the key's thief's.
TEST(Bundle, RefusesWhatAManifestMayNotSayWhoeverSignsIt) {
  const Signed s;
  const auto said = [&](const std::string& from, const std::string& to) {
    return refusal([&] { bundle_of(s.signed_as(from, to)); });
  };
  EXPECT_EQ(said("line-3", "line-4"), "(accepted)");  // the way of signing itself is good
  EXPECT_THAT(said("recipe a.toml", "recipe ../a.toml"), HasSubstr("a file name without a folder"));
  EXPECT_THAT(said("recipe a.toml", "recipe /etc/a.toml"), HasSubstr("a file name without a folder"));
  EXPECT_THAT(said("recipe a.toml", "recipe .a.toml"), HasSubstr("no . first"));
  EXPECT_THAT(said("recipe a.toml", "recipe a.sh"), HasSubstr("ends in .toml"));
  EXPECT_THAT(said("recipe a.toml", "recipe journal"), HasSubstr("ends in .toml"));
  EXPECT_THAT(said("recipe a.toml", "recipe b.toml"), HasSubstr("is there twice or out of order"));
  EXPECT_THAT(said("recipe a.toml", "recipe c.toml"), HasSubstr("is there twice or out of order"));
  EXPECT_THAT(said("recipe b.toml 11 ", "recipe b.toml 011 "), HasSubstr("not spelt as datumd spells it"));
  EXPECT_THAT(said("recipe b.toml 11 ", "recipe b.toml 99999999999999999999 "),
              HasSubstr("whole number up to"));
  EXPECT_THAT(said("recipe b.toml 11 ", "recipe b.toml 16777216 "), HasSubstr("is cut off"));
  EXPECT_THAT(said("recipe b.toml 11 ", "recipe b.toml 10 "), HasSubstr("stand behind the last file"));
  EXPECT_THAT(said("number 12", "number 0"), HasSubstr("allowed: 1 to"));
  EXPECT_THAT(said("number 12", "number -1"), HasSubstr("whole number"));
  EXPECT_THAT(said("number 12", "number 012"), HasSubstr("not spelt"));
  EXPECT_THAT(said("cell cell-1\n", ""), "(accepted)");
  EXPECT_THAT(said("cell cell-1\ncell cell-2\n", ""), HasSubstr("0 cells"));
  EXPECT_THAT(said("cell cell-1\n", "cell *\n"), HasSubstr("allowed: * alone"));
  EXPECT_THAT(said("cell cell-2\n", "cell cell-1\n"), HasSubstr("is there twice"));
  EXPECT_THAT(said("by Jane Doe", "by Jane\tDoe"), HasSubstr("on one line"));
  EXPECT_THAT(said("by Jane Doe", "by "), HasSubstr("allowed: the name of a person"));
  EXPECT_THAT(said("datumd bundle 1", "datumd bundle 2"), HasSubstr("no bundle of this version"));
  EXPECT_THAT(said("key ", "also\nkey "), HasSubstr("allowed: 'key ...'"));
}

TEST(Bundle, IsTakenFromTrustedKeysAndForThisCellAlone) {
  const Signed s;
  const std::string other = SigningKey::from_file(new_key(s.folder, "other.pem")).public_key();
  EXPECT_THAT(refusal([&] { demand_trusted(s.bundle, {other}); }),
              HasSubstr("which this cell does not trust"));
  EXPECT_EQ(refusal([&] { demand_for(s.bundle, "cell-1"); }), "(accepted)");
  EXPECT_THAT(refusal([&] { demand_for(s.bundle, "cell-3"); }),
              HasSubstr("is for cell-1, cell-2; this cell is 'cell-3'"));
  EXPECT_THAT(refusal([&] { demand_for(s.bundle, "*"); }), HasSubstr("this cell is '*'"));
  Bundle every = s.bundle;
  every.cells = {"*"};
  EXPECT_EQ(refusal([&] { demand_for(every, "cell-3"); }), "(accepted)");
}

TEST(Bundle, FileIsARegularOneWithoutALink) {
  const Signed s;
  const fs::path file = s.folder.write("a.bundle", s.bytes());
  EXPECT_EQ(bundle_bytes(file), s.bytes());
  fs::create_symlink(file, s.folder / "link.bundle");
  EXPECT_NE(refusal([&] { bundle_bytes(s.folder / "link.bundle"); }), "(accepted)");
  ASSERT_EQ(::mkfifo((s.folder / "pipe.bundle").c_str(), 0600), 0);
  EXPECT_NE(refusal([&] { bundle_bytes(s.folder / "pipe.bundle"); }), "(accepted)");
  EXPECT_NE(refusal([&] { bundle_bytes(s.folder / "none.bundle"); }), "(accepted)");
  fs::resize_file(file, most_bundle_bytes + 1);
  EXPECT_NE(refusal([&] { bundle_bytes(file); }), "(accepted)");
}

TEST(TrustedKeys, OneThatIsNoneRefusesAll) {
  const Signed s;
  const auto folder = s.folder / "keys";
  EXPECT_THAT(refusal([&] { trusted_keys(folder); }), HasSubstr("can't be looked at"));
  fs::create_directory(folder);
  fs::permissions(folder, fs::perms(0755));
  EXPECT_THAT(refusal([&] { trusted_keys(folder); }), HasSubstr("holds no trusted key"));
  const fs::path pub = s.folder.write("keys/a.pub", pem_of(s.key.public_key()));
  fs::permissions(pub, fs::perms(0644));
  s.folder.write("keys/README", "no key");
  EXPECT_THAT(trusted_keys(folder), ElementsAre(s.key.public_key()));
  const std::string make = "openssl genpkey -algorithm x25519 2>/dev/null | openssl pkey -pubout -out '" +
                           (folder / "b.pub").string() + "'";
  ASSERT_EQ(std::system(make.c_str()), 0);
  fs::permissions(folder / "b.pub", fs::perms(0644));
  EXPECT_THAT(refusal([&] { trusted_keys(folder); }), HasSubstr("holds no Ed25519 public key"));
  fs::remove(folder / "b.pub");
  for (const auto& path : {pub, fs::path(folder)}) {
    const auto before = fs::status(path).permissions();
    fs::permissions(path, fs::perms::group_write, fs::perm_options::add);
    EXPECT_THAT(refusal([&] { trusted_keys(folder); }), HasSubstr("other accounts may add trusted keys"))
        << path;
    fs::permissions(path, before);
  }
}

}  // namespace
}  // namespace bundle_test
}  // namespace datum
