#include "drivers/sensor/gocator_frame.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <vector>

#include "drivers/frame/frame_error.h"
#include "drivers/sensor/descriptor.h"
#include "drivers/sensor/frame_hash.h"
#include "drivers/sensor/read_frame.h"

namespace datum {
namespace {

bool write_all(int fd, gocator::ByteView bytes) {
  while (!bytes.empty()) {
    const ssize_t put = ::write(fd, bytes.data(), bytes.size());
    if (put < 0 && errno == EINTR) continue;
    if (put < 0) return false;
    bytes = bytes.subspan(static_cast<std::size_t>(put));
  }
  return true;
}

}  // namespace

// Writes before parsing: the archive holds the bytes as sent.
void GocatorFrame::write() {
  if (file_.empty()) return;
  const auto fail = [&] { write_problem_ = file_.string() + ": not kept: " + std::strerror(errno); };
  const std::filesystem::path folder = file_.parent_path(), name = file_.filename();
  if (::mkdir(folder.c_str(), 0777) != 0 && errno != EEXIST) return fail();
  // A symbolic link or FIFO in the folder's or the file's place is neither followed nor waited for.
  const Descriptor at(::open(folder.c_str(), O_PATH | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC));
  if (at.get() < 0) return fail();
  if (::unlinkat(at.get(), name.c_str(), 0) != 0 && errno != ENOENT) return fail();
  const Descriptor out(
      ::openat(at.get(), name.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0666));
  const int fd = out.get();
  if (fd < 0) return fail();
  bool whole = true;
  for (const gocator::ByteView piece : set_.content()) whole = whole && write_all(fd, piece);
  if (!whole || ::fsync(fd) != 0) fail();
}

HeightFrame GocatorFrame::read(const SensorProfile& profile) {
  write();
  const auto content = set_.content();
  const std::vector<ByteView> pieces(content.begin(), content.end());
  const ReadSettings& settings = profile.reading;
  const std::string identity =
      settings.scheme == HashScheme::tree
          ? tree_identity({hashed_part(pieces, settings.threads)})  // as of a .gdp file
          : sha256_hex(pieces);
  HeightFrame frame = gocator::frame_of(std::move(set_), name_);
  frame.content_sha256 = identity;
  frame.delivered = profile.handedness;  // the protocol does not state it
  frame.job = job_;
  accept_frame(frame, profile);
  return frame;
}

}  // namespace datum
