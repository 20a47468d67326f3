#include "daemon/cell/cell_mark.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include "drivers/sensor/descriptor.h"

namespace datum {

CellMark::CellMark(std::filesystem::path file) : file_(std::move(file)), stamp_(stamp_of(file_)) {}

bool CellMark::set(bool durable) {
  const Descriptor out(::open(file_.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_NOFOLLOW | O_CLOEXEC, 0644));
  stamp_.reset();
  // Times to now: an empty file that is truncated again may keep its own.
  if (out.get() < 0 || ::futimens(out.get(), nullptr) != 0) return false;
  if (durable && ::fsync(out.get()) != 0) return false;
  if (durable) {
    const Descriptor folder(::open(file_.parent_path().c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
    if (folder.get() < 0 || ::fsync(folder.get()) != 0) return false;
  }
  stamp_ = stamp_of(file_);
  return stamp_.has_value();
}

void CellMark::clear() {
  if (!stamp_) return;
  ::unlink(file_.c_str());
  stamp_.reset();
}

}  // namespace datum
