// Texts of recipes in the result store: kept with the first result, read by their hash, removed with the last result.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sqlite3.h>

#include "config/toml_reader.h"
#include "daemon/store/chain_check.h"
#include "daemon/store/recipe_archive.h"
#include "tests/daemon/scpi/fixture.h"

namespace datum::recipe_archive {
namespace {

namespace fs = std::filesystem;
using testing::FreshFolder;
using ::testing::HasSubstr;

RecipeText text_of(const std::string& words) {
  return {config::sha256_hex(words), "psu", std::make_shared<const std::string>(words)};
}

std::uint64_t measured_by(ResultStore& store, const RecipeText& recipe) {
  BoardVerdict v = testing::board();
  v.recipe_sha256 = recipe.sha256;
  store.store({&v}, {recipe});
  return v.sequence;
}

void run_sql(const fs::path& file, const std::string& sql) {
  sqlite3* db = nullptr;
  ASSERT_EQ(sqlite3_open(file.c_str(), &db), SQLITE_OK);
  EXPECT_EQ(sqlite3_exec(db, sql.c_str(), nullptr, nullptr, nullptr), SQLITE_OK) << sqlite3_errmsg(db);
  sqlite3_close(db);
}

void remove_up_to(ResultStore& store, std::uint64_t sequence) {
  RemovalOrder order;
  order.up_to = sequence;
  order.rule = "more than 1 results";
  order.utc = "2026-11-23T12:00:00Z";
  store.remove_oldest(order);
}

TEST(RecipeArchive, KeepsTheTextWithTheFirstResultOfARecipe) {
  const FreshFolder folder;
  const RecipeText a = text_of("a\0b" + std::string(1, '\0') + "\xff"), b = text_of("b");
  {
    ResultStore store(folder / "results.db");
    EXPECT_EQ(store.recipe_text(a.sha256), std::nullopt) << "an empty store";
    measured_by(store, a);
    measured_by(store, b);
    measured_by(store, a);
    measured_by(store, {"c", "gone", nullptr});
  }
  auto store = ResultStore::read_only(folder / "results.db");
  EXPECT_EQ(store.recipe_text(a.sha256), *a.text);
  EXPECT_EQ(store.recipe_text(b.sha256), *b.text);
  EXPECT_EQ(store.recipe_text("c"), std::nullopt);
}

TEST(RecipeArchive, RefusesATextOfAnotherHash) {
  const FreshFolder folder;
  const fs::path file = folder / "results.db";
  const RecipeText a = text_of("tolerance_um = 40");
  ResultStore store(file);
  measured_by(store, a);
  EXPECT_EQ(check_chain(file).faults, 0u);
  run_sql(file, "UPDATE recipe SET text = 'tolerance_um = 90'");
  EXPECT_THROW(store.recipe_text(a.sha256), StoreError);
  const ChainReport report = check_chain(file);
  ASSERT_EQ(report.faults, 1u);
  EXPECT_THAT(report.first_faults[0].what, HasSubstr(a.sha256 + " was altered"));
}

TEST(RecipeArchive, RemovesATextWithTheLastResultOfIt) {
  const FreshFolder folder;
  ResultStore store(folder / "results.db");
  const RecipeText a = text_of("a"), b = text_of("b");
  measured_by(store, a);
  measured_by(store, b);
  measured_by(store, a);
  measured_by(store, b);
  remove_up_to(store, 2);
  EXPECT_TRUE(store.recipe_text(a.sha256)) << "result 3 names it";
  remove_up_to(store, 3);
  EXPECT_EQ(store.recipe_text(a.sha256), std::nullopt);
  EXPECT_TRUE(store.recipe_text(b.sha256));
  measured_by(store, a);
  EXPECT_TRUE(store.recipe_text(a.sha256)) << "used again";
}

TEST(RecipeArchive, ARefusedResultKeepsNoText) {
  const FreshFolder folder;
  const fs::path file = folder / "results.db";
  ResultStore store(file);
  const RecipeText a = text_of("a");
  run_sql(file, "CREATE TRIGGER full BEFORE INSERT ON result BEGIN SELECT RAISE(ABORT, 'full'); END");
  EXPECT_THROW(measured_by(store, a), StoreError);
  EXPECT_EQ(store.recipe_text(a.sha256), std::nullopt);
  run_sql(file, "DROP TRIGGER full");
  run_sql(
      file,
      "CREATE TABLE recipe (sha256 TEXT PRIMARY KEY, name TEXT NOT NULL, bytes INTEGER NOT NULL, text TEXT "
      "NOT NULL); CREATE TRIGGER full BEFORE INSERT ON recipe BEGIN SELECT RAISE(ABORT, 'full'); END");
  EXPECT_THROW(measured_by(store, a), StoreError) << "a result whose recipe is lost";
  EXPECT_EQ(store.latest(), std::nullopt);
  run_sql(file, "DROP TRIGGER full");
  EXPECT_EQ(measured_by(store, a), 1u);
  EXPECT_EQ(store.recipe_text(a.sha256), "a");
}

TEST(RecipeArchive, IsBounded) {
  const FreshFolder folder;
  const fs::path file = folder / "any.db";
  const auto db = sqlite::open(file, SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE);
  RecipeArchive archive(db.get(), file, {.bytes = 25, .recipes = 3});
  const RecipeText a = text_of("0123456789"), b = text_of("123456789a"), c = text_of("x"), d = text_of("y"),
                   e = text_of(std::string(30, 'z'));
  const auto kept = [&](const RecipeText& r) {
    return archived_recipe(db.get(), file, r.sha256).has_value();
  };
  archive.keep(a, 1);
  archive.keep(b, 2);
  archive.keep(a, 3);
  archive.keep(c, 4);
  archive.keep(d, 5);  // the fourth
  EXPECT_FALSE(kept(b)) << "used longest ago";
  EXPECT_TRUE(kept(a) && kept(c) && kept(d));
  archive.keep(b, 6);
  EXPECT_FALSE(kept(a));
  EXPECT_TRUE(kept(b)) << "used again";
  archive.keep(e, 7);
  EXPECT_TRUE(kept(e)) << "the newest stays whatever its size";
  EXPECT_FALSE(kept(b) || kept(c) || kept(d));
}

}  // namespace
}  // namespace datum::recipe_archive
