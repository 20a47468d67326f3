#include "daemon/system/durable_file.h"

#include <fcntl.h>
#include <sys/file.h>
#include <unistd.h>

#include <cerrno>
#include <system_error>

namespace datum {
namespace {

namespace fs = std::filesystem;

[[noreturn]] void fail(const fs::path& file, const char* what) {
  throw std::system_error(errno, std::generic_category(), file.string() + ": " + what);
}

void write_all(int fd, const fs::path& path, const std::string& text) {
  for (std::size_t done = 0; done < text.size();) {
    const ssize_t n = ::write(fd, text.data() + done, text.size() - done);
    if (n < 0 && errno == EINTR) continue;
    if (n < 0) fail(path, "cannot be written");
    done += static_cast<std::size_t>(n);
  }
}

void sync(int fd, const fs::path& path) {
  if (::fsync(fd) != 0) fail(path, "cannot be brought to the disk");
}

int opened(const fs::path& path, int flags) {
  const int fd = ::open(path.c_str(), flags | O_CLOEXEC, 0644);
  if (fd < 0) fail(path, "cannot be opened");
  return fd;
}

/// Closes it.
struct Descriptor {
  Descriptor(const fs::path& path, int flags) : fd(opened(path, flags)) {}
  ~Descriptor() { ::close(fd); }
  Descriptor(const Descriptor&) = delete;
  Descriptor& operator=(const Descriptor&) = delete;
  const int fd;
};

}  // namespace

void sync_name_of(const fs::path& file) {
  const fs::path folder = file.has_parent_path() ? file.parent_path() : fs::path(".");
  sync(Descriptor(folder, O_RDONLY | O_DIRECTORY).fd, folder);
}

fs::path write_part_durably(const fs::path& file, const std::string& text) {
  fs::path part = file.parent_path() / ("." + file.filename().string() + ".part");
  try {
    // A leftover of a dead writer, or a symbolic link to another file.
    ::unlink(part.c_str());
    const Descriptor to(part, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW);
    write_all(to.fd, part, text);
    sync(to.fd, part);
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

GrowingFile::GrowingFile(const fs::path& file) : path_(file), fd_(opened(file, O_RDWR | O_CREAT)) {
  if (::flock(fd_, LOCK_EX | LOCK_NB) == 0) return;
  const int why = errno;
  ::close(fd_);
  errno = why;
  fail(path_, "is being written by another process");
}

GrowingFile::~GrowingFile() { ::close(fd_); }

std::string GrowingFile::read() const {
  std::string text;
  char bytes[65536];
  ssize_t n = 0;
  while ((n = ::read(fd_, bytes, sizeof bytes)) > 0) text.append(bytes, static_cast<std::size_t>(n));
  if (n < 0) fail(path_, "cannot be read");
  return text;
}

void GrowingFile::append(std::size_t whole, const std::string& text) const {
  const auto cut = [&] {
    if (::ftruncate(fd_, static_cast<off_t>(whole)) != 0 || ::lseek(fd_, 0, SEEK_END) < 0)
      fail(path_, "cannot be cut");
  };
  cut();
  try {
    write_all(fd_, path_, text);
    sync(fd_, path_);
  } catch (const std::system_error&) {
    cut();
    throw;
  }
  sync_name_of(path_);
}

}  // namespace datum
