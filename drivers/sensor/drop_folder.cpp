#include "drivers/sensor/drop_folder.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <charconv>
#include <cstring>
#include <system_error>

#include "drivers/frame/frame_error.h"
#include "drivers/link_error.h"
#include "drivers/sensor/descriptor.h"
#include "drivers/sensor/sidecar.h"
#include "drivers/sensor/sidecar_table.h"

namespace datum {
namespace {

namespace fs = std::filesystem;

constexpr std::size_t longest_name = 255;  // of any file system that Linux mounts

/// Opens the folder itself and not a symbolic link in its place. Throws LostError.
Descriptor open_folder(const fs::path& folder) {
  Descriptor opened(::open(folder.c_str(), O_PATH | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC));
  if (opened.get() < 0)
    throw LostError(fmt::format("{} can't be used: {}", folder.string(),
                                errno == ENOTDIR ? "is a link or a file; remove it" : std::strerror(errno)));
  return opened;
}

/// The same; it is made anew where somebody removed it.
Descriptor open_inner(const fs::path& folder) {
  ::mkdir(folder.c_str(), 0777);  // if it does not exist; errors are reported below
  return open_folder(folder);
}

/// Writes a separate file beside the delivery; an existing file or symbolic link is left unchanged.
void write_beside(const Descriptor& slot, const std::string& file, const std::string& kind,
                  const std::string& text) {
  for (int copy = 1; copy < 10; ++copy) {
    const std::string ending = (copy > 1 ? fmt::format("~{}", copy) : "") + kind;
    const std::string name = file.substr(0, longest_name - ending.size()) + ending;
    const Descriptor out(
        ::openat(slot.get(), name.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0666));
    if (out.get() < 0 && errno == EEXIST) continue;
    // a full disk must not prevent the move of the delivery
    if (out.get() >= 0) static_cast<void>(::write(out.get(), text.data(), text.size()) + 1);
    return;
  }
}

void prepare_folder(const fs::path& folder, const fs::path& parent) {
  const auto refuse = [&](const std::string& why) {
    throw RefusedError(
        fmt::format("file drop {}: {}; name a folder that datumd may read and write", folder.string(), why));
  };
  std::error_code error;
  fs::create_directories(folder, error);
  if (error) refuse("can't be made: " + error.message());
  struct stat own {
  }, above{};
  if (::stat(folder.c_str(), &own) != 0 || ::stat(parent.c_str(), &above) != 0) {
    refuse(fmt::format("can't be examined: {}", std::strerror(errno)));
  }
  if (!S_ISDIR(own.st_mode)) refuse("is not a folder");
  if (folder != parent && fs::is_symlink(fs::symlink_status(folder, error)))
    refuse("is a link; deliveries would leave the drop folder");
  if (::access(folder.c_str(), R_OK | W_OK | X_OK) != 0)
    refuse(fmt::format("can't be used: {}", std::strerror(errno)));
  if (own.st_dev != above.st_dev) refuse("is on another file system than " + parent.string());
}

const char* name_of(DropFolder::End end) {
  if (end == DropFolder::End::failed) return "failed";
  return end == DropFolder::End::done ? "done" : "discard";
}

bool is_regular(const fs::path& path) {
  std::error_code ignored;
  return fs::symlink_status(path, ignored).type() == fs::file_type::regular;
}

/// Repeats until `take` returns false.
template <class Take>
void for_each_in(const fs::path& folder, Take&& take) {
  std::error_code error;
  for (fs::directory_iterator entry(folder, error), end; !error && entry != end; entry.increment(error))
    if (!take(entry->path())) return;
  if (error) throw LostError(fmt::format("{} can't be listed: {}", folder.string(), error.message()));
}

std::vector<fs::path> list(const fs::path& folder) {
  std::vector<fs::path> paths;
  for_each_in(folder, [&](const fs::path& path) {
    paths.push_back(path);
    return true;
  });
  std::sort(paths.begin(), paths.end());
  return paths;
}

// False: the file does not exist (any more).
bool move(const fs::path& from, const fs::path& to) {
  if (::rename(from.c_str(), to.c_str()) == 0) return true;
  if (errno == ENOENT) return false;
  throw LostError(
      fmt::format("{} can't be moved to {}: {}", from.string(), to.string(), std::strerror(errno)));
}

std::uint64_t number_of(const fs::path& folder) {
  const std::string name = folder.filename().string();
  std::uint64_t number = 0;
  const auto [end, error] = std::from_chars(name.data(), name.data() + name.size(), number);
  return error == std::errc{} && end == name.data() + name.size() ? number : 0;
}

std::optional<std::vector<std::string>> heights_named_in(const fs::path& sidecar) {
  try {
    const FrameSidecar s = parse_sidecar(read_bytes(sidecar, max_sidecar_bytes), sidecar.filename().string());
    std::vector<std::string> names{s.height_file};
    if (s.intensity_file) names.push_back(*s.intensity_file);
    if (s.header_file) names.push_back(*s.header_file);
    return names;
  } catch (const FrameError&) {  // read_frame refuses it with the reason
    return std::nullopt;
  }
}

std::vector<std::string> images_of_stem(const std::string& stem) {
  std::vector<std::string> names;
  for (const char* part : {"", "_z", "_i"}) {
    for (const char* type : {".tif", ".tiff", ".png", ".pcd", ".ply", ".x3p", ".img", ".raw", ".dat", ".hdr"})
      names.push_back(stem + part + type);
  }
  return names;
}

}  // namespace

void DropFolder::prepare() const {
  prepare_folder(folder_, folder_);
  for (const char* inner : {"work", "done", "failed"}) prepare_folder(folder_ / inner, folder_);
}

bool DropFolder::is_trigger(const std::string& name) {
  return !name.empty() && name.front() != '.' &&
         (name.ends_with(".json") || name.ends_with(".ptr") || name.ends_with(".csv"));
}

std::vector<std::string> DropFolder::triggers(std::size_t most) const {
  std::vector<std::string> names;
  for_each_in(folder_, [&](const fs::path& path) {
    if (is_trigger(path.filename().string()) && is_regular(path)) names.push_back(path.filename().string());
    return names.size() < most;
  });
  std::sort(names.begin(), names.end());
  return names;
}

std::vector<std::string> DropFolder::images(std::size_t most) const {
  std::vector<std::string> names;
  for_each_in(folder_, [&](const fs::path& path) {
    const std::string name = path.filename().string();
    const bool is_image =
        name.front() != '.' && !is_trigger(name) && !name.ends_with(".gdp") && height_format_of(name);
    if (is_image && is_regular(path)) names.push_back(name);
    return names.size() < most;
  });
  std::sort(names.begin(), names.end());
  return names;
}

bool DropFolder::is_announced(const std::string& image) const {
  const auto names_it = [&](const std::string& sidecar) {
    const auto names = is_regular(folder_ / sidecar) ? images_named_in(folder_ / sidecar) : std::nullopt;
    return names && std::find(names->begin(), names->end(), image) != names->end();
  };
  const std::string stem = fs::path(image).stem().string();
  for (const char* part : {"", "_z", "_i"})
    if (stem.ends_with(part) && names_it(stem.substr(0, stem.size() - std::strlen(part)) + ".json"))
      return true;
  constexpr std::size_t most_read = 100;  // sidecars of other names are rare
  const std::vector<std::string> sidecars = triggers(most_read);
  return std::any_of(sidecars.begin(), sidecars.end(),
                     [&](const std::string& name) { return name.ends_with(".json") && names_it(name); });
}

bool DropFolder::has_images(const std::string& trigger) const {
  if (!trigger.ends_with(".json") || !is_trigger(trigger)) return true;
  const auto names = images_named_in(folder_ / trigger);
  return !names || std::all_of(names->begin(), names->end(),
                               [&](const std::string& name) { return is_regular(folder_ / name); });
}

std::optional<std::vector<std::string>> DropFolder::images_named_in(const fs::path& sidecar) const {
  if (reader_) return reader_->files_of(sidecar.filename().string());
  return heights_named_in(sidecar);
}

void DropFolder::pull_images(const fs::path& sidecar) const {
  for (const std::string& name : images_named_in(sidecar).value_or(images_of_stem(sidecar.stem().string()))) {
    if (is_regular(folder_ / name)) move(folder_ / name, sidecar.parent_path() / name);
  }
}

std::optional<ClaimedFrame> DropFolder::claim(const std::string& name,
                                              const std::optional<ClaimRecord>& record) {
  const Descriptor work = open_inner(folder_ / "work");
  ClaimedFrame claim;
  fs::path slot;
  for (;;) {
    claim.token = ++last_token_;
    slot = folder_ / "work" / std::to_string(claim.token);
    if (::mkdirat(work.get(), slot.filename().c_str(), 0777) == 0) break;
    if (errno != EEXIST)
      throw LostError(fmt::format("{} can't be made: {}", slot.string(), std::strerror(errno)));
  }
  claim.entry = slot / name;
  if (record) write_claim_record(slot, *record);  // without it, on a full disk, a crash makes it INVALID
  // The trigger first: this rename is the claim. Its images follow; after a crash in between left_over()
  // moves them.
  if (!move(folder_ / name, claim.entry)) {
    remove_claim_record(slot);
    ::rmdir(slot.c_str());
    return std::nullopt;
  }
  if (claim.entry.extension() == ".json") pull_images(claim.entry);
  return claim;
}

std::vector<ClaimedFrame> DropFolder::left_over() {
  std::vector<ClaimedFrame> claims;
  for (const fs::path& slot : list(folder_ / "work")) {
    const std::uint64_t token = number_of(slot);
    if (token == 0) continue;
    last_token_ = std::max(last_token_, token);
    const std::vector<fs::path> files = list(slot);
    if (files.empty() || (files.size() == 1 && files[0].filename() == ".claim")) {  // crash before its rename
      remove_claim_record(slot);
      ::rmdir(slot.c_str());
      continue;
    }
    for (const fs::path& file : files) {
      if (!is_trigger(file.filename().string()) && file.extension() != ".gdp") continue;
      if (file.extension() == ".json") pull_images(file);
      ClaimedFrame& claim = claims.emplace_back();
      claim.token = token;
      claim.entry = file;
      claim.left_over = true;
      claim.record = claim_record_in(slot);
      break;
    }
  }
  std::sort(claims.begin(), claims.end(), [](const auto& a, const auto& b) { return a.token < b.token; });
  return claims;
}

void DropFolder::finish(const ClaimedFrame& claim, End end, const std::string& text) const {
  const fs::path slot = claim.entry.parent_path();
  const fs::path folder = folder_ / name_of(end);
  const Descriptor work = open_folder(slot.parent_path()), target = open_inner(folder);
  const std::string slot_name = slot.filename().string();
  remove_claim_record(slot);
  if (!text.empty())
    write_beside(open_folder(slot), claim.name(), end == End::failed ? ".reason.txt" : ".note.txt",
                 text + "\n");
  for (int copy = 1;; ++copy) {
    const std::string ending = copy > 1 ? fmt::format("~{}", copy) : "";
    const std::string to = claim.stem().substr(0, longest_name - ending.size()) + ending;
    if (::renameat(work.get(), slot_name.c_str(), target.get(), to.c_str()) == 0) return;
    // an earlier delivery of this name exists
    if (errno == ENOTEMPTY || errno == EEXIST || errno == ENOTDIR) continue;
    throw LostError(fmt::format("{} can't be moved to {}: {}", slot.string(), (folder / to).string(),
                                std::strerror(errno)));
  }
}

}  // namespace datum
