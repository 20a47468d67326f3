#include "drivers/sensor/delivered_file.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <utility>

#include "drivers/frame/frame_error.h"

namespace datum {
namespace {

[[noreturn]] void refuse_delivered(const std::filesystem::path& path, const std::string& what) {
  throw FrameError(fmt::format("{}: {}", path.string(), what));
}

Descriptor opened(const std::filesystem::path& path) {
  Descriptor file(::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOFOLLOW));
  if (file.get() < 0 && errno == ELOOP) refuse_delivered(path, "is a link; deliver the file itself");
  if (file.get() < 0) refuse_delivered(path, fmt::format("can't be opened: {}", std::strerror(errno)));
  return file;
}

}  // namespace

DeliveredFile::DeliveredFile(const std::filesystem::path& path, std::size_t max_size)
    : DeliveredFile(opened(path), path, max_size) {}

DeliveredFile::DeliveredFile(Descriptor&& file, std::filesystem::path path, std::size_t max_size)
    : file_(std::move(file)), path_(std::move(path)) {
  struct stat info {};
  if (::fstat(file_.get(), &info) != 0)
    refuse_delivered(path_, fmt::format("can't be examined: {}", std::strerror(errno)));
  if (!S_ISREG(info.st_mode)) refuse_delivered(path_, "is not a regular file");
  if (static_cast<std::size_t>(info.st_size) > max_size)
    refuse_delivered(path_, fmt::format("has {} bytes, more than the {} that such a file may have",
                                        info.st_size, max_size));
  size_ = static_cast<std::uint64_t>(info.st_size);
}

void DeliveredFile::read(std::uint64_t at, void* to, std::size_t n) const {
  auto* place = static_cast<std::uint8_t*>(to);
  while (n > 0) {
    const ssize_t got = ::pread(file_.get(), place, n, static_cast<off_t>(at));
    if (got < 0 && errno == EINTR) continue;
    if (got < 0) refuse_delivered(path_, fmt::format("can't be read: {}", std::strerror(errno)));
    if (got == 0)
      refuse_delivered(path_, "became shorter while it was read; deliver it by rename when it is complete");
    place += got;
    at += static_cast<std::uint64_t>(got);
    n -= static_cast<std::size_t>(got);
  }
}

void DeliveredFile::refuse_changed() const {
  refuse_delivered(path_, "changed while it was read; deliver it by rename when it is complete");
}

}  // namespace datum
