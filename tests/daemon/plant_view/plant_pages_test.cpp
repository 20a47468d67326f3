// The plant's pages: their numbers are those of the database's views, and texts of strangers stay text.
#include "tests/daemon/plant_view/viewed_plant.h"

#include <sstream>

namespace datum {
namespace plant_pages_test {
namespace {

using ::testing::Each;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Not;
using testing::PlantDocument;
using ::testing::SizeIs;
using testing::VirtualChain;

std::vector<double> numbers(const std::string& fields) {
  std::vector<double> found;
  std::istringstream in(fields);
  for (std::string field; std::getline(in, field, '|');) found.push_back(std::stod(field));
  return found;
}

constexpr auto P = Decision::pass, Q = Decision::inconclusive, F = Decision::fail, N = Decision::invalid;
const std::string evil = "\"'><script>alert(1)</script><img src=x onerror=alert(2)>";

struct PlantPagesTest : testing::ViewedPlant {
  VirtualChain one{"V.M.1", "store-1"}, two{"V.M.2", "store-2"};

  /// Two cells, two recipes, three days; repeats, an INVALID first attempt, a unit in both cells on two days, boards without a serial number.
  void fill() {
    BoardVerdict other = board(20, F, 1300, "2026-11-20T10:00:00Z"),
                 retest = board(4, P, 1161, "2026-11-21T08:00:00Z"),
                 elsewhere = board(3, P, 1162, "2026-11-20T09:00:00Z"), nameless = board(9, P, 1163),
                 lost = board(10, N, 0);
    other.recipe = "another";
    nameless.unit_id = lost.unit_id = "";
    write({one.board(board(1)), one.board(board(2, Q, 1179)), one.board(board(3, F, 1190)),
           one.board(board(4, N, 0)), one.board(retest), one.board(board(5, P, 1158, "2026-11-19T08:00:00Z")),
           one.board(nameless), one.board(lost)});
    write({two.board(elsewhere), two.board(other), two.board(board(21, P, 1150, "2026-11-20T11:00:00Z")),
           two.board(board(22, P, 1152))});
  }
};

TEST_F(PlantPagesTest, CellsShowTheirChainTheirNewestResultAndTheShift) {
  fill();
  two.board(board(23));  // is missing
  write({two.board(board(24, F, 1200))});
  const PlantDocument page(get("/"));
  ASSERT_EQ(page.status, 200);
  const auto cells = page.rows("cells");
  ASSERT_THAT(cells, SizeIs(2));
  EXPECT_THAT(cells[0], ::testing::StartsWith("V.M.2|1 entries missing|6|"))
      << "what lacks something stands first";
  EXPECT_THAT(cells[1], ::testing::StartsWith("V.M.1|whole|8|"));
  for (const std::string& cell : cells) {
    const std::string handle = cell.substr(0, 5);
    const auto said = table(
        "SELECT boards, pass, inconclusive, fail, invalid, 100 * yield_low, 100 * yield_high FROM yield "
        "WHERE "
        "day = '2026-11-21' AND recipe <> 'another' AND handle = '" +
        handle + "'");
    ASSERT_THAT(said, SizeIs(1));
    std::vector<std::string> fields;
    std::istringstream in(cell);
    for (std::string field; std::getline(in, field, '|');) fields.push_back(field);
    ASSERT_EQ(fields.size(), 17u) << cell;
    std::string counts;
    for (std::size_t i = 10; i < 15; ++i) counts += fields[i] + "|";
    EXPECT_THAT(said[0], ::testing::StartsWith(counts));
    EXPECT_NEAR(std::stod(fields[15]),
                std::stod(ask("SELECT 100 * yield_low FROM yield WHERE day = '2026-11-21' AND handle = '" +
                              handle + "'")),
                1e-9);
  }
  EXPECT_THAT(cells[0], HasSubstr("|FAIL|"));
  EXPECT_THAT(page.rows("gaps"), ElementsAre(HasSubstr("V.M.2|5|5|1|")));
  EXPECT_EQ(page.at("no_alarms"), "There is none.");
  EXPECT_THAT(page.at("summary"), HasSubstr("2 cells; the chains of 1 are whole here. 8 boards"));
  const PlantDocument before(get("/", {{"back", "1"}}));
  EXPECT_THAT(before.at("summary"),
              HasSubstr("3 boards were measured for the first time from 2026-11-20T00:00:00Z"));
}

TEST_F(PlantPagesTest, YieldsAreThoseOfTheViews) {
  fill();
  const PlantDocument page(get("/yield", {{"from", "2026-11-19"}, {"to", "2026-11-21"}}));
  const auto cells = page.rows("yield");
  const auto counts = table(
      "SELECT recipe, handle, sum(boards), sum(pass), sum(inconclusive), sum(fail), sum(invalid) FROM yield "
      "GROUP BY 1, 2 ORDER BY 1, 2");
  const auto shares = table(
      "SELECT (100.0 * sum(pass) / sum(boards))::float8, (100.0 * (sum(pass) + sum(inconclusive)) / "
      "sum(boards))::float8, "
      "sum(repeats) FROM yield GROUP BY recipe, handle ORDER BY recipe, handle");
  ASSERT_EQ(cells.size(), counts.size());
  for (std::size_t i = 0; i < cells.size(); ++i) {
    ASSERT_THAT(cells[i], ::testing::StartsWith(counts[i] + "|"));
    EXPECT_THAT(numbers(cells[i].substr(counts[i].size() + 1)),
                ::testing::Pointwise(::testing::DoubleEq(), numbers(shares[i])));
  }
  const auto units = page.rows("first_pass_yield");
  const auto said = table(
      "SELECT recipe, sum(entered), sum(first_pass), sum(first_inconclusive), sum(first_fail), "
      "sum(not_inspected) FROM "
      "first_pass_yield GROUP BY 1 ORDER BY 1");
  ASSERT_EQ(units.size(), said.size());
  for (std::size_t i = 0; i < said.size(); ++i) EXPECT_THAT(units[i], ::testing::StartsWith(said[i] + "|"));
  EXPECT_THAT(said, SizeIs(2));
}

TEST_F(PlantPagesTest, AFirstPassYieldIsOfTheDaysOnWhichUnitsEntered) {
  fill();
  for (const char* day : {"2026-11-19", "2026-11-20", "2026-11-21"}) {
    const PlantDocument page(get("/yield", {{"from", day}, {"to", day}}));
    const auto units = page.rows("first_pass_yield");
    const auto said = table(std::string("SELECT recipe, entered, first_pass, first_inconclusive, first_fail, "
                                        "not_inspected FROM first_pass_yield WHERE "
                                        "day = '") +
                            day + "' ORDER BY 1");
    ASSERT_EQ(units.size(), said.size()) << day;
    for (std::size_t i = 0; i < said.size(); ++i)
      EXPECT_THAT(units[i], ::testing::StartsWith(said[i] + "|")) << day;
  }
}

TEST_F(PlantPagesTest, TooManyUnitsLeaveTheYieldsOfCells) {
  fill();
  open(std::chrono::milliseconds(1000));
  pqxx::connection other(connection_string(database->settings()));
  pqxx::work work(other);
  work.exec("LOCK TABLE datum.unit IN ACCESS EXCLUSIVE MODE");
  const PlantDocument page(get("/yield"));
  EXPECT_EQ(page.status, 200);
  EXPECT_THAT(page.at("too_many_units"), HasSubstr("Ask for fewer days"));
  EXPECT_THAT(page.rows("yield"), Not(IsEmpty()));
}

TEST_F(PlantPagesTest, ParetoCountsWhatIsNotAPass) {
  fill();
  const PlantDocument page(get("/pareto", {{"from", "2026-11-15"}}));
  EXPECT_EQ(
      page.rows("reasons"),
      table("SELECT reason, count(*), decision, count(DISTINCT handle) FROM boards WHERE decision <> 'PASS' "
            "GROUP BY reason, decision "
            "ORDER BY 2 DESC, (SELECT d.decision FROM datum.decision d WHERE d.name = boards.decision), 1"));
  EXPECT_EQ(page.rows("characteristics"),
            table("SELECT reference, count(*) FILTER (WHERE decision = 'FAIL'), count(*) FILTER (WHERE "
                  "decision = 'INCONCLUSIVE'), count(*) FILTER "
                  "(WHERE decision = 'INVALID'), characteristic, recipe, count(DISTINCT handle) FROM "
                  "measurements WHERE decision <> 'PASS' GROUP BY "
                  "reference, characteristic, recipe ORDER BY 2 DESC, 4 DESC, 3 DESC, recipe"));
  EXPECT_THAT(PlantDocument(get("/pareto", {{"cell", "V.M.2"}})).rows("characteristics"), SizeIs(1));
  EXPECT_THAT(PlantDocument(get("/pareto", {{"from", "2026-11-19"}, {"to", "2026-11-19"}})).rows("reasons"),
              IsEmpty());
}

TEST_F(PlantPagesTest, ACharacteristicIsShownOverCellsRecipesAndDays) {
  fill();
  const std::string recipe = ask("SELECT name FROM product WHERE name <> 'another'");
  const std::string reference = ask("SELECT reference FROM characteristic LIMIT 1"),
                    name = ask("SELECT name FROM characteristic LIMIT 1");
  const PlantDocument page(
      get("/component", {{"recipe", recipe}, {"reference", reference}, {"characteristic", name}}));
  ASSERT_EQ(page.status, 200);
  const auto cells = page.rows("cells");
  ASSERT_THAT(cells, SizeIs(2));
  // Of V.M.2: 1162, 1150, 1152; of V.M.1: 1160, 1179, 1190, 1158, 1163 and two INVALID. The retest is in no chart.
  EXPECT_THAT(cells, ::testing::UnorderedElementsAre("V.M.2|3|0|1154.6666666666667|1150.0|1162.0",
                                                     "V.M.1|5|2|1170.0|1158.0|1190.0"));
  EXPECT_THAT(page.rows("spc_plant"), SizeIs(2)) << "the other recipe has it too";
  const auto said =
      table("SELECT n, invalid, pass, inconclusive, fail, mean::text FROM spc_plant WHERE recipe = '" +
            recipe + "'");
  EXPECT_THAT(page.rows("spc_plant")[0], HasSubstr("|" + said[0] + "|"));
  EXPECT_EQ(page.rows("spc").size(),
            std::stoul(ask("SELECT count(*) FROM spc WHERE recipe = '" + recipe + "'")));
  EXPECT_THAT(page.rows("days_1"),
              ElementsAre(HasSubstr("2026-11-19|1|0|1158.0|"), HasSubstr("2026-11-21|4|2|")));
  EXPECT_THAT(
      PlantDocument(
          get("/component",
              {{"recipe", recipe}, {"reference", reference}, {"characteristic", name}, {"cell", "V.M.2"}}))
          .rows("days_2"),
      IsEmpty());
  EXPECT_EQ(
      PlantDocument(get("/component", {{"recipe", "none"}, {"reference", "U9"}, {"characteristic", "x"}}))
          .at("none"),
      "No recipe of the plant has this characteristic.");
}

TEST_F(PlantPagesTest, ADayBeyondTheControlLimitsIsASignal) {
  std::vector<std::string> messages;
  for (int day = 1; day <= 12; ++day)
    messages.push_back(one.board(
        board(day, P, day == 9 ? 1200 : 1160 + day % 2, fmt::format("2026-11-{:02}T07:00:00Z", day))));
  write(messages);
  const PlantDocument page(get("/component", {{"recipe", ask("SELECT name FROM product")},
                                              {"reference", ask("SELECT reference FROM characteristic")},
                                              {"characteristic", ask("SELECT name FROM characteristic")}}));
  const auto days = page.rows("days_1");
  ASSERT_THAT(days, SizeIs(12));
  // Moving ranges: seven of 1, 1200 - 1160 = 40 and 1200 - 1160 = 40, then 1, 1: mean 89 / 11; sigma = mean / 1.128 = 7.17; the mean is 1163.75.
  for (int day = 1; day <= 12; ++day)
    EXPECT_THAT(days[static_cast<std::size_t>(day) - 1],
                day == 9 ? ::testing::Matcher<std::string>(::testing::EndsWith("|beyond 3 sigma"))
                         : ::testing::Matcher<std::string>(Not(HasSubstr("sigma"))));
}

TEST_F(PlantPagesTest, NewestFailsNameTheirCellAndWhatWasWrong) {
  fill();
  const auto fails = PlantDocument(get("/fails")).rows("fails");
  ASSERT_THAT(fails, SizeIs(4)) << "those of the last 24 hours";
  EXPECT_THAT(fails, Each(::testing::StartsWith("V.M.1|2026-11-21T07:00:00Z|")));
  EXPECT_THAT(fails, ::testing::Contains(HasSubstr("FAIL 1190.000 um")));
  EXPECT_THAT(fails, ::testing::Contains(HasSubstr("INVALID FLOOR_TILT")));
  const auto all = PlantDocument(get("/fails", {{"hours", "72"}, {"decision", "FAIL"}})).rows("fails");
  ASSERT_THAT(all, SizeIs(2));
  EXPECT_THAT(all[1], ::testing::StartsWith("V.M.2|2026-11-20T10:00:00Z|FAIL|"));
}

TEST_F(PlantPagesTest, AUnitIsFoundInAllCells) {
  fill();
  EXPECT_THAT(PlantDocument(get("/search", {{"unit", "SN-3"}})).rows("attempts"),
              ElementsAre(HasSubstr("V.M.1|2026-11-21T07"), HasSubstr("V.M.2|2026-11-20T09")));
  EXPECT_THAT(PlantDocument(get("/search", {{"unit", ""}})).at("none"), HasSubstr("No board"));
}

TEST_F(PlantPagesTest, AStrangersTextsStayTextOnEveryPage) {
  BoardVerdict v = board(1, F, 1190);
  v.unit_id = v.recipe = evil;
  v.calibration = v.components[0].reference = v.components[0].package = evil;
  one.board(board(2));  // is missing
  write({one.board(v)});
  EXPECT_EQ(ask("SELECT count(*) FROM boards"), "1");
  // The collector takes names alone; somebody else may have written here.
  ask("UPDATE cell SET handle = $$" + evil + "$$");
  ask("INSERT INTO alarm (kind, name, cell, detail, first_seen, last_seen) VALUES ('X', 'y', $$" + evil +
      "$$, $$" + evil + "$$, now(), now())");
  for (const auto& [path, query] : std::vector<std::pair<std::string, std::map<std::string, std::string>>>{
           {"/", {}},
           {"/", {{"refresh", evil}}},
           {"/yield", {}},
           {"/pareto", {{"recipe", evil}, {"cell", evil}}},
           {"/pareto", {}},
           {"/fails", {{"cell", evil}}},
           {"/fails", {}},
           {"/search", {{"unit", evil}}},
           {"/component", {{"recipe", evil}}},
           {"/component",
            {{"recipe", evil},
             {"reference", evil},
             {"characteristic", ask("SELECT name FROM characteristic")}}}}) {
    const PageAnswer answer = get(path, query);
    EXPECT_EQ(answer.status, 200) << answer.body;
    const PlantDocument page(answer);
    EXPECT_THAT(answer.body, Not(HasSubstr("<script"))) << path;
  }
  EXPECT_THAT(PlantDocument(get("/search", {{"unit", evil}})).rows("attempts"), SizeIs(1));
}

TEST_F(PlantPagesTest, WrongRequestsAreNamed) {
  fill();
  for (const auto& [path, query, word] :
       std::vector<std::tuple<std::string, std::map<std::string, std::string>, std::string>>{
           {"/yield", {{"from", "yesterday"}}, "is no day"},
           {"/yield", {{"from", "2026-02-31"}}, "is no day"},
           {"/fails", {{"hours", "0"}}, "hours"},
           {"/fails", {{"hours", "1; DROP TABLE board"}}, "hours"},
           {"/", {{"back", "-1"}}, "back"},
           {"/search", {{"unit", std::string("SN-1\0x", 6)}}, "NUL"},
           {"/search", {{"unit", "\xff\xfe"}}, "invalid byte sequence"}}) {
    const PageAnswer answer = get(path, query);
    EXPECT_EQ(answer.status, 400) << path;
    EXPECT_THAT(PlantDocument(answer).at("fault"), HasSubstr(word));
  }
  EXPECT_EQ(get("/nothing").status, 404);
  EXPECT_EQ(get("/search", {{"unit", "SN-1'; DELETE FROM board; --"}}).status, 200);
  EXPECT_EQ(get("/").status, 200) << "the connection is usable after all of them";
}

TEST_F(PlantPagesTest, APlantWithoutResultsHasPagesToo) {
  for (const char* path : {"/", "/yield", "/pareto", "/component", "/fails", "/search"})
    EXPECT_EQ(get(path).status, 200) << path;
  EXPECT_EQ(PlantDocument(get("/")).at("no_cells"), "No cell has sent anything yet.");
}

}  // namespace
}  // namespace plant_pages_test
}  // namespace datum
