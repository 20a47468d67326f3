// Texts of recipes beside the results that were measured by them, by their hash: so a result can be measured again after its
// recipe was edited. A text is committed with the first result that names it, and removed with the last one.
#pragma once

#include <filesystem>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "daemon/store/result_store.h"
#include "daemon/store/sqlite.h"

namespace datum {

/// Bounds of all kept texts together. Beyond, the text that was used longest ago goes first.
struct RecipeArchiveBounds {
  std::int64_t bytes = 64 << 20;
  std::int64_t recipes = 10'000;
};

/// Of the store's writer, within its transactions.
class RecipeArchive {
 public:
  RecipeArchive(sqlite3* db, const std::filesystem::path& file, RecipeArchiveBounds bounds = {})
      : db_(db), file_(file), bounds_(bounds) {}

  /// Within the transaction that stores the result `sequence`. Throws StoreError.
  void keep(const RecipeText& recipe, std::uint64_t sequence);
  /// After a rollback, or after rows were removed.
  void forget() {
    statements_.reset();
    kept_.clear();
  }

 private:
  struct Statements;
  void insert(const RecipeText& recipe);
  void remove_beyond_bounds(const std::string& newest);

  sqlite3* db_;
  std::filesystem::path file_;
  RecipeArchiveBounds bounds_;
  std::shared_ptr<Statements> statements_;  // null: the tables may be missing
  std::set<std::string> kept_;              // hashes known to be there
};

/// None: it is not kept. Throws StoreError (corrupt) where the text has another hash.
std::optional<std::string> archived_recipe(sqlite3* db, const std::filesystem::path& file,
                                           const std::string& sha256);
/// A recipe whose text is kept.
struct ArchivedRecipe {
  std::string sha256, name;
  std::uint64_t last = 0;  // the newest result that was measured by it
};
/// Of a store, beside its writer; the one that was used last comes first. Throws StoreError.
std::vector<ArchivedRecipe> archived_recipes(const std::filesystem::path& store);

/// Hashes of kept texts that have another hash.
std::vector<std::string> altered_recipes(sqlite3* db, const std::filesystem::path& file);
/// Removes texts that no stored result names. Within a transaction.
void remove_unused_recipes(sqlite3* db, const std::filesystem::path& file);

}  // namespace datum
