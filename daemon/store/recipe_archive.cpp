#include "daemon/store/recipe_archive.h"

#include <fmt/format.h>

#include "config/toml_reader.h"

namespace datum {
namespace fs = std::filesystem;

// recipe_use is a table of its own, since each result updates it: a text is written once.
struct RecipeArchive::Statements {
  Statements(sqlite3* db, const fs::path& file)
      : use(db, file,
            "INSERT INTO recipe_use VALUES (?1, ?2) ON CONFLICT (sha256) DO UPDATE SET last = excluded.last"),
        insert(db, file, "INSERT OR IGNORE INTO recipe VALUES (?1, ?2, ?3, ?4)") {}
  sqlite::Statement use, insert;
};

void RecipeArchive::keep(const RecipeText& recipe, std::uint64_t sequence) {
  if (!recipe.text) return;
  if (!statements_) {
    sqlite::execute(db_, file_,
                    "CREATE TABLE IF NOT EXISTS recipe (sha256 TEXT PRIMARY KEY, name TEXT NOT NULL, bytes "
                    "INTEGER NOT NULL, text TEXT NOT NULL)");
    sqlite::execute(db_, file_,
                    "CREATE TABLE IF NOT EXISTS recipe_use (sha256 TEXT PRIMARY KEY, last INTEGER NOT NULL)");
    statements_ = std::make_shared<Statements>(db_, file_);
  }
  {
    sqlite::Run row(statements_->use);
    row->bind(1, recipe.sha256).bind(2, static_cast<std::int64_t>(sequence)).step();
  }
  if (kept_.insert(recipe.sha256).second) insert(recipe);
}

void RecipeArchive::insert(const RecipeText& recipe) {
  {
    sqlite::Run row(statements_->insert);
    row->bind(1, recipe.sha256).bind(2, recipe.name);
    row->bind(3, static_cast<std::int64_t>(recipe.text->size())).bind(4, *recipe.text).step();
  }
  remove_beyond_bounds(recipe.sha256);
}

void RecipeArchive::remove_beyond_bounds(const std::string& newest) {
  for (;;) {
    const bool beyond =
        sqlite::query_integer(db_, file_, "SELECT coalesce(sum(bytes), 0) FROM recipe") > bounds_.bytes ||
        sqlite::query_integer(db_, file_, "SELECT count(*) FROM recipe") > bounds_.recipes;
    if (!beyond) return;
    sqlite::Statement oldest(
        db_, file_,
        "SELECT sha256 FROM recipe JOIN recipe_use USING (sha256) WHERE sha256 <> ?1 ORDER "
        "BY last LIMIT 1");
    oldest.bind(1, newest);
    if (!oldest.step()) return;
    const std::string gone = oldest.text(0);
    oldest.reset();
    for (const char* sql :
         {"DELETE FROM recipe WHERE sha256 = ?1", "DELETE FROM recipe_use WHERE sha256 = ?1"})
      sqlite::Statement(db_, file_, sql).bind(1, gone).step();
    kept_.erase(gone);
  }
}

std::optional<std::string> archived_recipe(sqlite3* db, const fs::path& file, const std::string& sha256) {
  if (!sqlite::has_table(db, file, "recipe")) return std::nullopt;
  sqlite::Statement row(db, file, "SELECT text FROM recipe WHERE sha256 = ?1");
  if (!row.bind(1, sha256).step()) return std::nullopt;
  std::string text = row.text(0);
  if (config::sha256_hex(text) != sha256)
    throw StoreError(StoreError::Kind::corrupt,
                     fmt::format("the kept text of the recipe with SHA-256 {} was altered", sha256));
  return text;
}

std::vector<ArchivedRecipe> archived_recipes(const fs::path& store) {
  const sqlite::Connection db = sqlite::open(store, SQLITE_OPEN_READONLY);
  sqlite3_busy_timeout(db.get(), 2000);
  std::vector<ArchivedRecipe> recipes;
  if (!sqlite::has_table(db.get(), store, "recipe")) return recipes;
  sqlite::Statement rows(
      db.get(), store,
      "SELECT sha256, name, last FROM recipe JOIN recipe_use USING (sha256) ORDER BY last DESC");
  while (rows.step())
    recipes.push_back({rows.text(0), rows.text(1), static_cast<std::uint64_t>(rows.integer(2))});
  return recipes;
}

std::vector<std::string> altered_recipes(sqlite3* db, const fs::path& file) {
  std::vector<std::string> altered;
  if (!sqlite::has_table(db, file, "recipe")) return altered;
  sqlite::Statement rows(db, file, "SELECT sha256, text FROM recipe ORDER BY sha256");
  while (rows.step())
    if (config::sha256_hex(rows.text(1)) != rows.text(0)) altered.push_back(rows.text(0));
  return altered;
}

void remove_unused_recipes(sqlite3* db, const fs::path& file) {
  if (!sqlite::has_table(db, file, "recipe_use")) return;
  sqlite::execute(db, file,
                  "DELETE FROM recipe WHERE sha256 IN (SELECT sha256 FROM recipe_use WHERE last < (SELECT "
                  "min(sequence) FROM result))");
  sqlite::execute(db, file, "DELETE FROM recipe_use WHERE last < (SELECT min(sequence) FROM result)");
}

}  // namespace datum
