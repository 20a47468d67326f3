// The folder of recipes, written by hosts: a recipe is checked as a whole before it takes another one's place.
#pragma once

#include <filesystem>
#include <functional>
#include <memory>
#include <string>

#include "daemon/inspect/recipe_store.h"
#include "daemon/report/command_link.h"
#include "daemon/report/recipe_files.h"

namespace datum {

struct RecipeShelfParts {
  std::filesystem::path folder;
  RecipeQuota quota;
  std::function<std::shared_ptr<const RecipeStore>()> look;  // at the folder as it is now
  std::function<bool(const std::string& name)> is_chosen;
  std::function<bool()> is_idle;                         // not armed, nothing in work
  std::function<void(const std::string& name)> changed;  // the file of this recipe is another one, or gone
  LogSink log;
  const config::TomlParser* parser = nullptr;  // of what a host sends; null: this process
};

class RecipeShelf final : public RecipeFiles {
 public:
  explicit RecipeShelf(RecipeShelfParts parts) : parts_(std::move(parts)) {}

  std::string read(const std::string& name) const override;
  void write(const std::string& name, const std::string& text, const std::string& sha256) override;
  void remove(const std::string& name) override;

 private:
  std::filesystem::path file_of(const std::string& name) const;
  std::filesystem::path file_for(const std::string& name, std::size_t bytes) const;

  RecipeShelfParts parts_;
};

}  // namespace datum
