// The recipes of a cell: a folder of TOML files, each known by its name. Read as a whole; a reload makes a
// new store, which reads again only what changed since the one before.
#pragma once

#include <cstdint>
#include <filesystem>
#include <memory>
#include <string>
#include <vector>

#include "daemon/inspection/recipe/recipe.h"

namespace datum {

/// One file as it was read: its recipe, or what is wrong with it.
struct RecipeFileRead {
  /// Any change of a file's content changes one of these, but one within the file system's tick.
  struct Stamp {
    std::uint64_t device = 0, inode = 0, bytes = 0;
    std::int64_t modified_ns = 0, changed_ns = 0;
    bool operator==(const Stamp&) const = default;
  };
  Stamp stamp;
  bool settled = false;  // it had not changed for so long when it was read that any change shows in the stamp
  Recipe recipe;
  std::vector<std::string> problems;  // empty: the recipe is good
};

class RecipeStore {
 public:
  /// Reads every *.toml of the folder, in the order of their names. A file that is refused, and every recipe
  /// whose name another file claims too, is left out and named in problems(), as is a folder that can't be
  /// read. Files that are as `before` read them are not read again; `utc_ns` is the time of day by which files are stamped.
  /// `parser` parses them; null: this process.
  explicit RecipeStore(const std::filesystem::path& folder, const RecipeStore* before = nullptr,
                       std::int64_t utc_ns = 0, const config::TomlParser* parser = nullptr);

  /// Null where there is no such recipe. Stays where it is as long as the store lives.
  const Recipe* find(const std::string& name) const;
  /// Sorted.
  std::vector<std::string> names() const;
  /// Sorted by name.
  const std::vector<const Recipe*>& all() const { return all_; }
  /// One line per problem: "FILE:LINE:COLUMN: KEY: what is wrong; allowed: what is".
  const std::vector<std::string>& problems() const { return problems_; }

  /// Of all files, refused ones too.
  std::size_t files() const { return files_.size(); }
  std::uint64_t bytes() const;
  /// How many files this store read itself.
  std::size_t files_read() const { return files_read_; }

 private:
  std::shared_ptr<const RecipeFileRead> read(const std::filesystem::path& file, const RecipeStore* before,
                                             std::int64_t utc_ns, const config::TomlParser* parser);
  void leave_out_twins();

  std::vector<std::shared_ptr<const RecipeFileRead>> files_;  // sorted by path
  std::vector<const Recipe*> all_;
  std::vector<std::string> problems_;
  std::size_t files_read_ = 0;
};

}  // namespace datum
