#include "daemon/cell/recipe_shelf.h"

#include <fmt/format.h>

#include <algorithm>
#include <cerrno>
#include <fstream>
#include <sstream>
#include <system_error>

#include "config/toml_reader.h"
#include "daemon/desk/durable_file.h"
#include "daemon/inspect/recipe_store.h"
#include "daemon/report/scpi_error.h"
#include "daemon/report/scpi_pattern.h"

namespace datum {
namespace {

namespace fs = std::filesystem;
using scpi::Error;

/// What the file system refused, as a host is told.
[[noreturn]] void refuse(const std::system_error& error) {
  switch (error.code().value()) {
    case EACCES:
    case EPERM:
    case EROFS:
      throw Error(
          scpi::media_protected,
          fmt::format("{}; keep inspection.recipes_folder where datumd may write, below /var/lib/datumd "
                      "under its service",
                      error.what()));
    case ENOSPC:
    case EDQUOT:
      throw Error(scpi::media_full, error.what());
    default:
      throw Error(scpi::mass_storage_error, error.what());
  }
}

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

fs::path RecipeShelf::file_of(const std::string& name) const {
  const auto store = parts_.look();
  const Recipe* found = store->find(name);
  if (!found) throw Error(scpi::file_name_not_found, fmt::format("no recipe '{}'", name.substr(0, 64)));
  return found->file;
}

/// The recipe's file, or a new one that takes nobody's place. -254 it would be beyond the quota.
fs::path RecipeShelf::file_for(const std::string& name, std::size_t bytes) const {
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

std::string RecipeShelf::read(const std::string& name) const {
  const fs::path file = file_of(name);
  std::ifstream in(file, std::ios::binary);
  std::ostringstream text;
  text << in.rdbuf();
  if (!in) throw Error(scpi::mass_storage_error, file.string() + " can't be read");
  return text.str();
}

void RecipeShelf::write(const std::string& name, const std::string& text, const std::string& sha256) {
  check_name(name);
  check_text(name, text, sha256, parts_.parser);
  if (parts_.is_chosen(name) && !parts_.is_idle())
    throw Error(scpi::settings_conflict, "it is chosen and the cell is armed; ABORt disarms it");
  const fs::path file = file_for(name, text.size());
  try {
    write_file_durably(file, text);
  } catch (const std::system_error& error) {
    refuse(error);
  }
  parts_.log(5, fmt::format("a host stored recipe {}, sha256 {}, in {}", name, config::sha256_hex(text),
                            file.string()));
  parts_.changed(name);
}

void RecipeShelf::remove(const std::string& name) {
  if (parts_.is_chosen(name)) throw Error(scpi::settings_conflict, "it is chosen; choose another one first");
  const fs::path file = file_of(name);
  try {
    remove_file_durably(file);
  } catch (const std::system_error& error) {
    refuse(error);
  }
  parts_.log(5, fmt::format("a host removed recipe {}, {}", name, file.string()));
  parts_.changed(name);
}

}  // namespace datum
