// Maps of defects by place: numbers counted by hand, places of the recipe's text, hostile names, bounded pages.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <pugixml.hpp>

#include "daemon/report/heat_map.h"
#include "tests/daemon/scpi/fixture.h"

namespace datum {
namespace heat_map_test {
namespace {

using testing::board;
using testing::component;
using ::testing::ElementsAre;
using ::testing::HasSubstr;

constexpr auto P = Decision::pass, F = Decision::fail, N = Decision::invalid;
using Words = std::vector<std::string>;

std::string recipe_text(const Words& components, const std::string& more = "") {
  std::string text =
      "schema = 1\nname = \"r\"\nsensor_serial = \"S1\"\n"
      "board = { size_mm = [40, 20], coordinates = \"sensor\", origin_mm = [0, 0, 0] }\n"
      "package.A = { body_mm = [1, 0.5], nominal_um = 800, characteristic = \"median\", tolerance_um = 80 }\n"
      "floor = { inner_margin_mm = 0.1, outer_margin_mm = 0.3 }\ndecision = { rule = \"14253\" }\n" +
      more + "component = [\n";
  for (const std::string& c : components) text += "{ " + c + ", package = \"A\" },\n";
  return text + "]\n";
}
RecipeTexts kept(std::string text) {
  return [text = std::move(text)](const std::string&) { return std::optional(text); };
}

struct Made {
  Lot lot;
  void add(const std::vector<std::pair<std::string, Decision>>& parts) {
    BoardVerdict v = board();
    v.sequence = lot.boards().size() + 1;
    v.components.clear();
    for (const auto& [reference, d] : parts)
      v.components.push_back(component(reference, d, 1160, d == N ? Reason::floor_sides : Reason::none));
    lot.add(row_of(v, to_json(v)));
  }
};

/// The page as a document, which is well-formed XML.
struct Page : pugi::xml_document {
  explicit Page(const std::string& html) : size(html.size()) {
    const auto parsed = load_string(("<div>" + html + "</div>").c_str(), pugi::parse_full);
    EXPECT_TRUE(parsed) << parsed.description();
    EXPECT_FALSE(select_node("//script"));
  }
  std::size_t size;
  Words all(const std::string& path) const {
    Words found;
    for (const auto& node : select_nodes(path.c_str())) found.emplace_back(node.node().text().get());
    return found;
  }
  /// Words of a row of a table, its name first.
  Words row(const std::string& table, const std::string& name) const {
    const auto found =
        select_node(("//table[@id='" + table + "']//tr[th[normalize-space()='" + name + "']]").c_str());
    Words words;
    for (const pugi::xml_node cell : found.node().children()) {
      const std::string text = cell.child("data") ? cell.child("data").text().get() : cell.text().get();
      words.push_back(text);
    }
    return words;
  }
  /// First corner of the shape of this tooltip.
  std::pair<double, double> corner(const std::string& title) const {
    const std::string path =
        select_node(("//path[title='" + title + "']").c_str()).node().attribute("d").value();
    std::pair<double, double> at;
    EXPECT_EQ(std::sscanf(path.c_str(), "M%lf %lf", &at.first, &at.second), 2) << title << ": " << path;
    return at;
  }
};

}  // namespace

TEST(HeatMap, NumbersAreCountedApartAndStandAtTheirPlaces) {
  Made m;
  m.add({{"C1", F}, {"C2", P}, {"C3", N}});
  m.add({{"C1", F}, {"C2", F}, {"C3", P}});
  m.add({{"C1", N}, {"C2", P}, {"C3", P}});
  const Page page(heat_maps(m.lot, kept(recipe_text({"reference = \"C1\", centre_mm = [5, 5]",
                                                     "reference = \"C2\", centre_mm = [30, 5]",
                                                     "reference = \"C3\", centre_mm = [5, 15]"}))));
  EXPECT_THAT(page.row("heat_1", "C1"), ElementsAre("C1", "5", "5", "3", "2", "1", "0", "0"));
  EXPECT_THAT(page.row("heat_1", "C2"), ElementsAre("C2", "30", "5", "3", "1", "0", "0", "2"));
  EXPECT_THAT(page.row("heat_1", "C3"), ElementsAre("C3", "5", "15", "3", "0", "1", "0", "2"));
  EXPECT_THAT(page.row("heat_1", "all"), ElementsAre("all", "-", "-", "9", "3", "2", "0", "4"));
  EXPECT_THAT(page.all("//figure[@class='heat FAIL']//text[@text-anchor]"), ElementsAre("2", "1"));
  EXPECT_THAT(page.all("//figure[@class='heat INVALID']//text[@text-anchor]"), ElementsAre("1", "1"));
  const auto c1 = page.corner("C1: 2 of 3 FAIL"), c2 = page.corner("C2: 1 of 3 FAIL"),
             c3 = page.corner("C3: 0 of 3 FAIL");
  EXPECT_NEAR(c2.first - c1.first, 25 * 860.0 / 40, 0.11);    // x to the right, 860 units over 40 mm
  EXPECT_NEAR(c1.second - c3.second, 10 * 860.0 / 40, 0.11);  // y up: the page's y falls
}

TEST(HeatMap, OfAPanelOverItsPlacesAndOverOneBoard) {
  Made m;
  m.add({{"C1@1-1", P}, {"C1@2-1", F}, {"C2@1-1", N}, {"C2@2-1", F}, {"FOREIGN@2-1", F}});
  const std::string panel =
      "panel = { size_mm = [90, 20], columns = 2, rows = 1, pitch_mm = [45, 20], keyed_fixture = true }\n";
  const Page page(heat_maps(m.lot, kept(recipe_text({"reference = \"C1\", centre_mm = [5, 5]",
                                                     "reference = \"C2\", centre_mm = [30, 12]"},
                                                    panel))));
  EXPECT_THAT(page.row("heat_1_places", "1-1"), ElementsAre("1-1", "20", "10", "2", "0", "1", "0", "1"));
  EXPECT_THAT(page.row("heat_1_places", "2-1"), ElementsAre("2-1", "65", "10", "2", "2", "0", "0", "0"));
  EXPECT_THAT(page.row("heat_1", "C2"), ElementsAre("C2", "30", "12", "2", "1", "1", "0", "0"));
  EXPECT_THAT(page.row("heat_1", "FOREIGN@2-1"),
              ElementsAre("FOREIGN@2-1", "-", "-", "1", "1", "0", "0", "0"));
  EXPECT_THAT(page.row("heat_1", "all"), ElementsAre("all", "-", "-", "5", "3", "1", "0", "1"));
}

TEST(HeatMap, WithoutPlacesItSaysWhyAndKeepsItsNumbers) {
  Made m;
  m.add({{"C1", F}});
  for (const auto& [texts, why] : std::vector<std::pair<RecipeTexts, std::string>>{
           {nullptr, "does not keep its text"},
           {[](const std::string&) { return std::nullopt; }, "does not keep its text"},
           {kept("schema = 1\n<b>"), "the recipe in the result store"},
           {[](const std::string&) -> std::optional<std::string> {
              throw StoreError(StoreError::Kind::corrupt, "its text was altered");
            },
            "its text was altered"}}) {
    const Page page(heat_maps(m.lot, texts));
    EXPECT_THAT(page.all("//*[@id='heat_1_without']"), ElementsAre(HasSubstr(why)));
    EXPECT_TRUE(page.all("//figure").empty());
    EXPECT_THAT(page.row("heat_1", "C1"), ElementsAre("C1", "-", "-", "1", "1", "0", "0", "0"));
  }
  EXPECT_EQ(heat_maps(Lot(), nullptr), "");
}

TEST(HeatMap, StrangeNamesStayTextAndShort) {
  Made m;
  const std::string evil = "\"><script>alert(1)</script>\x01\xE2\x80\xAE=1+1", longest(10'000, 'x');
  m.add({{evil, F}, {longest, N}, {"@", F}, {"C1@", N}});
  const std::string html = heat_maps(m.lot, kept(recipe_text({"reference = \"C1\", centre_mm = [5, 5]"})));
  const Page page(html);
  EXPECT_THAT(html, HasSubstr("&lt;script&gt;"));
  EXPECT_EQ(html.find('\x01'), html.npos);
  EXPECT_EQ(html.find("\xE2\x80\xAE"), html.npos);
  EXPECT_EQ(html.find(std::string(100, 'x')), html.npos);
}

TEST(HeatMap, TheLargestPanelHasABoundedPage) {
  Made m;
  Words components;
  std::vector<std::pair<std::string, Decision>> parts;
  for (int i = 0; i < 500; ++i) {
    components.push_back(fmt::format("reference = \"C{}\", centre_mm = [{}, {}]", i, 1 + 1.5 * (i % 25),
                                     0.6 + 0.95 * (i / 25)));
    for (int k = 0; k < 200; ++k)
      parts.emplace_back(fmt::format("C{}@{}-{}", i, k % 20 + 1, k / 20 + 1), i % 2 ? N : F);
  }
  m.add(parts);
  const std::string panel =
      "panel = { size_mm = [900, 250], columns = 20, rows = 10, pitch_mm = [45, 25], keyed_fixture = true "
      "}\n";
  const Page page(heat_maps(m.lot, kept(recipe_text(components, panel))));
  EXPECT_THAT(page.row("heat_1", "all"), ElementsAre("all", "-", "-", "100000", "50000", "50000", "0", "0"));
  const Words rows = page.all("//table[@id='heat_1']/tbody/tr[not(th='all')]/td[4]");  // 200 and all others
  int failures = 0;
  for (const std::string& n : rows) failures += std::stoi(n);
  EXPECT_EQ(failures, 50'000);
  EXPECT_EQ(rows.size(), 201u);
  EXPECT_THAT(page.row("heat_1_places", "20-10"),
              ElementsAre("20-10", "875", "235", "500", "250", "250", "0", "0"));
  EXPECT_LT(page.size, 700'000u);
}

TEST(HeatMap, VersionsOfARecipeAreDrawnApart) {
  Made m;
  for (int i = 0; i < 6; ++i) {
    BoardVerdict v = board();
    v.sequence = static_cast<std::uint64_t>(i) + 1;
    v.recipe_sha256 = fmt::format("{:064x}", i);
    v.components = {component("C1", i % 2 ? F : N, 1160, i % 2 ? Reason::none : Reason::floor_sides)};
    m.lot.add(row_of(v, to_json(v)));
  }
  const Page page(heat_maps(m.lot, [](const std::string& sha256) {
    return std::optional(
        recipe_text({fmt::format("reference = \"C1\", centre_mm = [{}, 5]", 5 + (sha256.back() - '0'))}));
  }));
  EXPECT_THAT(page.row("heat_1", "C1"), ElementsAre("C1", "5", "5", "1", "0", "1", "0", "0"));
  EXPECT_THAT(page.row("heat_2", "C1"), ElementsAre("C1", "6", "5", "1", "1", "0", "0", "0"));
  EXPECT_THAT(page.all("//*[@id='heat_cut']"), ElementsAre(HasSubstr("2 more versions")));
}

}  // namespace heat_map_test
}  // namespace datum
