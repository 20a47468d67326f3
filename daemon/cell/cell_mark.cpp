#include "daemon/cell/cell_mark.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include "drivers/frame/frame_error.h"
#include "drivers/sensor/descriptor.h"
#include "drivers/sensor/file_bytes.h"

namespace datum {

CellMark::CellMark(std::filesystem::path file) : file_(std::move(file)), stamp_(stamp_of(file_)) {
  if (!stamp_) return;
  try {
    const Bytes bytes = read_bytes_below(file_.parent_path(), file_.filename(), 4096);
    text_.assign(bytes.begin(), bytes.end());
  } catch (const FrameError&) {  // then it says nothing
  }
}

bool CellMark::set(bool durable, const std::string& text) {
  const Descriptor out(::open(file_.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_NOFOLLOW | O_CLOEXEC, 0644));
  stamp_.reset();
  text_.clear();
  if (out.get() >= 0 && ::write(out.get(), text.data(), text.size()) != static_cast<ssize_t>(text.size()))
    return false;
  // Times to now: an empty file that is truncated again may keep its own.
  if (out.get() < 0 || ::futimens(out.get(), nullptr) != 0) return false;
  if (durable && ::fsync(out.get()) != 0) return false;
  if (durable) {
    const Descriptor folder(::open(file_.parent_path().c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
    if (folder.get() < 0 || ::fsync(folder.get()) != 0) return false;
  }
  stamp_ = stamp_of(file_);
  text_ = text;
  return stamp_.has_value();
}

void CellMark::clear() {
  if (!stamp_) return;
  ::unlink(file_.c_str());
  stamp_.reset();
  text_.clear();
}

}  // namespace datum
