// The folder of recipes, written by hosts: a recipe is checked as a whole before it takes another one's place.
#pragma once

#include <filesystem>
#include <functional>
#include <string>

#include "daemon/report/command_link.h"
#include "daemon/report/recipe_files.h"

namespace datum {

struct RecipeShelfParts {
  std::filesystem::path folder;
  std::function<bool(const std::string& name)> is_chosen;
  std::function<bool()> is_idle;                         // not armed, nothing in work
  std::function<void(const std::string& name)> changed;  // the file of this recipe is another one, or gone
  LogSink log;
};

class RecipeShelf final : public RecipeFiles {
 public:
  explicit RecipeShelf(RecipeShelfParts parts) : parts_(std::move(parts)) {}

  std::string read(const std::string& name) const override;
  void write(const std::string& name, const std::string& text, const std::string& sha256) override;
  void remove(const std::string& name) override;

 private:
  std::filesystem::path file_of(const std::string& name) const;
  std::filesystem::path file_for(const std::string& name) const;

  RecipeShelfParts parts_;
};

}  // namespace datum
