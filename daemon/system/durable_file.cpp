#include "daemon/system/durable_file.h"

#include <fcntl.h>
#include <unistd.h>

#include <cerrno>
#include <system_error>

namespace datum {
namespace {

namespace fs = std::filesystem;

[[noreturn]] void fail(const fs::path& file, const char* what) {
  throw std::system_error(errno, std::generic_category(), file.string() + ": " + what);
}

class Descriptor {
 public:
  Descriptor(const fs::path& path, int flags)
      : path_(path), fd_(::open(path.c_str(), flags | O_CLOEXEC, 0644)) {
    if (fd_ < 0) fail(path_, "cannot be opened");
  }
  ~Descriptor() { ::close(fd_); }
  Descriptor(const Descriptor&) = delete;
  Descriptor& operator=(const Descriptor&) = delete;

  void write(const std::string& text) const {
    for (std::size_t done = 0; done < text.size();) {
      const ssize_t n = ::write(fd_, text.data() + done, text.size() - done);
      if (n < 0 && errno == EINTR) continue;
      if (n < 0) fail(path_, "cannot be written");
      done += static_cast<std::size_t>(n);
    }
  }
  void sync() const {
    if (::fsync(fd_) != 0) fail(path_, "cannot be brought to the disk");
  }

 private:
  fs::path path_;
  int fd_;
};

}  // namespace

void sync_name_of(const fs::path& file) {
  Descriptor(file.has_parent_path() ? file.parent_path() : fs::path("."), O_RDONLY | O_DIRECTORY).sync();
}

fs::path write_part_durably(const fs::path& file, const std::string& text) {
  fs::path part = file.parent_path() / ("." + file.filename().string() + ".part");
  try {
    // A leftover of a dead writer, or a symbolic link to another file.
    ::unlink(part.c_str());
    const Descriptor to(part, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW);
    to.write(text);
    to.sync();
  } catch (...) {
    ::unlink(part.c_str());
    throw;
  }
  return part;
}

void put_in_place(const fs::path& part, const fs::path& file) {
  if (::rename(part.c_str(), file.c_str()) != 0) fail(file, "cannot be renamed to");
}

void write_file_durably(const fs::path& file, const std::string& text) {
  put_in_place(write_part_durably(file, text), file);
  sync_name_of(file);
}

void remove_file_durably(const fs::path& file) {
  if (::unlink(file.c_str()) != 0) fail(file, "cannot be removed");
  sync_name_of(file);
}

}  // namespace datum
