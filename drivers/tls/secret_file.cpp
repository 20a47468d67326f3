#include "drivers/tls/secret_file.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstdlib>
#include <cstring>

#include "drivers/link_error.h"

namespace datum {
namespace {

constexpr off_t most_bytes = 16 << 20;  // a revocation list may be long
constexpr const char* credential_mark = "%d/";

[[noreturn]] void refuse_file(const std::filesystem::path& file, const std::string& why) {
  throw RefusedError(fmt::format("{}: {}", file.string(), why));
}

class File {
 public:
  explicit File(const std::filesystem::path& path)
      : path_(path),
        fd_(::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK)) {  // does not block on a FIFO
    if (fd_ < 0 || fstat(fd_, &status_) != 0) refuse_file(path, std::strerror(errno));
    if (!S_ISREG(status_.st_mode)) refuse_file(path, "is no regular file");
    if (status_.st_size > most_bytes) refuse_file(path, "is longer than 16 MiB");
  }
  ~File() { ::close(fd_); }
  File(const File&) = delete;
  File& operator=(const File&) = delete;

  const struct stat& status() const { return status_; }
  std::string text() const {
    std::string bytes(static_cast<std::size_t>(status_.st_size), '\0');
    std::size_t have = 0;
    while (have < bytes.size()) {
      const ssize_t n = ::read(fd_, bytes.data() + have, bytes.size() - have);
      if (n < 0) refuse_file(path_, std::strerror(errno));
      if (n == 0) break;
      have += static_cast<std::size_t>(n);
    }
    bytes.resize(have);
    return bytes;
  }

 private:
  const std::filesystem::path& path_;
  int fd_;
  struct stat status_ {};
};

bool is_credential(const std::filesystem::path& file) {
  const char* folder = std::getenv("CREDENTIALS_DIRECTORY");
  return folder && file.parent_path() == std::filesystem::path(folder);
}

}  // namespace

std::optional<std::filesystem::path> credential_path(const std::filesystem::path& path) {
  const std::string text = path.string();
  if (text.rfind(credential_mark, 0) != 0) return path;
  const char* folder = std::getenv("CREDENTIALS_DIRECTORY");
  if (!folder || !*folder) return std::nullopt;
  return std::filesystem::path(folder) / text.substr(std::strlen(credential_mark));
}

std::string file_text(const std::filesystem::path& file) { return File(file).text(); }

std::string secret_text(const std::filesystem::path& file, const char* kind) {
  const File opened(file);
  const uid_t owner = opened.status().st_uid, me = geteuid();
  const bool own = owner == me || owner == 0 || me == 0;  // root inspects a service's file
  if (!is_credential(file) && (!own || (opened.status().st_mode & (S_IRWXG | S_IRWXO)) != 0))
    refuse_file(
        file,
        fmt::format(
            "this {} is open to others (owner {}, mode {:04o}); chown it to who uses it and chmod 600, or "
            "hand it over by LoadCredential=",
            kind, owner, opened.status().st_mode & 07777u));
  return opened.text();
}

std::filesystem::path credential(const std::filesystem::path& file) {
  if (const auto path = credential_path(file)) return *path;
  throw RefusedError(fmt::format(
      "{}: there is no $CREDENTIALS_DIRECTORY; the unit needs LoadCredential=NAME:FILE", file.string()));
}

std::string password_in(const std::filesystem::path& file) {
  const std::string text = secret_text(credential(file), "password");
  const std::string line = text.substr(0, text.find_first_of("\r\n"));
  if (line.empty()) throw RefusedError(file.string() + ": its first line is empty; it is the password");
  return line;
}

}  // namespace datum
