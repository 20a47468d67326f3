// The signer: it signs only descendants of its last signed head, whatever the client requests; one spelling per record.
#include "daemon/sign/head_signer.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <fstream>
#include <sstream>

#include "tests/daemon/sign/key_files.h"

namespace datum {
namespace head_signer_test {
namespace {

namespace fs = std::filesystem;
using testing::FreshFolder;
using ::testing::HasSubstr;
using testing::new_key;

const std::string store = "00000000000000aa", zeros(64, '0');

/// Hash of the entry with this body.
ChainPlace next(const ChainPlace& before, const std::string& body) {
  return {before.link + 1, EntryHash(before.sha256).add(body).hex()};
}

struct Signer : ::testing::Test {
  Signer() { fs::create_directory(folder / "state"); }
  HeadSigner signer() {
    return {SigningKey::from_file(key), folder / "state", [this] { return utc_s; }};
  }
  /// Signs the entries with these bodies after `from`.
  SignedHead signed_behind(HeadSigner& by, const ChainPlace& from, const std::vector<std::string>& bodies,
                           const std::string& of = store) {
    Descent way = by.descend(of, from);
    for (const std::string& body : bodies) {
      way.begin_link();
      for (const char c : body) way.add(std::string(1, c));  // in parts
      way.end_link();
    }
    return by.sign(way);
  }
  static std::string refusal(const std::function<void()>& act) {
    try {
      act();
    } catch (const std::runtime_error& error) {
      return error.what();
    }
    return "";
  }

  FreshFolder folder;
  fs::path key = new_key(folder);
  std::int64_t utc_s = 1'795'400'000;
};

TEST_F(Signer, SignsWhatDescendsFromTheHeadBefore) {
  HeadSigner by = signer();
  EXPECT_FALSE(by.last(store));
  const ChainPlace first{10, zeros};
  const SignedHead one = signed_behind(by, first, {});
  EXPECT_EQ(one.number, 1u);
  EXPECT_EQ(one.head, first);
  EXPECT_EQ(one.after.link, 0u);
  EXPECT_TRUE(is_good(one));
  const SignedHead two = signed_behind(by, first, {"a", "bc"});
  EXPECT_EQ(two.number, 2u);
  EXPECT_EQ(two.head, next(next(first, "a"), "bc"));
  EXPECT_EQ(two.after, first);
  EXPECT_EQ(two.utc, "2026-11-23T02:13:20Z");
  EXPECT_TRUE(is_good(two));
  EXPECT_EQ(text_of(*by.last(store)), text_of(two));
}

/// An attacker with the store and datumd's account requests another branch, a truncated chain and a rewritten one: all
/// are refused.
TEST_F(Signer, SignsNoOtherHistory) {
  HeadSigner by = signer();
  const ChainPlace first{10, zeros};
  signed_behind(by, first, {});
  const SignedHead two = signed_behind(by, first, {"a"});
  EXPECT_THAT(refusal([&] { signed_behind(by, first, {"rewritten"}); }),
              HasSubstr("only what follows it is signed"));
  EXPECT_THAT(refusal([&] {
                signed_behind(by, {5, zeros}, {});
              }),
              HasSubstr("only what follows it is signed"));
  EXPECT_THAT(refusal([&] {
                signed_behind(by, {11, std::string(64, 'f')}, {"b"});
              }),
              HasSubstr("is another"));
  EXPECT_THAT(refusal([&] { signed_behind(by, {99, zeros}, {}); }), HasSubstr("only what follows"));
  EXPECT_EQ(text_of(*by.last(store)), text_of(two));
}

TEST_F(Signer, KnowsWhatItSignedAfterARestartAndSignsTheSameAgain) {
  HeadSigner before = signer();
  const SignedHead one = signed_behind(before, {10, zeros}, {});
  HeadSigner by = signer();
  utc_s += 60;
  EXPECT_EQ(text_of(signed_behind(by, {10, zeros}, {})), text_of(one)) << "no other time, no other number";
  EXPECT_THAT(refusal([&] { signed_behind(by, {10, std::string(64, '1')}, {}); }), HasSubstr("is another"));
  EXPECT_EQ(signed_behind(by, {10, zeros}, {"x"}).number, 2u);
}

TEST_F(Signer, DoesNotBeginAnewWhereItsOwnStateIsDamaged) {
  HeadSigner by = signer();
  SignedHead one = signed_behind(by, {10, zeros}, {});
  const fs::path file = folder / "state" / (store + ".head");
  one.head.link = 3;
  for (const std::string& text : {std::string("nothing of it"), text_of(one)}) {
    std::ofstream(file, std::ios::trunc) << text;
    EXPECT_THAT(refusal([&] {
                  signed_behind(by, {10, zeros}, {});
                }),
                HasSubstr("is not known, so nothing is"))
        << text;
  }
  std::ofstream(file, std::ios::trunc) << "";
  EXPECT_THAT(refusal([&] { signed_behind(by, {10, zeros}, {}); }), HasSubstr("can't be read"));
}

TEST_F(Signer, SignsNothingThatItCanNotKeep) {
  HeadSigner by = signer();
  fs::remove_all(folder / "state");
  EXPECT_NE(refusal([&] { by.sign(by.descend(store, {10, zeros})); }), "");
}

TEST_F(Signer, KeepsStoresApartAndTakesNoPathForAnId) {
  HeadSigner by = signer();
  signed_behind(by, {10, zeros}, {});
  EXPECT_EQ(signed_behind(by, {3, zeros}, {}, "00000000000000bb").number, 1u);
  for (const char* id : {"", "../key", "00000000000000AA", "00000000000000aaa"})
    EXPECT_THAT(refusal([&] { by.last(id); }), HasSubstr("16 hex digits")) << id;
}

/// A clock that was set back is recorded unchanged: the numbers give the order.
TEST_F(Signer, TellsItsClockAsItIs) {
  HeadSigner by = signer();
  const SignedHead one = signed_behind(by, {10, zeros}, {});
  utc_s -= 86'400;
  const SignedHead two = signed_behind(by, {10, zeros}, {"a"});
  EXPECT_LT(two.utc, one.utc);
  EXPECT_GT(two.number, one.number);
}

TEST_F(Signer, ANewKeyCarriesTheFormerOnesWord) {
  HeadSigner before = signer();
  signed_behind(before, {10, zeros}, {});
  const SigningKey former = SigningKey::from_file(key);
  key = new_key(folder, "next.pem");
  const SigningKey next_key = SigningKey::from_file(key);
  EXPECT_FALSE(signed_behind(*std::make_unique<HeadSigner>(signer()), {10, zeros}, {"a"}).handed_over);
  keep_handover(folder / "state", former, next_key.public_key(), "2026-11-23T02:30:00Z");
  HeadSigner by = signer();
  const SignedHead two = signed_behind(by, next({10, zeros}, "a"), {"b"});
  EXPECT_TRUE(is_good(two));
  EXPECT_EQ(two.key, next_key.public_key());
  ASSERT_TRUE(two.handed_over);
  EXPECT_EQ(two.handed_over->former, former.public_key());
  EXPECT_TRUE(is_good(*two.handed_over, two.key));
  EXPECT_FALSE(is_good(*two.handed_over, former.public_key()));
  std::ofstream(folder / "state" / "handed_over")
      << next_key.public_key() << ' ' << former.public_key() << " 2026-11-23T02:30:01Z "
      << two.handed_over->signature << '\n';
  EXPECT_THAT(refusal([&] { signer(); }), HasSubstr("is not the former key's"));
}

TEST_F(Signer, ASignedHeadHasOneSpelling) {
  HeadSigner by = signer();
  signed_behind(by, {10, zeros}, {});
  const SignedHead two = signed_behind(by, {10, zeros}, {"a"});
  const std::string text = text_of(two);
  EXPECT_EQ(text_of(signed_head_of(text)), text);
  EXPECT_EQ(text.rfind("datumd signed head 1\n", 0), 0u);
  const auto refused = [&](const std::string& from, const std::string& to) {
    std::string other = text;
    other.replace(other.find(from), from.size(), to);
    return refusal([&] { signed_head_of(other); });
  };
  EXPECT_THAT(refused("head 1", "head 2"), HasSubstr("line 1"));
  EXPECT_THAT(refused("number 2", "number 02"), HasSubstr("nothing changed"));
  EXPECT_THAT(refused("number 2", "number -2"), HasSubstr("a whole number"));
  EXPECT_THAT(refused("link 11", "link 0"), HasSubstr("nothing changed"));
  EXPECT_THAT(refused("utc 2026-11-23T", "utc 2026-11-23 "), HasSubstr("a time such as"));
  EXPECT_THAT(refused("key ", "key A"), HasSubstr("64 hex digits"));
  EXPECT_THAT(refused("\nkey", "\nutc"), HasSubstr("'key ...'"));
  EXPECT_THAT(refusal([&] { signed_head_of(text + "more\n"); }), HasSubstr("nothing added"));
  for (std::size_t n = 0; n < text.size(); ++n)
    EXPECT_NE(refusal([&] { signed_head_of(text.substr(0, n)); }), "") << n;
  for (std::size_t n = 0; n < text.size(); ++n) {  // every changed byte is refused
    std::string other = text;
    other[n] = other[n] == '1' ? '2' : '1';
    try {
      EXPECT_FALSE(is_good(signed_head_of(other))) << n;
    } catch (const SignedHeadError&) {
    }
  }
}

}  // namespace
}  // namespace head_signer_test
}  // namespace datum
