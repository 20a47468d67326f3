#include "daemon/calibration/calibration_archive.h"

#include <fcntl.h>
#include <sys/file.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <system_error>

#include "daemon/system/durable_file.h"

namespace datum {

namespace {

namespace fs = std::filesystem;

[[noreturn]] void fail_archive(const fs::path& file, const char* what) {
  throw CalibrationError(file.string() + ": " + what + ": " + std::strerror(errno) +
                         "; check the folder's permissions and room, nothing was accepted");
}

class File {
 public:
  File(const fs::path& path, int flags) : path_(path), fd_(::open(path.c_str(), flags | O_CLOEXEC, 0644)) {
    if (fd_ < 0) fail_archive(path_, "cannot be opened");
  }
  ~File() { ::close(fd_); }
  File(const File&) = delete;
  File& operator=(const File&) = delete;

  void lock() const {
    if (::flock(fd_, LOCK_EX | LOCK_NB) != 0) fail_archive(path_, "is being written by another process");
  }
  std::string read() const {
    std::string text;
    char bytes[65536];
    ssize_t n = 0;
    while ((n = ::read(fd_, bytes, sizeof bytes)) > 0) text.append(bytes, static_cast<std::size_t>(n));
    if (n < 0) fail_archive(path_, "cannot be read");
    return text;
  }
  void cut(std::size_t size) const {
    if (::ftruncate(fd_, static_cast<off_t>(size)) != 0 || ::lseek(fd_, 0, SEEK_END) < 0)
      fail_archive(path_, "cannot be cut");
  }
  void write(const std::string& text) const {
    for (std::size_t done = 0; done < text.size();) {
      const ssize_t n = ::write(fd_, text.data() + done, text.size() - done);
      if (n < 0 && errno == EINTR) continue;
      if (n < 0) fail_archive(path_, "cannot be written");
      done += static_cast<std::size_t>(n);
    }
  }
  void sync() const {
    if (::fsync(fd_) != 0) fail_archive(path_, "cannot be brought to the disk");
  }

 private:
  fs::path path_;
  int fd_;
};

void sync_folder(const fs::path& folder) { File(folder, O_RDONLY | O_DIRECTORY).sync(); }

}  // namespace

void write_durably(const fs::path& path, const std::string& text) {
  try {
    write_file_durably(path, text);
  } catch (const std::system_error& error) {
    throw CalibrationError(std::string(error.what()) +
                           "; check the folder's permissions and room, nothing was accepted");
  }
}

void CalibrationArchive::store(const Calibration& c) const {
  std::error_code why;
  fs::create_directories(folder_, why);
  const fs::path file = folder_ / (c.id + ".toml");
  if (fs::exists(file, why))
    throw CalibrationError(file.string() + " is there already; a calibration gets an id of its own");
  write_durably(file, to_toml(c));
}

void CalibrationArchive::append(const JournalEntry& entry) const {
  const fs::path path = folder_ / "journal";
  const File file(path, O_RDWR | O_CREAT);
  file.lock();
  const std::string text = file.read();
  CalibrationJournal journal(text, path.string());
  const std::size_t whole = journal.whole_bytes();
  if (whole < text.size()) file.cut(whole);
  try {
    file.write(journal.append(entry));
    file.sync();
  } catch (const CalibrationError&) {
    file.cut(whole);
    throw;
  }
  sync_folder(folder_);
}

}  // namespace datum
