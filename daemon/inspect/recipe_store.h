// The recipes of a cell: a folder of TOML files, each known by its name. Read as a whole; a reload makes a
// new store.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "daemon/inspect/recipe.h"

namespace datum {

class RecipeStore {
 public:
  /// Reads every *.toml of the folder, in the order of their names. A file that is refused, and every recipe
  /// whose name another file claims too, is left out and named in problems(), as is a folder that can't be
  /// read.
  explicit RecipeStore(const std::filesystem::path& folder);

  /// Null where there is no such recipe. Stays where it is as long as the store lives.
  const Recipe* find(const std::string& name) const;
  /// Sorted.
  std::vector<std::string> names() const;
  const std::vector<Recipe>& all() const { return all_; }
  /// One line per problem: "FILE:LINE:COLUMN: KEY: what is wrong; allowed: what is".
  const std::vector<std::string>& problems() const { return problems_; }

 private:
  std::vector<Recipe> all_;  // sorted by name
  std::vector<std::string> problems_;
};

}  // namespace datum
