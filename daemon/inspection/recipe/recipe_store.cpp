#include "daemon/inspection/recipe/recipe_store.h"

#include <sys/stat.h>

#include <algorithm>

#include "config/toml_document.h"
#include "config/toml_reader.h"

namespace datum {
namespace {

/// Longer than the tick of any file system clock of Linux (10 ms at 100 Hz).
constexpr std::int64_t tick_ns = 50'000'000;

RecipeFileRead::Stamp stamp_of_file(const std::filesystem::path& file) {
  struct stat info {};
  if (::stat(file.c_str(), &info) != 0) return {};
  const auto ns_of = [](const timespec& t) { return t.tv_sec * std::int64_t{1'000'000'000} + t.tv_nsec; };
  return {info.st_dev, info.st_ino, static_cast<std::uint64_t>(info.st_size), ns_of(info.st_mtim),
          ns_of(info.st_ctim)};
}

}  // namespace

RecipeStore::RecipeStore(const std::filesystem::path& folder, const RecipeStore* before, std::int64_t utc_ns,
                         const config::TomlParser* parser) {
  std::vector<std::filesystem::path> files;
  try {
    for (const auto& entry : std::filesystem::directory_iterator(folder)) {
      if (entry.path().extension() == ".toml") files.push_back(entry.path());
    }
  } catch (const std::filesystem::filesystem_error& error) {
    readable_ = false;
    problems_.push_back(folder.string() + ": the folder of recipes cannot be read (" +
                        error.code().message() +
                        "); allowed: a readable folder (check the path and its permissions)");
  }
  std::sort(files.begin(), files.end());
  for (const auto& file : files) {
    files_.push_back(read(file, before, utc_ns, parser));
    const RecipeFileRead& last = *files_.back();
    problems_.insert(problems_.end(), last.problems.begin(), last.problems.end());
    if (last.problems.empty()) all_.push_back(&last.recipe);
  }
  leave_out_twins();
}

std::shared_ptr<const RecipeFileRead> RecipeStore::read(const std::filesystem::path& file,
                                                        const RecipeStore* before, std::int64_t utc_ns,
                                                        const config::TomlParser* parser) {
  const RecipeFileRead::Stamp stamp = stamp_of_file(file);
  if (before) {
    const auto known =
        std::lower_bound(before->files_.begin(), before->files_.end(), file,
                         [](const auto& f, const auto& path) { return f->recipe.file < path; });
    if (known != before->files_.end() && (*known)->recipe.file == file && (*known)->settled &&
        (*known)->stamp == stamp)
      return *known;
  }
  auto fresh = std::make_shared<RecipeFileRead>();
  fresh->stamp = stamp;
  fresh->settled = std::max(stamp.modified_ns, stamp.changed_ns) < utc_ns - tick_ns;
  config::Problems problems;
  problems.attempt([&] {
    fresh->text = std::make_shared<const std::string>(config::toml_file_bytes(file));
    fresh->recipe = recipe_from_text(*fresh->text, file.string(), problems, parser);
  });
  fresh->recipe.file = file;
  for (const auto& error : problems.errors()) fresh->problems.push_back(error.what());
  for (const auto& doubt : problems.warnings()) fresh->warnings.push_back(doubt.what());
  ++files_read_;
  return fresh;
}

void RecipeStore::leave_out_twins() {
  const auto by_name = [](const Recipe* a, const Recipe* b) { return a->name < b->name; };
  std::stable_sort(all_.begin(), all_.end(), by_name);
  for (auto first = all_.begin(); first != all_.end();) {
    const auto end = std::upper_bound(first, all_.end(), *first, by_name);
    if (end - first == 1) {
      first = end;
      continue;
    }
    twins_.insert((*first)->name);
    for (auto other = first + 1; other != end; ++other) {
      problems_.push_back((*other)->file.string() + ": name: '" + (*other)->name + "' is also the name of " +
                          (*first)->file.string() + "; allowed: a name of its own for each recipe");
    }
    first = all_.erase(first, end);
  }
}

bool RecipeStore::refused(const std::string& name) const {
  return twins_.count(name) != 0 || std::any_of(files_.begin(), files_.end(), [&](const auto& file) {
           return !file->problems.empty() && (file->recipe.name.empty() || file->recipe.name == name);
         });
}

const Recipe* RecipeStore::find(const std::string& name) const {
  const auto at = std::find_if(all_.begin(), all_.end(), [&](const Recipe* r) { return r->name == name; });
  return at == all_.end() ? nullptr : *at;
}

std::vector<std::string> RecipeStore::names() const {
  std::vector<std::string> names;
  for (const Recipe* recipe : all_) names.push_back(recipe->name);
  return names;
}

std::vector<std::string> RecipeStore::warnings_of(const Recipe& recipe) const {
  for (const auto& file : files_)
    if (&file->recipe == &recipe) return file->warnings;
  return {};
}

std::shared_ptr<const std::string> RecipeStore::text_of(const Recipe& recipe) const {
  for (const auto& file : files_)
    if (&file->recipe == &recipe) return file->text;
  return nullptr;
}

std::uint64_t RecipeStore::bytes() const {
  std::uint64_t sum = 0;
  for (const auto& file : files_) sum += file->stamp.bytes;
  return sum;
}

}  // namespace datum
