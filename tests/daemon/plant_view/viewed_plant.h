// The pages of a plant in a real PostgreSQL, which a collector's writer fills; they read it by the account of reader.sql.
#pragma once

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdlib>
#include <memory>
#include <pugixml.hpp>

#include "daemon/collect/batch_writer.h"
#include "daemon/plant_view/plant_pages.h"
#include "tests/daemon/collect/test_database.h"
#include "tests/daemon/collect/virtual_chain.h"
#include "tests/daemon/scpi/fixture.h"

namespace datum::testing {

/// A whole page is well-formed XML too.
struct PlantDocument : pugi::xml_document {
  explicit PlantDocument(const PageAnswer& page) : status(page.status) {
    const auto parsed = load_string(page.body.c_str(), pugi::parse_full);
    EXPECT_TRUE(parsed) << parsed.description() << " at "
                        << page.body.substr(static_cast<std::size_t>(parsed.offset), 90);
    EXPECT_FALSE(select_node("//script"));
    EXPECT_FALSE(select_node("//*[@onerror or @onload or @style]"));
  }
  std::string at(const std::string& id) const {
    return select_node(("//*[@id='" + id + "']").c_str()).node().text().get();
  }
  /// Cells of a table's rows, joined by '|': numbers as the values of their <data>.
  std::vector<std::string> rows(const std::string& table) const {
    std::vector<std::string> found;
    for (const auto& row : select_nodes(("//table[@id='" + table + "']/tbody/tr").c_str())) {
      std::string& text = found.emplace_back();
      for (const pugi::xml_node& cell : row.node().children()) {
        const auto data = cell.child("data").attribute("value");
        std::string words = data ? data.value() : cell.first_element_by_path("a").text().get();
        if (words.empty())
          for (const auto& piece : cell.select_nodes("text()")) words += piece.node().value();
        words.erase(0, words.find_first_not_of(' '));
        text += (text.empty() ? "" : "|") + words;
      }
    }
    return found;
  }
  int status;
};

class ViewedPlant : public ::testing::Test {
 protected:
  static void SetUpTestSuite() {
    if (TestDatabase::is_installed()) database = std::make_unique<TestDatabase>();
  }
  static void TearDownTestSuite() { database.reset(); }
  void SetUp() override {
    if (!database) GTEST_SKIP() << "no PostgreSQL server: apt-get install postgresql";
    database->ask("DROP SCHEMA IF EXISTS datum CASCADE");
    database->ask(
        "DO $$ BEGIN IF EXISTS (SELECT FROM pg_roles WHERE rolname = 'datumd-plant-view') THEN "
        "DROP OWNED BY \"datumd-plant-view\"; DROP ROLE \"datumd-plant-view\"; END IF; END $$");
    database->wait_for_no_writer();
    writer = std::make_unique<BatchWriter>(connection_string(database->settings()), collect,
                                           [this] { return now_us; });
    const std::string sql = "psql -q -v ON_ERROR_STOP=1 -h " + database->folder().string() +
                            " -U collect -d plant -v owner=collect -f " DATUM_SOURCE_DIR
                            "/daemon/plant_view/reader.sql";
    ASSERT_EQ(std::system(sql.c_str()), 0);
    open(std::chrono::seconds(20));
  }
  /// The pages read anew with this limit.
  void open(std::chrono::milliseconds limit, const std::string& user = "datumd-plant-view") {
    DatabaseSettings s = database->settings();
    s.user = user;
    plant = std::make_unique<PlantDatabase>(s, limit, [this] { return now; });
    pages =
        std::make_unique<PlantPages>(*plant, PlantPagesSettings{{0}, [this] { return now_us / 1'000'000; }});
  }
  void write(const std::vector<std::string>& messages) {
    std::vector<Delivered> batch;
    for (const std::string& message : messages) batch.push_back(delivered(message, 1 << 20, now_us));
    writer->write(batch);
  }
  PageAnswer get(const std::string& path, std::map<std::string, std::string> query = {}) {
    return pages->answer({path, std::move(query)});
  }
  std::string ask(const std::string& sql) const { return database->ask(sql); }
  /// Rows, their columns joined by '|'.
  std::vector<std::string> table(const std::string& sql) const {
    pqxx::connection connection(connection_string(database->settings()));
    pqxx::work work(connection);
    work.exec("SET search_path = datum");
    std::vector<std::string> found;
    for (const auto& row : work.exec(sql)) {
      std::string& text = found.emplace_back();
      for (const auto& field : row)
        text += (text.empty() ? "" : "|") + std::string(field.is_null() ? "-" : field.c_str());
    }
    return found;
  }

  static BoardVerdict board(int n, Decision decision = Decision::pass, double value = 1160,
                            const std::string& utc = "2026-11-21T07:00:00Z") {
    BoardVerdict v = testing::board(n);
    v.decision = decision;
    v.reason = Reason::none;
    v.components.resize(1);
    CheckVerdict& check = v.components[0].checks[0];
    v.components[0].decision = check.decision = check.decision_simple = decision;
    check.value = value;
    if (decision == Decision::invalid) check.reason = v.reason = Reason::floor_tilt;
    v.unit_id = "SN-" + std::to_string(n);
    v.measured_at = utc;
    return v;
  }

  static inline std::unique_ptr<TestDatabase> database;
  CollectSettings collect;
  std::int64_t now_us = 1'795'300'000'000'000;  // 2026-11-21T22:26:40Z
  PlantDatabase::Clock::time_point now{};       // of the pause behind a database that is away
  std::unique_ptr<BatchWriter> writer;
  std::unique_ptr<PlantDatabase> plant;
  std::unique_ptr<PlantPages> pages;
};

}  // namespace datum::testing
