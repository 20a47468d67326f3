// The folder of recipes, written by hosts: a recipe is checked as a whole before it takes another one's place.
#pragma once

#include <deque>
#include <filesystem>
#include <functional>
#include <memory>
#include <optional>
#include <string>

#include "daemon/hosts/command_link.h"
#include "daemon/inspection/recipe/recipe_store.h"
#include "daemon/instrument/recipe_files.h"
#include "daemon/system/worker.h"

namespace datum {

struct RecipeRepositoryDependencies {
  std::filesystem::path folder;
  RecipeQuota quota;
  std::function<std::shared_ptr<const RecipeStore>()> look;  // at the folder as it is now
  std::function<bool(const std::string& name)> is_chosen;
  std::function<bool()> is_idle;                         // not armed, nothing in work
  std::function<void(const std::string& name)> changed;  // the file of this recipe is another one, or gone
  LogSink log;
  const config::TomlParser* parser = nullptr;  // of what a host sends; null: this process
  // Parses and writes, so that the loop waits for neither; null: all happens at once.
  Worker* worker = nullptr;
  std::function<void()> ended{};  // an upload of the worker's, and its host was told
};

class RecipeRepository final : public RecipeFiles {
 public:
  explicit RecipeRepository(RecipeRepositoryDependencies parts) : parts_(std::move(parts)) {}

  std::string read(const std::string& name) const override;
  void write(const std::string& name, const std::string& text, const std::string& sha256,
             WriteDone done) override;
  void remove(const std::string& name) override;

 private:
  struct Upload {
    std::string name, text, sha256;
    WriteDone done;
    std::optional<scpi::Error> refused{};
    std::filesystem::path file{}, part{};
  };
  using Step = std::function<void(Upload&)>;

  void begin();
  void apart(const Step& job, const Step& then);
  void place(Upload& upload);
  void put(Upload& upload);
  void end();
  void refuse_while_measured_with(const std::string& name) const;
  std::filesystem::path file_of(const std::string& name) const;
  std::filesystem::path file_for(const std::string& name, std::size_t bytes) const;

  RecipeRepositoryDependencies parts_;
  std::deque<std::shared_ptr<Upload>> uploads_;  // the first is in hand: the quota counts what the others add
};

}  // namespace datum
