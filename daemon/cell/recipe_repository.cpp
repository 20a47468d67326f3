#include "daemon/cell/recipe_repository.h"

#include <fmt/format.h>

#include <algorithm>
#include <fstream>
#include <sstream>
#include <system_error>

#include "config/toml_reader.h"
#include "daemon/cell/file_refusal.h"
#include "daemon/inspection/recipe/recipe_store.h"
#include "daemon/instrument/scpi_error.h"
#include "daemon/scpi/scpi_pattern.h"
#include "daemon/system/durable_file.h"

namespace datum {
namespace {

namespace fs = std::filesystem;
using scpi::Error;

const std::string writable =
    "keep inspection.recipes_folder where datumd may write, below /var/lib/datumd under its service";

void check_name(const std::string& name) {
  const auto fits = [](char c) {
    return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') ||
           std::string_view("._+#-").find(c) != std::string_view::npos;
  };
  const bool good =
      !name.empty() && name.size() <= 64 && name[0] != '.' && std::all_of(name.begin(), name.end(), fits);
  if (!good)
    throw Error(scpi::file_name_error,
                fmt::format("'{}'; 1 to 64 letters, digits and . _ + # -, no . first", name.substr(0, 64)));
}

/// Throws -230, -224.
void check_text(const std::string& name, const std::string& text, const std::string& sha256,
                const config::TomlParser* parser) {
  const std::string is = config::sha256_hex(text);
  if (scpi::upper(sha256) != scpi::upper(is))
    throw Error(scpi::data_corrupt_or_stale,
                fmt::format("{} bytes came, their sha256 is {}", text.size(), is));
  config::Problems problems;
  const Recipe recipe = recipe_from_text(text, name, problems, parser);
  if (!problems.errors().empty())
    throw Error(scpi::illegal_parameter_value, problems.errors().front().what());
  if (recipe.name != name)
    throw Error(scpi::illegal_parameter_value, fmt::format("the text is the recipe '{}'", recipe.name));
}

}  // namespace

fs::path RecipeRepository::file_of(const std::string& name) const {
  const auto store = parts_.look();
  const Recipe* found = store->find(name);
  if (!found) throw Error(scpi::file_name_not_found, fmt::format("no recipe '{}'", name.substr(0, 64)));
  return found->file;
}

/// The recipe's file, or a new one that takes nobody's place. -254 it would be beyond the quota.
fs::path RecipeRepository::file_for(const std::string& name, std::size_t bytes) const {
  const auto store = parts_.look();
  const Recipe* found = store->find(name);
  std::error_code none;
  const std::uint64_t before = found ? fs::file_size(found->file, none) : 0;
  const std::uint64_t files = store->files() + (found ? 0 : 1);
  const std::uint64_t all = store->bytes() - (none ? 0 : std::min(before, store->bytes())) + bytes;
  if (files > parts_.quota.files || (all > parts_.quota.bytes && bytes > before))
    throw Error(scpi::media_full,
                fmt::format("the folder would have {} recipes of {} bytes, it may have {} of {} "
                            "(inspection.recipes_most, recipes_most_kib); delete recipes",
                            files, all, parts_.quota.files, parts_.quota.bytes));
  if (found) return found->file;
  const fs::path file = parts_.folder / (name + ".toml");
  if (fs::exists(fs::symlink_status(file, none)))
    throw Error(scpi::settings_conflict,
                file.string() + " is there and is not this recipe; look at it first");
  return file;
}

std::string RecipeRepository::read(const std::string& name) const {
  const fs::path file = file_of(name);
  std::ifstream in(file, std::ios::binary);
  std::ostringstream text;
  text << in.rdbuf();
  if (!in) throw Error(scpi::mass_storage_error, file.string() + " can't be read");
  return text.str();
}

void RecipeRepository::write(const std::string& name, const std::string& text, const std::string& sha256,
                             WriteDone done) {
  uploads_.push_back(std::make_shared<Upload>(Upload{name, text, sha256, std::move(done)}));
  if (uploads_.size() == 1) begin();
}

void RecipeRepository::begin() {
  apart(
      [parser = parts_.parser](Upload& u) {
        check_name(u.name);
        check_text(u.name, u.text, u.sha256, parser);
      },
      [this](Upload& u) { place(u); });
}

/// `job` on the worker's thread, `then` on the loop's; a refusal in either is the upload's end.
void RecipeRepository::apart(const Step& job, const Step& then) {
  const auto upload = uploads_.front();
  const auto first = [upload, job] { upload->refused = refusal_of_files([&] { job(*upload); }, writable); };
  const auto second = [this, upload, then] {
    if (!upload->refused) {
      const auto why = refusal_of_files([&] { then(*upload); }, writable);
      if (!why) return;
      upload->refused = why;
    }
    end();
  };
  if (parts_.worker) return parts_.worker->submit(first, second);
  first();
  second();
}

void RecipeRepository::refuse_while_measured_with(const std::string& name) const {
  if (parts_.is_chosen(name) && !parts_.is_idle())
    throw Error(scpi::settings_conflict, "it is chosen and the cell is armed; ABORt disarms it");
}

void RecipeRepository::place(Upload& upload) {
  refuse_while_measured_with(upload.name);
  upload.file = file_for(upload.name, upload.text.size());
  apart([](Upload& u) { u.part = write_part_durably(u.file, u.text); }, [this](Upload& u) { put(u); });
}

/// Looked at once more: the cell was armed meanwhile, maybe.
void RecipeRepository::put(Upload& upload) {
  try {
    refuse_while_measured_with(upload.name);
    put_in_place(upload.part, upload.file);
  } catch (...) {
    std::error_code ignored;
    fs::remove(upload.part, ignored);
    throw;
  }
  parts_.log(5, fmt::format("a host stored recipe {}, sha256 {}, in {}", upload.name,
                            config::sha256_hex(upload.text), upload.file.string()));
  parts_.changed(upload.name);
  apart([](Upload& u) { sync_name_of(u.file); }, [this](Upload&) { end(); });
}

/// The next one first: who is told may send another one.
void RecipeRepository::end() {
  const auto upload = uploads_.front();
  uploads_.pop_front();
  if (!uploads_.empty()) begin();
  upload->done(upload->refused);
  if (parts_.worker && parts_.ended) parts_.ended();
}

void RecipeRepository::remove(const std::string& name) {
  if (parts_.is_chosen(name)) throw Error(scpi::settings_conflict, "it is chosen; choose another one first");
  const fs::path file = file_of(name);
  try {
    remove_file_durably(file);
  } catch (const std::system_error& error) {
    throw file_refusal(error, writable);
  }
  parts_.log(5, fmt::format("a host removed recipe {}, {}", name, file.string()));
  parts_.changed(name);
}

}  // namespace datum
