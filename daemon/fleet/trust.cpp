// Whose bundles a cell takes.
#include <fmt/format.h>

#include <algorithm>

#include "daemon/fleet/bundle.h"

namespace datum {
namespace {

namespace fs = std::filesystem;

void demand_own(const fs::path& path) {
  const fs::perms of_others = fs::perms::others_write | fs::perms::group_write;
  std::error_code why;
  const fs::file_status is = fs::status(path, why);
  if (why) throw BundleError(fmt::format("{}: can't be looked at: {}", path.string(), why.message()));
  if ((is.permissions() & of_others) != fs::perms::none)
    throw BundleError(fmt::format(
        "{}: its mode is {:04o}: other accounts may add trusted keys; allowed: the owner alone may write "
        "(chmod go-w)",
        path.string(), static_cast<unsigned>(is.permissions())));
}

}  // namespace

std::vector<std::string> trusted_keys(const fs::path& folder) {
  std::vector<std::string> keys;
  try {
    demand_own(folder);
    for (const auto& entry : fs::directory_iterator(folder)) {
      const fs::path file = entry.path();
      if (file.extension() != ".pem" && file.extension() != ".pub") continue;
      demand_own(file);
      keys.push_back(public_key_of(file));
    }
  } catch (const KeyError& error) {
    throw BundleError(fmt::format("a trusted key can't be read: {}", error.what()));
  } catch (const fs::filesystem_error& error) {
    throw BundleError(fmt::format("{}: the folder of trusted keys can't be read ({})", folder.string(),
                                  error.code().message()));
  }
  if (keys.empty())
    throw BundleError(
        fmt::format("{}: holds no trusted key; allowed: Ed25519 public keys in PEM, in files *.pem or *.pub",
                    folder.string()));
  return keys;
}

void demand_trusted(const Bundle& b, const std::vector<std::string>& trusted) {
  if (std::find(trusted.begin(), trusted.end(), b.key) == trusted.end())
    throw BundleError(fmt::format("{} is signed by the key {}, which this cell does not trust; allowed: {}",
                                  name_of(b), b.key, fmt::join(trusted, ", ")));
  if (!is_good(b))
    throw BundleError(
        fmt::format("{}: the signature is not that of key {} for this manifest; it was changed "
                    "after it was signed",
                    name_of(b), b.key));
}

void demand_for(const Bundle& b, const std::string& cell) {
  const auto named = [&](const std::string& name) { return name == "*" || name == cell; };
  if (std::any_of(b.cells.begin(), b.cells.end(), named)) return;
  throw BundleError(
      fmt::format("{} is for {}; this cell is '{}'", name_of(b), fmt::join(b.cells, ", "), cell));
}

}  // namespace datum
