#include "drivers/sensor/frame_archive.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>

#include "drivers/sensor/descriptor.h"

namespace datum {
namespace {

bool write_all(int fd, ByteView bytes) {
  while (!bytes.empty()) {
    const ssize_t put = ::write(fd, bytes.data(), bytes.size());
    if (put < 0 && errno == EINTR) continue;
    if (put < 0) return false;
    bytes = bytes.subspan(static_cast<std::size_t>(put));
  }
  return true;
}

/// A new file; below 0: errno says why not. A symbolic link or FIFO in the folder's or the file's place is neither followed nor
/// waited for.
int create(const std::filesystem::path& file) {
  const std::filesystem::path folder = file.parent_path(), name = file.filename();
  if (::mkdir(folder.c_str(), 0777) != 0 && errno != EEXIST) return -1;
  const Descriptor at(::open(folder.c_str(), O_PATH | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC));
  if (at.get() < 0) return -1;
  if (::unlinkat(at.get(), name.c_str(), 0) != 0 && errno != ENOENT) return -1;
  return ::openat(at.get(), name.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0666);
}

}  // namespace

FrameArchive::FrameArchive(const std::filesystem::path& file, const std::vector<ByteView>& pieces,
                           PieceWorkers& workers) {
  workers.submit([this, file, pieces] {
    const auto why = [&] { return file.string() + ": not kept: " + std::strerror(errno); };
    const Descriptor out(create(file));
    bool whole = out.get() >= 0;
    for (const ByteView piece : pieces) whole = whole && write_all(out.get(), piece);
    std::string problem = whole ? "" : why();
    reach(State::written, problem);
    if (whole && ::fsync(out.get()) != 0) problem = why();
    reach(State::ended, problem);
  });
}

FrameArchive::~FrameArchive() { wait_for(State::ended); }

void FrameArchive::wait_written() { wait_for(State::written); }

std::string FrameArchive::problem() {
  wait_for(State::ended);
  return problem_;
}

void FrameArchive::reach(State state, const std::string& problem) {
  const std::lock_guard lock(mutex_);  // held, so that the object lives until this has ended
  state_ = state;
  problem_ = problem;
  reached_.notify_all();
}

void FrameArchive::wait_for(State state) {
  std::unique_lock lock(mutex_);
  reached_.wait(lock, [&] { return state_ >= state; });
}

}  // namespace datum
