#include "daemon/inspect/recipe_store.h"

#include <algorithm>

#include "config/toml_reader.h"

namespace datum {

RecipeStore::RecipeStore(const std::filesystem::path& folder) {
  std::vector<std::filesystem::path> files;
  try {
    for (const auto& entry : std::filesystem::directory_iterator(folder)) {
      if (entry.path().extension() == ".toml") files.push_back(entry.path());
    }
  } catch (const std::filesystem::filesystem_error& error) {
    problems_.push_back(folder.string() + ": the folder of recipes cannot be read (" +
                        error.code().message() +
                        "); allowed: a readable folder (check the path and its permissions)");
  }
  std::sort(files.begin(), files.end());
  for (const auto& file : files) {
    config::Problems problems;
    Recipe recipe = load_recipe(file, problems);
    for (const auto& error : problems.errors()) problems_.push_back(error.what());
    if (problems.errors().empty()) all_.push_back(std::move(recipe));
  }
  const auto by_name = [](const Recipe& a, const Recipe& b) { return a.name < b.name; };
  std::stable_sort(all_.begin(), all_.end(), by_name);
  for (auto first = all_.begin(); first != all_.end();) {
    const auto end = std::upper_bound(first, all_.end(), *first, by_name);
    if (end - first == 1) {
      first = end;
      continue;
    }
    for (auto other = first + 1; other != end; ++other) {
      problems_.push_back(other->file.string() + ": name: '" + other->name + "' is also the name of " +
                          first->file.string() + "; allowed: a name of its own for each recipe");
    }
    first = all_.erase(first, end);
  }
}

const Recipe* RecipeStore::find(const std::string& name) const {
  const auto at = std::find_if(all_.begin(), all_.end(), [&](const Recipe& r) { return r.name == name; });
  return at == all_.end() ? nullptr : &*at;
}

std::vector<std::string> RecipeStore::names() const {
  std::vector<std::string> names;
  for (const Recipe& recipe : all_) names.push_back(recipe.name);
  return names;
}

}  // namespace datum
