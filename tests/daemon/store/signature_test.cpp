// Signed heads with a real store and a real signer: manipulations by an attacker with the store or datumd's account are
// detected.
#include "daemon/store/signature_check.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdio>

#include "daemon/store/chain_reader.h"
#include "daemon/store/signing_client.h"
#include "daemon/store/sqlite.h"
#include "daemon/store/store_backup.h"
#include "tests/daemon/scpi/fixture.h"
#include "tests/daemon/sign/test_signer.h"

namespace datum {
namespace signature_test {
namespace {

namespace fs = std::filesystem;
using testing::FreshFolder;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Not;

/// The findings, one line each; empty: none.
std::string faults_of(const fs::path& store, const KnownSignatures& known = {}) {
  const SignatureReport signatures = check_signatures(store, known);
  const ChainReport chain = check_chain(store, signatures.held);
  std::string text;
  for (const std::string& what : signatures.faults) text += what + '\n';
  for (const ChainFault& fault : chain.first_faults)
    text += fmt::format("{} {}\n", fault.sequence, fault.what);
  return text;
}
std::string words_about(const fs::path& store, const KnownSignatures& known = {}) {
  const SignatureReport signatures = check_signatures(store, known);
  return words_of(signatures, check_chain(store, signatures.held));
}

struct SignedStore : ::testing::Test {
  SignedStore() { open(); }
  void open() { store = std::make_unique<ResultStore>(file, StoreOpening{"2026-01-01T00:00:00Z", {}, {}}); }
  void add(int n) {
    for (int k = 0; k < n; ++k) {
      BoardVerdict v = testing::board(++boards);
      store->store(v);
    }
  }
  Signatures ask(const fs::path& of) const { return ask_for_signature({signer.socket(), of}); }
  /// The newest signed head.
  SignedHead signed_now() {
    const Signatures got = ask(file);
    store->keep_signed(got.heads);
    return got.heads.back();
  }
  std::string refusal() const {
    try {
      ask(file);
    } catch (const SigningError& error) {
      return error.what();
    }
    return "";
  }
  void sql(const std::string& text) const {
    sqlite::execute(sqlite::open(file, SQLITE_OPEN_READWRITE).get(), file, text.c_str());
  }
  /// Changes a result and all later hashes, as an attacker who knows the chain.
  void rewrite(std::uint64_t sequence) const {
    sql(fmt::format("UPDATE result SET json = replace(json, '1190', '1160') WHERE sequence = {}", sequence));
    std::vector<ChainPlace> places;
    {
      const ChainReader reader(file);
      ChainPlace before{0, std::string(chain_begin)};
      reader.bodies_after(0, [&](const ChainPlace& place, const std::string& body) {
        before = {place.link, EntryHash(before.sha256).add(body).hex()};
        places.push_back(before);
        return true;
      });
    }
    for (const ChainPlace& place : places)
      sql(fmt::format("UPDATE chain SET sha256 = '{}' WHERE link = {}", place.sha256, place.link));
    EXPECT_EQ(check_chain(file).faults, 0u) << "the chain alone knows nothing";
  }
  /// Removes the newest results, as an attacker who knows the store.
  void cut(std::uint64_t to) const {
    sql(fmt::format(
        "DELETE FROM result WHERE sequence > {0}; DELETE FROM chain WHERE link > {1}; UPDATE store SET "
        "last_sequence = {0}",
        to, to + 1));
    EXPECT_EQ(check_chain(file).faults, 0u) << "the chain alone knows nothing";
  }
  KnownSignatures by_key() const { return {{signer.public_key()}, {}}; }

  testing::TestSigner signer;
  FreshFolder folder;
  fs::path file = folder / "results.db";
  std::unique_ptr<ResultStore> store;
  int boards = 0;
};

TEST_F(SignedStore, EachSignatureCoversAllBeforeIt) {
  add(3);
  EXPECT_FALSE(store->signed_head());
  const SignedHead one = signed_now();
  EXPECT_EQ(one.head, (ChainPlace{4, store->chain_sha256(3)}));
  EXPECT_EQ(one.number, 1u);
  EXPECT_EQ(one.store, store->id());
  add(2);
  const SignedHead two = signed_now();
  EXPECT_EQ(two.head, (ChainPlace{6, store->chain_sha256(5)}));
  EXPECT_EQ(two.after, one.head);
  EXPECT_EQ(*store->signed_head(), text_of(two));
  EXPECT_EQ(text_of(signed_now()), text_of(two)) << "nothing new, nothing signed";
  add(1);
  EXPECT_EQ(faults_of(file, by_key()), "");
  const std::string words = words_about(file, by_key());
  EXPECT_THAT(words,
              HasSubstr("signed: 2 signatures, signature 1 of 2026-11-23T02:13:20Z to signature 2 of"));
  EXPECT_THAT(words, HasSubstr("up to link 6, results up to 5; not yet signed: results 6 to 6"));
  EXPECT_THAT(words, Not(HasSubstr("CAN'T BE TOLD")));
  EXPECT_THAT(words_about(file), HasSubstr("CAN'T BE TOLD: whether " + signer.public_key()));
}

TEST_F(SignedStore, ALongAbsenceIsSignedInParts) {
  signed_now();
  add(9);
  const SigningRequest few{signer.socket(), file, std::chrono::seconds(10), 4};
  const Signatures first = ask_for_signature(few), second = ask_for_signature(few),
                   third = ask_for_signature(few);
  EXPECT_TRUE(first.more && second.more);
  EXPECT_FALSE(third.more);
  EXPECT_EQ(third.heads.back().head.sha256, store->chain_sha256(9));
  store->keep_signed(first.heads);
  store->keep_signed(second.heads);
  store->keep_signed(third.heads);
  EXPECT_EQ(faults_of(file, by_key()), "");
}

TEST_F(SignedStore, AnOlderStoreIsReadAsBefore) {
  add(2);
  EXPECT_EQ(faults_of(file), "");
  EXPECT_EQ(words_about(file), "");
  EXPECT_THAT(words_about(file, by_key()),
              HasSubstr("CAN'T BE TOLD: the store keeps no signature of such a key"));
}

// A middle entry and all later hashes are rewritten. The store's own signatures reveal it; without them, a host's copy
// does; and it is never signed again.
TEST_F(SignedStore, ShowsAChainThatWasWrittenAnew) {
  add(4);
  const SignedHead one = signed_now();
  add(2);
  signed_now();
  rewrite(2);
  EXPECT_THAT(
      faults_of(file, by_key()),
      HasSubstr("link 5 is not what signature 1 of 2026-11-23T02:13:20Z says: the store was rewritten"));
  EXPECT_THAT(refusal(), HasSubstr("the store was rewritten"));
  sql("DELETE FROM signed_head");
  EXPECT_EQ(faults_of(file), "") << "nobody vouches for anything";
  EXPECT_THAT(faults_of(file, {{signer.public_key()}, {one}}),
              HasSubstr("link 5 is not what the kept signature 1"));
}

TEST_F(SignedStore, SignsNoRewrittenHistoryFromBehindTheLastSignature) {
  add(2);
  signed_now();
  add(3);
  sql("UPDATE result SET json = replace(json, '1190', '1160') WHERE sequence = 4");  // its hash stays
  EXPECT_THAT(refusal(), HasSubstr("is not the store's: what was stored since link 3 was altered"));
}

TEST_F(SignedStore, ShowsAChainThatWasCut) {
  add(4);
  const SignedHead one = signed_now();
  cut(2);
  EXPECT_THAT(faults_of(file, by_key()), HasSubstr("link 5 is held elsewhere by signature 1"));
  sql("DELETE FROM signed_head");
  EXPECT_EQ(faults_of(file), "");
  EXPECT_THAT(faults_of(file, {{}, {one}}), HasSubstr("the chain ends with 3: it was cut"));
  EXPECT_THAT(refusal(), HasSubstr("the store was cut, or set back"));
}

TEST_F(SignedStore, ShowsTwoBranches) {
  add(3);
  const SignedHead one = signed_now();
  // The signer's state is removed, and it is shown another branch.
  fs::remove_all(signer.state());
  fs::create_directory(signer.state());
  const std::string before = store->chain_sha256(3);
  rewrite(3);
  const SignedHead other = ask(file).heads.back();
  EXPECT_EQ(other.head.link, one.head.link);
  store->keep_signed({one, other});
  EXPECT_THAT(faults_of(file, by_key()),
              HasSubstr("are of one link with other hashes: two branches were signed"));
}

TEST_F(SignedStore, ShowsSignaturesThatWereSwappedAlteredOrTakenOut) {
  add(2);
  SignedHead one = signed_now();
  add(2);
  SignedHead two = signed_now();
  add(2);
  const SignedHead three = signed_now();
  const auto with = [&](const std::vector<SignedHead>& heads) {
    sql("DELETE FROM signed_head");
    store->keep_signed(heads);
    return faults_of(file, by_key());
  };
  EXPECT_EQ(with({one, two, three}), "");
  EXPECT_THAT(with({one, three}), HasSubstr("signatures 2 to 2 are missing: they were taken out"));
  std::swap(one.signature, two.signature);
  EXPECT_THAT(with({one, two, three}),
              HasSubstr("signature 1 of 2026-11-23T02:13:20Z in the store is not good"));
  std::swap(one.signature, two.signature);
  two.utc = "2026-11-24T02:13:20Z";
  EXPECT_THAT(with({one, two, three}), HasSubstr("is not good: it, or what it states, was altered"));
  sql("UPDATE signed_head SET record = 'x' WHERE link = 3");
  EXPECT_THAT(faults_of(file), HasSubstr("a signature in the store was altered: line 1"));
}

TEST_F(SignedStore, ShowsAnotherStoresHeadAndAnotherKey) {
  add(2);
  const SignedHead one = signed_now();
  const fs::path file_2 = folder / "other.db";
  ResultStore other(file_2, {"2026-01-01T00:00:00Z", {}, {}});
  BoardVerdict v = testing::board(9);
  other.store(v);
  other.keep_signed(ask(file_2).heads);
  EXPECT_EQ(faults_of(file_2, by_key()), "");
  EXPECT_THAT(faults_of(file_2, {{}, {one}}), HasSubstr("it was cut, or is of another store"));
  const testing::TestSigner stranger;
  EXPECT_THAT(faults_of(file, {{stranger.public_key()}, {}}),
              HasSubstr("is by another key, " + signer.public_key()));
  // The same chain signed under another store's id.
  SignedHead lent = one;
  lent.store = other.id();
  sign(lent, SigningKey::from_file(signer.folder / "key.pem"));
  store->keep_signed({lent});
  EXPECT_THAT(faults_of(file, by_key()),
              HasSubstr("is of store " + other.id() + ", link 3 of store " + store->id()));
}

// datumd is killed after the signature and before storing it: the signer returns it again.
TEST_F(SignedStore, AKillBetweenSignatureAndStoreLeavesNoHole) {
  add(2);
  signed_now();
  add(2);
  ask(file);  // number 2, lost
  add(1);
  const Signatures got = ask(file);
  EXPECT_EQ(got.heads.front().number, 2u);
  EXPECT_EQ(got.heads.back().number, 3u);
  store->keep_signed(got.heads);
  EXPECT_EQ(faults_of(file, by_key()), "");
}

TEST_F(SignedStore, AClockThatWasSetBackIsTold) {
  add(1);
  signed_now();
  add(1);
  signer.utc_s -= 86'400;
  signed_now();
  EXPECT_EQ(faults_of(file, by_key()), "");
  EXPECT_THAT(words_about(file, by_key()), HasSubstr("CAN'T BE TOLD: at what time was signed: signature 2"));
}

TEST_F(SignedStore, ABackupKeepsItsSignaturesAndAStoreThatWasPutBackBeginsAnew) {
  add(3);
  signed_now();
  const fs::path copy = folder / "copy.db";
  back_up(file, copy, "2026-01-02T00:00:00Z");
  EXPECT_EQ(faults_of(copy, by_key()), "");
  add(2);
  const SignedHead lost = signed_now();
  store.reset();
  put_back(copy, file, "2026-01-03T00:00:00Z");
  open();
  ASSERT_TRUE(store->renewed());
  add(1);
  const SignedHead anew = signed_now();
  EXPECT_EQ(anew.number, 1u);
  EXPECT_EQ(anew.store, store->id());
  EXPECT_EQ(faults_of(file, by_key()), "") << "signatures under both ids";
  EXPECT_THAT(faults_of(file, {{}, {lost}}), HasSubstr("link 6 is not what the kept signature 2"));
}

TEST_F(SignedStore, RetentionTakesOldSignaturesAlong) {
  add(4);
  const SignedHead old = signed_now();
  add(4);
  signed_now();
  store->remove_oldest({6, "", 9, "by hand", "2026-02-01T00:00:00Z"});
  EXPECT_EQ(refusal(), "") << "a removal that a power cut may take back is not signed";
  EXPECT_EQ(ask(file).heads.back().number, 2u);
  add(1);
  signed_now();
  EXPECT_EQ(faults_of(file, by_key()), "");
  EXPECT_THAT(words_about(file, by_key()), HasSubstr("signed: 2 signatures, signature 2 of"));
  EXPECT_EQ(faults_of(file, {{}, {old}}), "");
  EXPECT_THAT(words_about(file, {{}, {old}}),
              HasSubstr("CAN'T BE TOLD: the kept signature 1 of 2026-11-23T02:13:20Z is of link 5, which "
                        "retention removed"));
}

TEST_F(SignedStore, ANewKeyIsTrustedByTheFormerOnesWord) {
  add(1);
  signed_now();
  const std::string former = signer.public_key();
  const SigningKey next = SigningKey::from_file(testing::new_key(signer.folder, "next.pem"));
  keep_handover(signer.state(), SigningKey::from_file(signer.folder / "key.pem"), next.public_key(),
                "2026-11-23T03:00:00Z");
  signer.restart("next.pem");
  add(1);
  EXPECT_EQ(signed_now().key, next.public_key());
  EXPECT_EQ(faults_of(file, {{former}, {}}), "");
  EXPECT_THAT(faults_of(file, {{next.public_key()}, {}}),
              HasSubstr("signature 1 of 2026-11-23T02:13:20Z in the store is by another key"));
  EXPECT_EQ(faults_of(file, {{former, next.public_key()}, {}}), "");
}

TEST_F(SignedStore, ASignerThatIsAwayIsSaid) {
  add(1);
  signer.end();
  EXPECT_THAT(refusal(), HasSubstr("the signer is not there"));
  signer.restart("");
  EXPECT_EQ(refusal(), "");
  EXPECT_EQ(store->list({}, 10).size(), 1u);
}

}  // namespace
}  // namespace signature_test
}  // namespace datum
