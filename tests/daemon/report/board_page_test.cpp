// The page of a board against the stored JSON, and with texts that strangers wrote.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>
#include <pugixml.hpp>

#include "daemon/report/board_page.h"
#include "tests/daemon/scpi/fixture.h"

namespace datum {
namespace board_page_test {
namespace {

using testing::board;
using ::testing::HasSubstr;

StoredResult stored(BoardVerdict v) {
  v.sequence = 17;
  v.store_id = "0123456789abcdef";
  StoredResult r = row_of(v, to_json(v));
  return r;
}

/// A page's body is well-formed XML too.
struct Page {
  explicit Page(const BoardPage& page) : text("<body>" + board_page(page) + "</body>") {
    const auto parsed = document.load_string(text.c_str(), pugi::parse_full);
    EXPECT_TRUE(parsed) << parsed.description() << " at "
                        << text.substr(static_cast<std::size_t>(parsed.offset), 80);
  }
  std::string at(const std::string& id) const {
    return document.select_node(("//*[@id='" + id + "']").c_str()).node().text().get();
  }
  std::string text;
  pugi::xml_document document;
};

}  // namespace

TEST(BoardPage, ShowsEveryNumberOfTheStoreDigitByDigit) {
  BoardVerdict v = board();
  v.components[0].checks[0].value = 1160.2500000000001;
  v.components[0].checks[0].u = 0.1 + 0.2;
  v.components[0].checks[0].p_conform = 0.99999999999999989;
  const StoredResult r = stored(v);
  const auto json = nlohmann::ordered_json::parse(r.json);
  const Page page({r, "ffee"});
  EXPECT_EQ(page.at("sequence"), "17");
  EXPECT_EQ(page.at("decision"), "INVALID");
  std::size_t rows = 0;
  for (const auto& component : json["components"])
    for (const auto& check : component["checks"]) {
      const std::string reference = component["reference"];
      const auto row =
          page.document.select_node(("//table[@id='checks']/tbody/tr[th='" + reference + "']").c_str())
              .node();
      ASSERT_TRUE(row) << reference;
      ++rows;
      const auto cell = [&](int n) {
        return row.select_node(("*[" + std::to_string(n) + "]").c_str()).node();
      };
      EXPECT_THAT(cell(4).child_value(), HasSubstr(std::string(check["decision"]))) << page.text;
      if (check["decision"] == "INVALID") {
        EXPECT_STREQ(cell(5).child("data").attribute("value").value(), "-");
        continue;
      }
      EXPECT_EQ(cell(5).child("data").attribute("value").value(), check["value_um"].dump());
      EXPECT_EQ(cell(6).child("data").attribute("value").value(), check["u_um"].dump());
      EXPECT_EQ(cell(8).child_value(), check["lower_um"].dump());
      EXPECT_EQ(cell(10).child_value(), check["upper_um"].dump());
      EXPECT_EQ(cell(12).child("data").attribute("value").value(), check["p_conform"].dump());
    }
  EXPECT_EQ(rows, 3u);
  EXPECT_THAT(page.text, HasSubstr("0.30000000000000004"));
}

TEST(BoardPage, TheWorstStandsFirst) {
  const Page page({stored(board()), ""});
  std::string order;
  for (const auto& row : page.document.select_nodes("//table[@id='checks']/tbody/tr/th"))
    order += row.node().child_value();
  EXPECT_EQ(order, "U3U2U1");  // INVALID, FAIL, PASS
}

TEST(BoardPage, AStrangersTextStaysText) {
  const std::string evil = "\"'><script>alert(1)</script><img src=x onerror=alert(2)>{{unit}}\x1b]0;x\x07";
  BoardVerdict v = board();
  v.unit_id = v.recipe = v.frame_id = v.frame_source = v.calibration = evil;
  v.components[1].reference = v.components[1].package = evil;
  v.components[1].checks[0].detail = evil;
  for (const bool linked : {false, true}) {
    const Page page({stored(v), evil, "", linked});
    EXPECT_FALSE(page.document.select_node("//script"));
    EXPECT_FALSE(page.document.select_node("//img"));
    EXPECT_FALSE(page.document.select_node("//*[@onerror]"));
    EXPECT_THAT(page.at("unit"), HasSubstr("<script>alert(1)</script>"));
    EXPECT_THAT(page.at("unit"), HasSubstr("{{unit}}"));
    EXPECT_EQ(page.text.find('\x1b'), page.text.npos);
    for (const auto& link : page.document.select_nodes("//a/@href"))
      EXPECT_EQ(std::string(link.attribute().value()).find_first_of("\"'<> \x1b"), std::string::npos);
  }
}

TEST(BoardPage, ADamagedResultSaysSo) {
  StoredResult r = stored(board());
  r.json = "{";
  const Page page({r, ""});
  EXPECT_THAT(page.text, HasSubstr("can not be read: result 17: its JSON is no verdict"));
  EXPECT_EQ(page.at("decision"), "INVALID");
}

TEST(BoardPage, AResultOfALaterDatumdKeepsItsDecision) {
  StoredResult r = stored(board());
  auto json = nlohmann::ordered_json::parse(r.json);
  json["unheard_of"] = 1;
  r.json = json.dump();
  const Page page({r, ""});
  EXPECT_THAT(page.text, HasSubstr("unheard_of"));
  EXPECT_EQ(page.at("decision"), "INVALID");
  EXPECT_EQ(page.at("sequence"), "17");
}

TEST(BoardPage, APictureIsInsideAsBase64) {
  EXPECT_EQ(png_url("Man"), "data:image/png;base64,TWFu");
  EXPECT_EQ(png_url("Ma"), "data:image/png;base64,TWE=");
  const Page page({stored(board()), "", png_url("abc")});
  EXPECT_STREQ(page.document.select_node("//img").node().attribute("src").value(),
               "data:image/png;base64,YWJj");
}

}  // namespace board_page_test
}  // namespace datum
