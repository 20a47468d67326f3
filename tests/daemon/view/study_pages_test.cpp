// Pages of studies: their numbers are those of their files, results are compared with the store, and no request names a file. A page that
// loads again by itself can be held.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <pugixml.hpp>

#include "daemon/quality/study/study_file.h"
#include "daemon/view/view_pages.h"
#include "tests/daemon/view/viewed_store.h"

namespace datum {
namespace study_pages_test {
namespace {

using quality::StudyFile;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using testing::no_hurry;
using testing::ViewedStore;

constexpr auto P = Decision::pass, N = Decision::invalid;
const std::string evil = "<script>alert(1)</script>";

struct Studies : ViewedStore {
  std::string id() const { return ResultReader(store, no_hurry).store_id(); }
  StudyFile begin(const std::string& name, const std::string& at, const std::string& store_id) const {
    quality::StudyPlan plan;
    plan.id = name;
    plan.by = evil;
    plan.at = at;
    plan.recipe = "mainboard";
    plan.recipe_sha256 = std::string(64, 'a');
    plan.store_id = store_id;
    plan.parts = {"P1", evil};
    plan.operators = {"load-1", "load-2"};
    plan.trials = 2;
    plan.seed = 7;
    std::filesystem::create_directories(folder / "studies");
    return StudyFile::create(folder / "studies", plan);
  }
  void add(StudyFile& study, std::uint64_t result, const std::string& chain,
           const std::string& decision) const {
    quality::StudyRecord r;
    r.result = result;
    r.chain_sha256 = chain;
    r.decision = decision;
    r.measured_at = "2026-01-01T00:00:00Z";
    r.recipe_sha256 = study.plan().recipe_sha256;
    r.frame_sha256 = "frame " + std::to_string(result);
    study.add(r);
  }
  PageAnswer get(const std::string& path, std::map<std::string, std::string> query = {}) const {
    return ViewPages({store, "", index,
                      [] {
                        return LiveState{"not asked", {}};
                      },
                      no_hurry})
        .answer({path, std::move(query)});
  }
};

struct Document : pugi::xml_document {
  explicit Document(const PageAnswer& page) {
    const auto parsed = load_string(page.body.c_str(), pugi::parse_full);
    EXPECT_TRUE(parsed) << parsed.description();
    EXPECT_FALSE(select_node("//script"));
  }
  std::vector<std::string> all(const std::string& path) const {
    std::vector<std::string> found;
    for (const auto& node : select_nodes(path.c_str()))
      found.emplace_back(node.attribute() ? node.attribute().value() : node.node().text().get());
    return found;
  }
};

}  // namespace

TEST(StudyPages, ProgressIsThatOfTheFiles) {
  Studies s;
  s.keep({ViewedStore::one("A", P, 1160, "2026-01-01T00:00:00Z"),
          ViewedStore::one("B", N, 0, "2026-01-01T00:00:01Z")});
  EXPECT_THAT(s.get("/studies").body, HasSubstr("No study was begun"));
  StudyFile grr = s.begin("grr-1", "2026-01-02T00:00:00Z", s.id());
  s.begin("later", "2026-03-01T00:00:00Z", s.id());
  s.add(grr, 1, ResultReader(s.store, no_hurry).chain_sha256(1), "PASS");
  s.add(grr, 2, ResultReader(s.store, no_hurry).chain_sha256(2), "INVALID");
  s.folder.write("studies/broken.jsonl", "{\n");
  const Document page(s.get("/studies"));
  EXPECT_THAT(page.all("//table[@id='studies']/tbody/tr/th/a"), ElementsAre("later", "grr-1"));
  EXPECT_THAT(page.all("//table[@id='studies']/tbody/tr/th/a/@href"),
              ElementsAre("/study?id=later", "/study?id=grr-1"));
  EXPECT_THAT(page.all("//table[@id='studies']/tbody/tr[2]/td"),
              ElementsAre("crossed", "in progress", "1 of 8", "2", "1", "mainboard", "2 x 2 x 2",
                          "2026-01-02T00:00:00Z", evil));
  EXPECT_THAT(page.all("//p[@class='why']"), ElementsAre(HasSubstr("broken.jsonl")));
  EXPECT_THAT(page.all("//nav/a[@aria-current='page']"), ElementsAre("Studies"));
}

TEST(StudyPages, ALotIsWithoutTheirResults) {
  Studies s;
  s.keep({ViewedStore::one("A", P, 1160, "2026-01-01T00:00:00Z"),
          ViewedStore::one("B", N, 0, "2026-01-01T00:00:01Z")});
  s.follow();
  EXPECT_THAT(Document(s.get("/lot")).all("//p[@id='choice']"), ElementsAre("All recipes"));
  StudyFile grr = s.begin("grr-1", "2026-01-02T00:00:00Z", s.id());
  s.add(grr, 2, ResultReader(s.store, no_hurry).chain_sha256(2), "INVALID");
  const Document page(s.get("/lot"));
  EXPECT_THAT(page.all("//p[@id='choice']"), ElementsAre("All recipes; without 1 result of gauge studies"));
}

TEST(StudyPages, EachResultIsComparedWithTheChain) {
  Studies s;
  s.keep({ViewedStore::one("A", P, 1160, "2026-01-01T00:00:00Z"),
          ViewedStore::one("B", P, 1160, "2026-01-01T00:00:01Z")});
  StudyFile grr = s.begin("grr-1", "2026-01-02T00:00:00Z", s.id());
  s.add(grr, 1, ResultReader(s.store, no_hurry).chain_sha256(1), "PASS");
  s.add(grr, 2, std::string(64, '0'), "PASS");
  s.add(grr, 7, std::string(64, '0'), "PASS");
  const Document page(s.get("/study", {{"id", "grr-1"}}));
  EXPECT_THAT(page.all("//table[@id='records']/tbody/tr/th/a/@href"),
              ElementsAre("/board/1", "/board/2", "/board/7"));
  EXPECT_THAT(page.all("//table[@id='records']/tbody/tr/td[8]"),
              ElementsAre("as recorded", "another one", "no longer stored"));
  std::vector<std::string> parts;
  for (int run = 0; run < 3; ++run) parts.push_back(grr.runs()[static_cast<std::size_t>(run)].part);
  EXPECT_EQ(page.all("//table[@id='records']/tbody/tr/td[2]"), parts);
  s.begin("foreign", "2026-01-02T00:00:00Z", "feed");
  EXPECT_THAT(Document(s.get("/study", {{"id", "foreign"}})).all("//*[@id='foreign']"),
              ElementsAre(HasSubstr("store feed")));
}

TEST(StudyPages, NoRequestNamesAFile) {
  Studies s;
  s.keep({});
  s.begin("grr-1", "2026-01-02T00:00:00Z", s.id());
  s.folder.write("outside.jsonl", "{}");
  for (const std::string name : {"", "../outside", "outside", "grr-1.jsonl", "/etc/passwd", "grr-1/../grr-1"})
    EXPECT_EQ(s.get("/study", {{"id", name}}).status, 404) << name;
  EXPECT_EQ(s.get("/study").status, 404);
}

TEST(RefreshedPages, CanBeHeldAndKeepWhatWasAsked) {
  Studies s;
  s.keep({ViewedStore::one("A", P, 1160, "2026-01-01T00:00:00Z")});
  s.follow();
  for (const char* path : {"/", "/health", "/component"}) {
    const std::map<std::string, std::string> query{{"recipe", "main&board"}};
    const Document page(s.get(path, query));
    EXPECT_EQ(page.all("//meta[@http-equiv='refresh']").size(), 1u) << path;
    EXPECT_THAT(page.all("//nav/a[@id='hold']/@href"),
                ElementsAre(std::string(path) + "?recipe=main%26board&refresh=off"));
    auto held = query;
    held["refresh"] = "off";
    const Document still(s.get(path, held));
    EXPECT_THAT(still.all("//meta[@http-equiv='refresh']"), IsEmpty()) << path;
    EXPECT_THAT(still.all("//nav/a[@id='resume']/@href"),
                ElementsAre(std::string(path) + "?recipe=main%26board"));
  }
  EXPECT_THAT(Document(s.get("/lot")).all("//nav/a[@id]"), IsEmpty());
}

// A table that is wider than its page is scrolled by keyboard, too.
TEST(RefreshedPages, EachScrolledTableTakesTheKeyboard) {
  Studies s;
  s.keep({ViewedStore::one("A", P, 1160, "2026-01-01T00:00:00Z")});
  s.follow();
  for (const char* path : {"/", "/board/1", "/lot", "/calibrations"}) {
    const Document page(s.get(path));
    const auto scrolled = page.all("//div[@class='scroll']/@tabindex");
    EXPECT_EQ(scrolled, std::vector<std::string>(page.all("//div[@class='scroll']").size(), "0"));
    EXPECT_GT(scrolled.size(), 0u) << path;
    EXPECT_EQ(page.all("//a[@class='skip']/@href"), page.all("//body/a[1]/@href")) << path;
  }
}

}  // namespace study_pages_test
}  // namespace datum
