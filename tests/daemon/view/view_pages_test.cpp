// The pages as a browser gets them: numbers of the store, strangers' texts, requests of all kinds.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>
#include <pugixml.hpp>

#include "config/toml_reader.h"
#include "daemon/report/lot_page.h"
#include "daemon/view/view_pages.h"
#include "tests/daemon/view/viewed_store.h"

namespace datum {
namespace view_pages_test {
namespace {

using ::testing::HasSubstr;
using testing::no_hurry;
using testing::ViewedStore;

constexpr auto P = Decision::pass, F = Decision::fail, N = Decision::invalid;
const std::string evil = "\"'><script>alert(1)</script><img src=x onerror=alert(2)>";

struct Pages : ViewedStore {
  LiveState live{"no daemon is asked here", {}};
  std::chrono::milliseconds limit = no_hurry;

  PageAnswer get(const std::string& path, std::map<std::string, std::string> query = {}) const {
    folder.write("pictures/00000002_FAIL.png", "\x89PNG picture");
    return ViewPages({store, folder / "pictures", index, [this] { return live; }, limit})
        .answer({path, std::move(query)});
  }
};

/// A whole page is well-formed XML too.
struct Document : pugi::xml_document {
  explicit Document(const PageAnswer& page) {
    const auto parsed = load_string(page.body.c_str(), pugi::parse_full);
    EXPECT_TRUE(parsed) << parsed.description() << " at "
                        << page.body.substr(static_cast<std::size_t>(parsed.offset), 90);
    EXPECT_FALSE(select_node("//script"));
    EXPECT_FALSE(select_node("//*[@onerror or @onload or @style]"));
  }
  std::string at(const std::string& id) const {
    return select_node(("//*[@id='" + id + "']").c_str()).node().text().get();
  }
  std::vector<std::string> all(const char* path) const {
    std::vector<std::string> texts;
    for (const auto& found : select_nodes(path))
      texts.emplace_back(found.attribute() ? found.attribute().value() : found.node().text().get());
    return texts;
  }
};

}  // namespace

TEST(ViewPages, TheNewestStandsFirstWithItsPictureAndItsReason) {
  Pages p;
  p.keep({ViewedStore::one("A", P, 1160, "2026-01-01T00:00:00Z"),
          ViewedStore::one("B", F, 1190, "2026-01-01T00:00:01Z")});
  const Document page(p.get("/"));
  EXPECT_THAT(page.all("//table[@id='boards']//tr/th/a"), ::testing::ElementsAre("2", "1"));
  EXPECT_THAT(page.all("//article//img/@src"), ::testing::ElementsAre("/picture/2"));
  EXPECT_THAT(page.all("//article/p"), ::testing::Contains(HasSubstr("U1 ")));
  EXPECT_EQ(page.all("//meta[@http-equiv='refresh']/@content").size(), 1u);
  const PageAnswer picture = p.get("/picture/2");
  EXPECT_EQ(picture.type, "image/png");
  EXPECT_EQ(picture.body, "\x89PNG picture");
  EXPECT_EQ(p.get("/picture/1").status, 404);
}

TEST(ViewPages, AReadingOfAReferenceCheckIsNoPlainPass) {
  Pages p;
  BoardVerdict golden = ViewedStore::one("GB-7", P, 1160, "2026-01-01T00:00:00Z");
  golden.reference = ReferenceEvidence{"shift", {}};
  p.keep({golden, ViewedStore::one("SN", P, 1160, "2026-01-01T00:00:01Z")});
  const std::vector<std::string> once{"reading of a reference check, no product"};
  for (const bool indexed : {false, true}) {
    if (indexed) p.follow();
    const Document page(p.get("/"));
    EXPECT_EQ(page.all("//table[@id='boards']//tr[th/a='1']//*[@class='kind']"), once) << indexed;
    EXPECT_EQ(page.all("//article[h2/a='Board 1']//*[@class='kind']"), once) << indexed;
    EXPECT_EQ(page.all("//*[@class='kind']").size(), 2u) << indexed;
  }
  EXPECT_EQ(Document(p.get("/search", {{"unit", "GB-7"}})).all("//*[@class='kind']"), once);
  EXPECT_THAT(p.get("/board/1").body,
              HasSubstr("Reading of the reference check <span class=\"hash\">shift</span>"));
  EXPECT_EQ(Document(p.get("/board/2")).all("//*[@class='kind']").size(), 0u);
}

TEST(ViewPages, LiveStateIsTheDaemonsOrNotKnown) {
  Pages p;
  p.keep({ViewedStore::one("A", P, 1160, "2026-01-01T00:00:00Z")});
  EXPECT_THAT(p.get("/").body, HasSubstr("no daemon is asked here"));
  p.live = {"",
            read_metrics_text("# HELP x y\ndatumd_state{state=\"IDLE\"} 0\ndatumd_state{state=\"WAIT<\\\"\"} "
                              "1\ndatumd_armed 1\nbroken{a=\"\nnone\n")};
  const Document page(p.get("/"));
  EXPECT_EQ(page.at("state"), "WAIT<\"");
  EXPECT_EQ(p.live.metrics.size(), 3u);
  EXPECT_THAT(p.get("/health").body, HasSubstr("datumd_armed"));
}

TEST(ViewPages, AStrangersTextsStayTextOnEveryPage) {
  Pages p;
  BoardVerdict v = ViewedStore::one(evil, F, 1190, "2026-01-01T00:00:00Z", evil);
  v.calibration = v.frame_id = v.components[0].reference = v.components[0].package = evil;
  p.keep({v});
  p.follow();
  for (const PageAnswer& page :
       {p.get("/"), p.get("/board/1"), p.get("/lot"), p.get("/lot", {{"recipe", evil}}),
        p.get("/component", {{"recipe", evil}}),
        p.get("/component", {{"recipe", evil}, {"reference", evil}, {"what", "median"}}),
        p.get("/search", {{"unit", evil}}), p.get("/calibrations"), p.get("/health"), p.get("/board/" + evil),
        p.get("/" + evil), p.get("/lot", {{"from", evil}})}) {
    const Document document(page);
    EXPECT_TRUE(document.child("html"));
    EXPECT_TRUE(document.select_nodes("//img").empty());
    EXPECT_LE(page.status, 404);
  }
  EXPECT_EQ(Document(p.get("/search", {{"unit", evil}})).all("//table[@id='boards']//td[1]").at(0), evil);
  EXPECT_EQ(Document(p.get("/component", {{"recipe", evil}, {"reference", evil}, {"what", "median"}}))
                .all("//table[@id='newest']//tbody/tr")
                .size(),
            1u);
}

TEST(ViewPages, AComponentsNumbersAreTheStores) {
  Pages p;
  p.keep({ViewedStore::one("A", P, 1160.1000000000001, "2026-01-01T00:00:00Z"),
          ViewedStore::one("B", N, 0, "2026-01-02T00:00:00Z"),
          ViewedStore::one("C", F, 1190.7, "2026-01-05T00:00:00Z")});
  p.follow();
  const Document page(
      p.get("/component", {{"recipe", "mainboard"}, {"reference", "U1"}, {"what", "median"}}));
  EXPECT_THAT(page.all("//table[@id='newest']/tbody/tr/th/a"), ::testing::ElementsAre("3", "2", "1"));
  EXPECT_THAT(page.all("//table[@id='newest']/tbody/tr/td[4]/data/@value"),
              ::testing::ElementsAre("1190.7", "-", "1160.1000000000001"));
  EXPECT_THAT(page.all("//table[@id='days']/tbody/tr/th"),
              ::testing::ElementsAre("2026-01-05", "2026-01-02", "2026-01-01"));
  EXPECT_THAT(page.all("//table[@id='days']/tbody/tr/td[2]/data/@value"),
              ::testing::ElementsAre("1190.7", "-", "1160.1000000000001"));
  // Day 1 and day 5 have a mark each, at the ends of the time axis; the day of the INVALID is a gap of the line.
  EXPECT_THAT(page.all("//svg/circle/@cx"), ::testing::ElementsAre("110.0", "850.0"));
  EXPECT_THAT(page.all("//svg/path[@class='line']/@d").at(0),
              ::testing::MatchesRegex("M110.0 [0-9.]+M850.0 [0-9.]+"));
}

TEST(ViewPages, ALotIsTheChoiceOfItsForm) {
  Pages p;
  p.keep({ViewedStore::one("A", P, 1160, "2026-01-01T00:00:00.5Z"),
          ViewedStore::one("B", F, 1190, "2026-01-02T00:00:00.5Z"),
          ViewedStore::one("C", P, 1160, "2026-01-03T00:00:00.5Z"),
          ViewedStore::one("D", P, 1160, "2026-01-03T00:00:00.5Z", "other")});
  p.follow();
  EXPECT_EQ(Document(p.get("/lot")).at("number"), "4");
  EXPECT_EQ(Document(p.get("/lot", {{"recipe", "mainboard"}})).at("first_pass"), "66.7 %");
  EXPECT_EQ(Document(p.get("/lot", {{"from", "2026-01-02"}, {"to", "2026-01-02"}})).at("number"), "1");
  const Document newest(p.get("/lot", {{"most", "2"}}));
  EXPECT_EQ(newest.at("number"), "2");
  EXPECT_THAT(newest.at("limited"), HasSubstr("Only the newest 2"));
  for (const char* wrong : {"0", "2001", "-1", "x", "99999999999999999999"})
    EXPECT_EQ(p.get("/lot", {{"most", wrong}}).status, 400) << wrong;
  EXPECT_EQ(p.get("/lot", {{"from", "yesterday"}}).status, 400);
}

// The page reads the index's summaries, the report every verdict: byte for byte the same.
TEST(ViewPages, ALotOfTheIndexIsThatOfTheVerdicts) {
  Pages p;
  BoardVerdict whole = testing::board(1), skipped = testing::board(2), empty = testing::board(3);
  whole.components[0].checks.push_back(whole.components[1].checks[0]);
  whole.components[0].checks[1].value = 1160.1000000000001;
  whole.components[1].package = "";
  skipped.components[1].checks[0].reason = skipped.components[2].checks[0].reason = Reason::skipped;
  skipped.components[1].decision = skipped.components[1].checks[0].decision = Decision::invalid;
  empty.components.clear();
  empty.reason = Reason::frame_stale;
  p.keep({whole, skipped, empty, ViewedStore::one("A", P, 1151.3, "2026-01-01T00:00:00.5Z"),
          ViewedStore::one(evil, F, 1190.7, "2026-01-02T00:00:00.5Z")});
  sqlite::execute(sqlite::open(p.store, SQLITE_OPEN_READWRITE).get(), p.store,
                  "UPDATE result SET json = '{' WHERE sequence = 4");
  p.follow();
  Lot lot;
  auto store = ResultStore::read_only(p.store);
  for (std::uint64_t n = 1; n <= 5; ++n) lot.add(*store.get(n));
  const std::string body = lot_page({lot, "All recipes", "", true});
  EXPECT_THAT(p.get("/lot").body, HasSubstr(body));
  EXPECT_EQ(lot.unreadable(), 1u);
  EXPECT_EQ(total(lot.components()),
            3u + 1 + 1);  // without those of the skipped board, and of the damaged one
}

// By the text that the store keeps with the result; the index knows its hash.
TEST(ViewPages, ALotHasItsMapByPlace) {
  Pages p;
  const std::string text =
      "schema = 1\nname = \"mainboard\"\nsensor_serial = \"S1\"\n"
      "board = { size_mm = [40, 20], coordinates = \"sensor\", origin_mm = [0, 0, 0] }\n"
      "package.A = { body_mm = [1, 0.5], nominal_um = 800, characteristic = \"median\", tolerance_um = 80 }\n"
      "floor = { inner_margin_mm = 0.1, outer_margin_mm = 0.3 }\ndecision = { rule = \"14253\" }\n"
      "component = [ { reference = \"U1\", package = \"A\", centre_mm = [5, 5] } ]\n";
  BoardVerdict v = ViewedStore::one("A", F, 1190, "2026-01-01T00:00:00Z");
  v.recipe_sha256 = config::sha256_hex(text);
  ResultStore(p.store).store({&v}, {{v.recipe_sha256, v.recipe, std::make_shared<std::string>(text)}});
  p.follow();
  const Document page(p.get("/lot"));
  EXPECT_EQ(page.at("heat_1_without"), "");
  EXPECT_THAT(page.all("//figure[@class='heat FAIL']//path/title"),
              ::testing::ElementsAre("U1: 1 of 1 FAIL"));
  EXPECT_THAT(page.all("//figure[@class='heat INVALID']//path/title"),
              ::testing::ElementsAre("U1: 0 of 1 INVALID"));
}

TEST(ViewPages, AResultOfANewerDatumdIsShownAsFarAsItIsKnown) {
  Pages p;
  p.keep({ViewedStore::one("A", F, 1190.5, "2026-01-01T00:00:00Z")});
  sqlite::execute(sqlite::open(p.store, SQLITE_OPEN_READWRITE).get(), p.store,
                  "UPDATE result SET json = replace(json, '\"rms_um\"', '\"<b>new\":1,\"rms_um\"')");
  const Document page(p.get("/board/1"));
  EXPECT_THAT(page.at("partial"), HasSubstr("Not all of this result is shown"));
  EXPECT_THAT(page.all("//p[@id='partial']/span"), ::testing::ElementsAre("components[].floor.<b>new"));
  EXPECT_THAT(page.all("//table[@id='checks']//td[@class='n'][1]/data/@value"),
              ::testing::Contains("1190.5"));
  EXPECT_EQ(page.at("decision"), "FAIL");
  EXPECT_FALSE(Document(p.get("/")).all("//table[@id='boards']//td").empty());
  p.follow();
  EXPECT_EQ(Document(p.get("/component", {{"recipe", "mainboard"}, {"reference", "U1"}, {"what", "median"}}))
                .all("//table[@id='newest']//td[@class='n']/data/@value")
                .at(0),
            "1190.5");
}

TEST(ViewPages, WithoutStoreOrIndexThePageSaysSo) {
  const Pages p;
  EXPECT_EQ(p.get("/").status, 503);
  EXPECT_THAT(p.get("/").body, HasSubstr("no result store there"));
  EXPECT_EQ(p.get("/health").status, 200);
  p.keep({ViewedStore::one("A", P, 1160, "2026-01-01T00:00:00Z")});
  EXPECT_EQ(p.get("/board/1").status, 200);
  EXPECT_EQ(p.get("/search", {{"unit", "A"}}).status, 503);
  EXPECT_THAT(p.get("/search", {{"unit", "A"}}).body, HasSubstr("is not made yet"));
  p.follow();
  p.keep({ViewedStore::one("B", P, 1160, "2026-01-01T00:00:00Z")});
  EXPECT_THAT(Document(p.get("/search", {{"unit", "A"}})).at("limited"), HasSubstr("result 1 of 2"));
}

TEST(ViewPages, APageThatTakesTooLongEnds) {
  Pages p;
  p.keep({ViewedStore::one("A", P, 1160, "2026-01-01T00:00:00Z")});
  p.limit = std::chrono::milliseconds(-1);
  EXPECT_EQ(p.get("/board/1").status, 503);
}

TEST(ViewPages, NoPathIsAFile) {
  Pages p;
  p.keep({ViewedStore::one("A", P, 1160, "2026-01-01T00:00:00Z")});
  for (const char* path :
       {"", "//", "/../results.db", "/board/../1", "/board/1/", "/picture/../results.db", "/picture/1%00",
        "/board/", "/board/18446744073709551616", "/board/-1", "/board/ 1", "/style.css/", "/STYLE.CSS"})
    EXPECT_EQ(p.get(path).status, 404) << path;
}

}  // namespace view_pages_test
}  // namespace datum
