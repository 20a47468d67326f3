#include "daemon/ctl/support_bundle.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>
#include <zip.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <fstream>
#include <memory>
#include <sstream>
#include <stdexcept>

namespace datum {
namespace {

namespace fs = std::filesystem;

std::string slurp(const fs::path& file) {
  std::ifstream in(file, std::ios::binary);
  if (!in) throw std::runtime_error(fmt::format("{}: {}", file.string(), std::strerror(errno)));
  std::stringstream text;
  text << in.rdbuf();
  return text.str();
}

std::string also(const std::string& before, const std::string& why) {
  return before.empty() ? why : before + "; " + why;
}

}  // namespace

void SupportBundle::add(const std::string& name, const std::string& text, const std::string& left_out,
                        Keep keep) {
  SupportEntry entry{name, redaction_.clean(text), left_out};
  const std::size_t room = std::min(most_entry_bytes, most_bytes - std::min(bytes_, most_bytes));
  if (entry.text.size() > room) {
    entry.left_out = also(left_out, fmt::format("{} bytes, of which the {} {} are here", entry.text.size(),
                                                keep == Keep::end ? "last" : "first", room));
    entry.text = keep == Keep::end ? entry.text.substr(entry.text.size() - room) : entry.text.substr(0, room);
  }
  bytes_ += entry.text.size();
  entries_.push_back(std::move(entry));
}

void SupportBundle::try_add(const std::string& name, const std::function<std::string()>& make) {
  try {
    add(name, make());
  } catch (const std::exception& error) {
    add(name, "", error.what());
  }
}

void SupportBundle::add_file(const std::string& name, const fs::path& file) {
  std::error_code error;
  if (!fs::is_regular_file(file, error))
    return add(name, "", error ? error.message() : file.string() + " is not a file");
  const auto size = fs::file_size(file, error);
  if (!error && size > most_entry_bytes) return add(name, "", fmt::format("{} bytes are too many", size));
  try_add(name, [&] { return slurp(file); });
}

std::vector<SupportEntry> SupportBundle::entries(const std::string& made_by) const {
  std::vector<SupportEntry> sorted = entries_;
  std::sort(sorted.begin(), sorted.end(), [](const auto& a, const auto& b) { return a.name < b.name; });
  std::string text = "Support bundle of datumd, made by " + made_by + "\n\nReplaced, the same by the same:\n";
  for (const auto& [kind, count] : redaction_.counts())
    text += fmt::format("  {:<10} {} times\n", kind, count);
  if (redaction_.counts().empty()) text += "  nothing\n";
  text += "\nNever in it: frames, pictures, models of parts, other files than these.\n\n";
  for (const SupportEntry& e : sorted)
    text += fmt::format("{:>9}  {}{}\n", e.text.size(), e.name,
                        e.left_out.empty() ? "" : "\n           left out: " + e.left_out);
  sorted.insert(sorted.begin(), {"MANIFEST.txt", Redaction(redaction_).clean(text), ""});
  return sorted;
}

void write_zip(const fs::path& file, const std::vector<SupportEntry>& entries, std::int64_t utc_s) {
  // Created anew, so that no other account can read it or redirect it by a symbolic link.
  const std::string made = file.string() + ".part";
  ::unlink(made.c_str());
  const int fd = ::open(made.c_str(), O_CREAT | O_EXCL | O_WRONLY | O_CLOEXEC, 0600);
  if (fd < 0) throw std::runtime_error(fmt::format("{}: {}", made, std::strerror(errno)));
  ::close(fd);
  int code = 0;
  std::unique_ptr<zip_t, void (*)(zip_t*)> archive(zip_open(made.c_str(), ZIP_TRUNCATE, &code),
                                                   [](zip_t* z) { zip_discard(z); });
  const auto demand = [&](bool good, const std::string& what) {
    if (good) return;
    const std::string why = archive ? zip_strerror(archive.get()) : "can't be made";
    ::unlink(made.c_str());
    throw std::runtime_error(fmt::format("{}: {}: {}", file.string(), what, why));
  };
  demand(archive != nullptr, "the archive");
  for (const SupportEntry& entry : entries) {
    zip_source_t* source = zip_source_buffer(archive.get(), entry.text.data(), entry.text.size(), 0);
    demand(source != nullptr, entry.name);
    const zip_int64_t at = zip_file_add(archive.get(), entry.name.c_str(), source, ZIP_FL_ENC_UTF_8);
    if (at < 0) zip_source_free(source);
    demand(at >= 0 && zip_file_set_mtime(archive.get(), static_cast<zip_uint64_t>(at), utc_s, 0) == 0,
           entry.name);
  }
  demand(zip_close(archive.get()) == 0, "writing");
  static_cast<void>(archive.release());  // closed and released by zip_close
  ::chmod(made.c_str(), 0600);           // libzip replaces the file by a new one
  std::error_code error;
  fs::rename(made, file, error);
  if (error) throw std::runtime_error(fmt::format("{}: {}", file.string(), error.message()));
}

}  // namespace datum
