// The recipes of a cell: a folder of TOML files, each identified by its name. Read as a whole; a reload
// creates a new store, which reads only changed files.
#pragma once

#include <cstdint>
#include <filesystem>
#include <memory>
#include <set>
#include <string>
#include <vector>

#include "daemon/inspection/recipe/recipe.h"

namespace datum {

/// One file's recipe, or its problems.
struct RecipeFileRead {
  /// Changes with the file's content, except within one tick of the file system's clock.
  struct Stamp {
    std::uint64_t device = 0, inode = 0, bytes = 0;
    std::int64_t modified_ns = 0, changed_ns = 0;
    bool operator==(const Stamp&) const = default;
  };
  Stamp stamp;
  bool settled = false;  // unchanged long enough before reading that any later change alters the stamp
  Recipe recipe;
  std::shared_ptr<const std::string> text;  // of the file, with the recipe's hash; null: it could not be read
  std::vector<std::string> problems;        // empty: the recipe is valid
  std::vector<std::string> warnings;        // values that are allowed and probably not meant
};

class RecipeStore {
 public:
  /// Reads every *.toml of the folder in the order of names. A refused file, and every recipe whose name is
  /// claimed twice, is left out and named in problems(), as is an unreadable folder. Files unchanged since
  /// `before` are not read again; `utc_ns` is the present time of the clock that stamps files. `parser`
  /// parses them; null: in this process.
  explicit RecipeStore(const std::filesystem::path& folder, const RecipeStore* before = nullptr,
                       std::int64_t utc_ns = 0, const config::TomlParser* parser = nullptr);

  /// False: the folder could not be read.
  bool readable() const { return readable_; }
  /// True: a file that problems() names bears this name, or its name could not be read.
  bool refused(const std::string& name) const;
  /// Null where there is no such recipe. The pointer is valid as long as the store.
  const Recipe* find(const std::string& name) const;
  /// Sorted.
  std::vector<std::string> names() const;
  /// Sorted by name.
  const std::vector<const Recipe*>& all() const { return all_; }
  /// Warnings of one recipe of this store, as problems().
  std::vector<std::string> warnings_of(const Recipe& recipe) const;
  /// Text of the file of a recipe of this store.
  std::shared_ptr<const std::string> text_of(const Recipe& recipe) const;
  /// One line per problem: "FILE:LINE:COLUMN: KEY: what is wrong; allowed: what is".
  const std::vector<std::string>& problems() const { return problems_; }

  /// Number of all files, including refused ones.
  std::size_t files() const { return files_.size(); }
  std::uint64_t bytes() const;
  /// Number of files that this store read itself.
  std::size_t files_read() const { return files_read_; }

 private:
  std::shared_ptr<const RecipeFileRead> read(const std::filesystem::path& file, const RecipeStore* before,
                                             std::int64_t utc_ns, const config::TomlParser* parser);
  void leave_out_twins();

  std::vector<std::shared_ptr<const RecipeFileRead>> files_;  // sorted by path
  std::vector<const Recipe*> all_;
  std::vector<std::string> problems_;
  std::set<std::string> twins_;  // names that several files bear
  std::size_t files_read_ = 0;
  bool readable_ = true;
};

}  // namespace datum
