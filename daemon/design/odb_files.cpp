#include "daemon/design/odb_files.h"

#include <archive.h>
#include <archive_entry.h>
#include <fmt/format.h>

#include <algorithm>
#include <fstream>
#include <memory>
#include <sstream>
#include <vector>

#include "daemon/design/design.h"
#include "daemon/design/text_decoding.h"

namespace datum::design {
namespace {

namespace fs = std::filesystem;
using Archive = std::unique_ptr<::archive, int (*)(::archive*)>;

bool ends(const std::string& text, std::string_view end) { return text.ends_with(end); }

/// The path below the job's root, where a design needs the file; else empty.
std::string wanted(std::string path) {
  path = lower_case(std::move(path));
  if (ends(path, ".z")) path.resize(path.size() - 2);
  for (const char* folder : {"misc/info", "matrix/matrix", "steps/"})
    if (const auto at = path.find(folder); at == 0 || (at != std::string::npos && path[at - 1] == '/')) {
      path.erase(0, at);
      for (const char* name :
           {"misc/info", "matrix/matrix", "/eda/data", "/profile", "/stephdr", "/components", "/features"})
        if (ends(path, name)) return path;
      return {};
    }
  return {};
}

/// Bytes that are read so far, against the limits.
class Budget {
 public:
  Budget(std::string name, const OdbLimits& limits) : name_(std::move(name)), limits_(limits) {}
  [[noreturn]] void refuse(const std::string& what) const { throw DesignError(name_ + ": " + what); }
  void file() {
    if (++files_ > limits_.files) refuse(fmt::format("more than {} files", limits_.files));
  }
  void bytes(std::size_t n, std::size_t packed) {
    bytes_ += n;
    if (bytes_ > limits_.bytes) refuse(fmt::format("unpacks to more than {} bytes", limits_.bytes));
    if (bytes_ > (std::size_t{1} << 20) && packed > 0 && bytes_ / packed > limits_.ratio)
      refuse(fmt::format("unpacks to more than {} times its size", limits_.ratio));
  }

 private:
  std::string name_;
  const OdbLimits& limits_;
  std::size_t files_ = 0, bytes_ = 0;
};

std::string read_entry(::archive* reader, Budget& budget, std::size_t packed) {
  std::string text;
  std::vector<char> buffer(64 << 10);
  for (;;) {
    const la_ssize_t n = ::archive_read_data(reader, buffer.data(), buffer.size());
    if (n == 0) return text;
    if (n < 0)
      budget.refuse(fmt::format("is damaged: {}", ::archive_error_string(reader)
                                                      ? ::archive_error_string(reader)
                                                      : "no reason is told"));
    budget.bytes(static_cast<std::size_t>(n), packed);
    text.append(buffer.data(), static_cast<std::size_t>(n));
  }
}

/// A single file that compress(1) packed.
std::string uncompressed(const std::string& bytes, Budget& budget) {
  if (!bytes.starts_with("\x1f\x9d")) return bytes;
  const Archive reader(::archive_read_new(), ::archive_read_free);
  ::archive_read_support_filter_compress(reader.get());
  ::archive_read_support_format_raw(reader.get());
  ::archive_entry* entry = nullptr;
  if (::archive_read_open_memory(reader.get(), bytes.data(), bytes.size()) != ARCHIVE_OK ||
      ::archive_read_next_header(reader.get(), &entry) != ARCHIVE_OK)
    budget.refuse("a file ending in .Z is damaged");
  return read_entry(reader.get(), budget, bytes.size());
}

void demand_inside(const ::archive_entry* entry, const std::string& path, const Budget& budget) {
  auto* e = const_cast<::archive_entry*>(entry);
  if (path.empty() || path[0] == '/' || path.find('\\') != path.npos)
    budget.refuse(fmt::format("the entry '{:.60}' leaves the archive", path));
  std::stringstream parts(path);
  for (std::string part; std::getline(parts, part, '/');)
    if (part == "..") budget.refuse(fmt::format("the entry '{:.60}' leaves the archive", path));
  const auto type = ::archive_entry_filetype(e);
  if (::archive_entry_hardlink(e) || (type != AE_IFREG && type != AE_IFDIR))
    budget.refuse(
        fmt::format("the entry '{:.60}' is a link or a device; files and folders are allowed", path));
}

OdbFiles from_archive(std::string_view bytes, const std::string& name, const OdbLimits& limits) {
  Budget budget(name, limits);
  const Archive reader(::archive_read_new(), ::archive_read_free);
  ::archive_read_support_filter_gzip(reader.get());
  ::archive_read_support_filter_compress(reader.get());
  ::archive_read_support_format_tar(reader.get());
  ::archive_read_support_format_zip(reader.get());
  if (::archive_read_open_memory(reader.get(), bytes.data(), bytes.size()) != ARCHIVE_OK)
    budget.refuse("is no .tgz, .tar or .zip");
  OdbFiles files;
  for (;;) {
    ::archive_entry* entry = nullptr;
    const int status = ::archive_read_next_header(reader.get(), &entry);
    if (status == ARCHIVE_EOF) break;
    if (status != ARCHIVE_OK)
      budget.refuse(fmt::format("is damaged, or no archive: {}", ::archive_error_string(reader.get())
                                                                     ? ::archive_error_string(reader.get())
                                                                     : ""));
    budget.file();
    const char* path = ::archive_entry_pathname(entry);
    if (!path) budget.refuse("an entry has no name that can be read");
    demand_inside(entry, path, budget);
    if (::archive_entry_filetype(entry) != AE_IFREG) continue;
    std::string key = wanted(path);
    if (key.empty()) {  // its bytes count against the limits all the same
      read_entry(reader.get(), budget, bytes.size());
      continue;
    }
    files[std::move(key)] = uncompressed(read_entry(reader.get(), budget, bytes.size()), budget);
  }
  return files;
}

OdbFiles from_folder(const fs::path& folder, const OdbLimits& limits) {
  Budget budget(folder.string(), limits);
  OdbFiles files;
  std::error_code fault;
  for (fs::recursive_directory_iterator at(folder, fault), end; !fault && at != end; at.increment(fault)) {
    budget.file();
    if (at.depth() > 16) budget.refuse("folders are nested deeper than 16");
    if (at->is_symlink())
      budget.refuse(
          fmt::format("'{}' is a link; files and folders are allowed", at->path().filename().string()));
    if (!at->is_regular_file()) continue;
    std::string key = wanted(at->path().lexically_relative(folder).generic_string());
    if (key.empty()) continue;
    budget.bytes(static_cast<std::size_t>(at->file_size()), 0);
    std::stringstream text;
    text << std::ifstream(at->path(), std::ios::binary).rdbuf();
    files[std::move(key)] = uncompressed(text.str(), budget);
  }
  if (fault) budget.refuse(fault.message());
  return files;
}

OdbFiles demand_job(OdbFiles files, const std::string& name) {
  if (!files.contains("matrix/matrix"))
    throw DesignError(name + ": is no ODB++ job: it has no matrix/matrix");
  return files;
}

}  // namespace

OdbFiles odb_files_from_bytes(std::string_view bytes, const std::string& name, const OdbLimits& limits) {
  return demand_job(from_archive(bytes, name, limits), name);
}

OdbFiles load_odb_files(const fs::path& path, const OdbLimits& limits) {
  if (fs::is_directory(path)) return demand_job(from_folder(path, limits), path.string());
  if (fs::file_size(path) > limits.bytes)
    throw DesignError(fmt::format("{}: more than {} bytes", path.string(), limits.bytes));
  std::stringstream text;
  text << std::ifstream(path, std::ios::binary).rdbuf();
  return odb_files_from_bytes(text.str(), path.string(), limits);
}

}  // namespace datum::design
