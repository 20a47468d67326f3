#include "daemon/store/retention/file_sweep.h"

#include <sys/stat.h>

#include <algorithm>
#include <array>
#include <string_view>
#include <system_error>

namespace datum {
namespace {

namespace fs = std::filesystem;

constexpr std::int64_t day_s = 86'400;

/// Status of the directory entry itself, without following symbolic links.
bool examine(const fs::path& path, struct stat& info) { return ::lstat(path.c_str(), &info) == 0; }

std::uint64_t bytes_of(const struct stat& info) { return static_cast<std::uint64_t>(info.st_blocks) * 512; }

template <class Take>
void each_in(const fs::path& folder, Take take) {
  std::error_code error;
  for (fs::directory_iterator entry(folder, error), end; !error && entry != end; entry.increment(error))
    take(entry->path());
}

bool begins_a_delivery(const fs::path& file) {
  const std::string kind = file.extension().string();
  return kind == ".json" || kind == ".ptr" || kind == ".csv" || kind == ".gdp";
}

/// False: it contains an entry that no delivery has.
bool add_delivery(const fs::path& folder, KeptFile& kept) {
  bool good = true, has_trigger = false;
  each_in(folder, [&](const fs::path& file) {
    struct stat info {};
    if (!examine(file, info) || S_ISDIR(info.st_mode)) {
      good = false;
      return;
    }
    has_trigger |= S_ISREG(info.st_mode) && begins_a_delivery(file);
    kept.bytes += bytes_of(info);
  });
  return good && has_trigger;
}

/// Removes one of the words from the beginning. False: the text begins with none.
template <std::size_t N>
bool remove_one_of(std::string_view& text, const std::array<std::string_view, N>& words) {
  const auto word = std::find_if(words.begin(), words.end(), [&](auto w) { return text.starts_with(w); });
  if (word == words.end()) return false;
  text.remove_prefix(word->size());
  return true;
}

/// NUMBER_VERDICT[-KIND].png, .ply or .csv, as datumd names the files of a result; with ".part" while one is written.
bool is_a_picture(std::string_view name) {
  constexpr std::array<std::string_view, 4> verdicts{"_PASS", "_FAIL", "_INCONCLUSIVE", "_INVALID"};
  constexpr std::array<std::string_view, 6> kinds{"-deviation",  "-warp",      "_points",
                                                  "_statistics", "_histogram", "_facets"};
  constexpr std::array<std::string_view, 3> types{".png", ".ply", ".csv"};
  const std::size_t digits = std::min(name.find_first_not_of("0123456789"), name.size());
  name.remove_prefix(digits);
  if (digits < 8 || digits > 20 || !remove_one_of(name, verdicts)) return false;
  remove_one_of(name, kinds);
  return remove_one_of(name, types) && (name.empty() || name == ".part");
}

bool older(const KeptFile& a, const KeptFile& b) {
  return a.changed_s != b.changed_s ? a.changed_s < b.changed_s : a.path < b.path;
}

}  // namespace

std::vector<KeptFile> deliveries_in(const fs::path& folder) {
  std::vector<KeptFile> found;
  struct stat info {};
  if (!examine(folder, info) || !S_ISDIR(info.st_mode)) return found;
  each_in(folder, [&](const fs::path& path) {
    if (!examine(path, info) || !S_ISDIR(info.st_mode)) return;
    KeptFile kept{path, info.st_mtim.tv_sec, bytes_of(info)};
    if (add_delivery(path, kept)) found.push_back(std::move(kept));
  });
  return found;
}

std::vector<KeptFile> pictures_in(const fs::path& folder) {
  std::vector<KeptFile> found;
  each_in(folder, [&](const fs::path& path) {
    struct stat info {};
    if (!is_a_picture(path.filename().string()) || !examine(path, info) || !S_ISREG(info.st_mode)) return;
    found.push_back({path, info.st_mtim.tv_sec, bytes_of(info)});
  });
  return found;
}

std::vector<KeptFile> beyond(std::vector<KeptFile> files, const KeepLimit& limit, std::int64_t now_s) {
  std::sort(files.begin(), files.end(), older);
  std::uint64_t all = 0;
  for (const KeptFile& file : files) all += file.bytes;
  std::size_t gone = 0;
  for (; gone < files.size(); ++gone) {
    const bool too_old = limit.days && files[gone].changed_s < now_s - *limit.days * day_s;
    const bool too_much = limit.bytes && all > *limit.bytes;
    if (!too_old && !too_much) break;
    all -= files[gone].bytes;
  }
  files.resize(gone);
  return files;
}

void remove_kept(const KeptFile& file) {
  std::error_code error;
  fs::remove_all(file.path, error);  // removes symbolic links without following them
  if (error) throw std::system_error(error, file.path.string() + ": can't be removed");
}

}  // namespace datum
