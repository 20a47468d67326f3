// Reports at the end of lots: which results make a lot, the same bytes as the command's, and that nothing that goes wrong loses one.
#include "daemon/view/lot_reporter.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <fstream>
#include <iterator>
#include <memory>

#include "config/utc_time.h"
#include "daemon/report/lot_page.h"
#include "tests/daemon/view/viewed_store.h"

namespace datum {
namespace lot_reporter_test {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using testing::ViewedStore;

constexpr auto P = Decision::pass, F = Decision::fail;
const std::int64_t begin_utc_s = *utc_from_iso8601("2026-01-01T00:00:00Z");
constexpr std::int64_t minute_s = 60;

struct Reports : ViewedStore {
  std::filesystem::path lots = folder / "lots";
  int most_boards = 3;
  std::uint64_t free_bytes = 0;
  std::vector<std::string> log;
  LotReporter::Time now{};

  Reports() { keep({}); }

  LotReporter reporter() {
    return LotReporter(
        {{lots, most_boards, 60}, store, index, free_bytes, [this](int priority, const std::string& text) {
           log.push_back(std::to_string(priority) + " " + text);
         }});
  }
  /// A board at this minute, indexed.
  void put(std::int64_t minute, const std::string& recipe = "psu", const std::string& artefact = "",
           Decision decision = P) {
    BoardVerdict v = one("", decision, 1160, at(minute), recipe);
    if (!artefact.empty()) v.reference = ReferenceEvidence{artefact, {}};
    keep({v});
    follow();
  }
  static std::string at(std::int64_t minute) {
    std::string utc = iso8601_from_utc(begin_utc_s + minute * minute_s);
    return utc.substr(0, 19) + ".123456Z";
  }
  /// Works as long as there is something to do.
  void run(LotReporter& reporter, std::int64_t minute) {
    while (reporter.work(begin_utc_s + minute * minute_s, now)) {
    }
  }
  /// Numbers of first and last results of the reports.
  std::vector<std::string> names() const {
    std::vector<std::string> found;
    std::error_code none;
    for (const auto& file : std::filesystem::directory_iterator(lots, none))
      if (file.path().extension() == ".html") found.push_back(file.path().filename().string().substr(4, 17));
    std::sort(found.begin(), found.end());
    return found;
  }
  std::string page(const std::string& name) const {
    for (const auto& file : std::filesystem::directory_iterator(lots))
      if (file.path().filename().string().substr(4, 17) == name) {
        std::ifstream in(file.path(), std::ios::binary);
        return {std::istreambuf_iterator<char>(in), {}};
      }
    return "";
  }
};

}  // namespace

TEST(LotReporter, ALotEndsByItsNumberByAnotherRecipeAndByTime) {
  Reports r;
  LotReporter reporter = r.reporter();
  r.follow();
  r.run(reporter, 0);
  for (const int minute : {1, 2, 3}) r.put(minute);  // three of three
  r.run(reporter, 3);
  EXPECT_THAT(r.names(), ElementsAre("00000001-00000003"));
  r.put(4);
  r.put(5, "other");  // ends one of a single board
  r.run(reporter, 5);
  EXPECT_THAT(r.names(), ElementsAre("00000001-00000003", "00000004-00000004"));
  r.put(64, "other");
  r.put(124, "other");  // an hour later: another lot
  r.run(reporter, 124);
  EXPECT_EQ(r.names().back(), "00000005-00000006");
  r.run(reporter, 183);  // its last minute
  EXPECT_EQ(r.names().size(), 3u);
  r.run(reporter, 184);
  EXPECT_EQ(r.names().back(), "00000007-00000007");
  r.run(reporter, 1000);
  EXPECT_EQ(r.names().size(), 4u);
}

TEST(LotReporter, AResultThatTheIndexDoesNotHaveYetIsWaitedFor) {
  Reports r;
  LotReporter reporter = r.reporter();
  r.follow();
  r.run(reporter, 0);
  r.put(1);
  r.keep({ViewedStore::one("", P, 1160, Reports::at(2), "psu")});
  r.run(reporter, 500);
  EXPECT_THAT(r.names(), IsEmpty());
  r.follow();
  r.run(reporter, 500);
  EXPECT_THAT(r.names(), ElementsAre("00000001-00000002"));
}

TEST(LotReporter, TheReportIsThatOfTheSameResultsOfTheStore) {
  Reports r;
  LotReporter reporter = r.reporter();
  r.follow();
  r.run(reporter, 0);
  r.put(1, "<i>psu</i>", "", F);
  r.put(2, "golden", "G-1");
  r.put(3, "<i>psu</i>");
  r.put(4, "<i>psu</i>");
  r.run(reporter, 4);
  ASSERT_THAT(r.names(), ElementsAre("00000001-00000004"));
  // As datumctl reads them: from the verdicts, not from the index.
  auto store = ResultStore::read_only(r.store);
  Lot lot;
  ResultFilter filter;
  filter.recipe = "<i>psu</i>";
  for (const StoredResult& s : store.list(filter, 100, ResultOrder::oldest_first)) lot.add(s);
  EXPECT_EQ(lot.boards().size(), 3u);
  const LotPage page{lot, lot_choice("<i>psu</i>", "", "", 1, 4), "", false,
                     [&](const std::string& sha256) { return store.recipe_text(sha256); }};
  EXPECT_EQ(r.page("00000001-00000004"), lot_document(page, store.id()));
  EXPECT_THAT(r.page("00000001-00000004"),
              HasSubstr("Recipe &lt;i&gt;psu&lt;/i&gt;, from result 1, to result 4"));
}

TEST(LotReporter, WhereverItIsKilledTheReportsAreTheSame) {
  const auto put_all = [](Reports& r, std::size_t i) {
    constexpr std::int64_t minutes[] = {1, 2, 3, 4, 5, 100, 101, 102, 103, 300};
    r.put(minutes[i], i == 4 ? "other" : "psu", i == 7 ? "G-1" : "");
  };
  for (std::size_t killed = 0; killed <= 10; ++killed) {  // 10: never
    Reports r;
    auto reporter = std::make_unique<LotReporter>(r.reporter());
    r.follow();
    r.run(*reporter, 0);
    for (std::size_t i = 0; i < 10; ++i) {
      put_all(r, i);
      if (i >= killed && i < killed + 2) {  // down for two boards
        reporter = std::make_unique<LotReporter>(r.reporter());
        continue;
      }
      r.run(*reporter, 0);
    }
    r.run(*reporter, 1000);
    EXPECT_THAT(r.names(), ElementsAre("00000001-00000003", "00000004-00000004", "00000005-00000005",
                                       "00000006-00000009", "00000010-00000010"))
        << killed;
  }
}

TEST(LotReporter, AReportWhoseEntryWasNotWrittenIsWrittenAgain) {
  Reports r;
  LotReporter first = r.reporter();
  r.follow();
  r.run(first, 0);
  const auto lots_json = [&] {
    std::ifstream in(r.lots / "lots.json");
    return std::string{std::istreambuf_iterator<char>(in), {}};
  };
  const std::string before = lots_json();
  for (const int minute : {1, 2, 3}) r.put(minute);
  r.run(first, 3);
  const std::string page = r.page("00000001-00000003");
  EXPECT_NE(lots_json(), before);
  r.folder.write("lots/lots.json", before);  // power failed between the two
  LotReporter again = r.reporter();
  r.run(again, 3);
  EXPECT_THAT(r.names(), ElementsAre("00000001-00000003"));
  EXPECT_EQ(r.page("00000001-00000003"), page);
  EXPECT_NE(lots_json(), before);
}

TEST(LotReporter, WithoutAFolderOrRoomTheJournalSaysSoAndNothingIsLost) {
  Reports r;
  LotReporter reporter = r.reporter();
  r.follow();
  r.run(reporter, 0);
  std::filesystem::rename(r.lots, r.folder / "away");
  for (const int minute : {1, 2, 3}) r.put(minute);
  r.log.clear();
  for (int i = 0; i < 3; ++i) {
    if (i > 0) r.now += LotReporter::pause;
    r.run(reporter, 3);
  }
  ASSERT_EQ(r.log.size(), 1u);
  EXPECT_THAT(r.log[0], HasSubstr("4 no report of a lot is written: "));
  EXPECT_THAT(r.log[0], HasSubstr(r.lots.string()));
  for (const int minute : {4, 5, 6}) r.put(minute);
  std::filesystem::rename(r.folder / "away", r.lots);
  r.run(reporter, 6);  // in the pause
  EXPECT_THAT(r.names(), IsEmpty());
  r.now += LotReporter::pause;
  r.run(reporter, 6);
  EXPECT_THAT(r.names(), ElementsAre("00000001-00000003", "00000004-00000006"));

  r.free_bytes = UINT64_MAX;
  LotReporter full = r.reporter();
  for (const int minute : {7, 8, 9}) r.put(minute);
  r.run(full, 9);
  EXPECT_THAT(r.log.back(), HasSubstr("MiB are free on its file system, less than"));
  EXPECT_EQ(r.names().size(), 2u);
  r.free_bytes = 0;
  LotReporter roomy = r.reporter();
  r.run(roomy, 9);
  EXPECT_EQ(r.names().back(), "00000007-00000009");
}

TEST(LotReporter, BeginsWithTheNextResultAndSaysWhereItsListIsDamaged) {
  Reports r;
  for (const int minute : {1, 2, 3}) r.put(minute);
  LotReporter reporter = r.reporter();
  r.run(reporter, 3);
  EXPECT_THAT(r.names(), IsEmpty());
  EXPECT_THAT(r.log, ElementsAre(HasSubstr("lots are reported from result 4 of store ")));
  for (const int minute : {4, 5, 6}) r.put(minute);
  r.run(reporter, 6);
  EXPECT_THAT(r.names(), ElementsAre("00000004-00000006"));
  r.folder.write("lots/lots.json", "{");
  for (const int minute : {7, 8, 9}) r.put(minute);
  LotReporter next = r.reporter();
  r.run(next, 9);
  EXPECT_THAT(r.log.back(), HasSubstr("lots.json: is damaged; remove it"));
  EXPECT_EQ(r.names().size(), 1u);
}

TEST(LotReporter, AnIndexMadeAnewIsWaitedFor) {
  for (const bool has_ended : {false, true}) {
    Reports r;
    r.most_boards = has_ended ? 4 : 5;
    LotReporter reporter = r.reporter();
    r.follow();
    r.run(reporter, 0);
    for (const int minute : {1, 2, 3}) r.put(minute);
    r.run(reporter, 3);
    if (has_ended) {  // and can't be written yet
      std::filesystem::rename(r.lots, r.folder / "away");
      r.put(4);
      r.run(reporter, 4);
      std::filesystem::rename(r.folder / "away", r.lots);
    }
    for (const char* ending : {"", "-wal", "-shm"}) std::filesystem::remove(r.index.string() + ending);
    {
      ResultIndex anew(r.index, ResultIndex::Access::writing);
      ResultReader some(r.store, testing::no_hurry);
      anew.take(some, 1);
    }
    r.now += LotReporter::pause;
    EXPECT_FALSE(reporter.work(begin_utc_s + 500 * minute_s, r.now));  // no loop without a pause
    EXPECT_THAT(r.names(), IsEmpty());
    if (!has_ended) r.put(4);
    r.follow();
    r.run(reporter, 500);
    ASSERT_THAT(r.names(), ElementsAre("00000001-00000004")) << has_ended;
    EXPECT_THAT(r.page("00000001-00000004"), HasSubstr("Lot of 4 boards"));
  }
}

}  // namespace lot_reporter_test
}  // namespace datum
