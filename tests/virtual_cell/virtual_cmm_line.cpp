#include "tests/virtual_cell/virtual_cmm_line.h"

#include <fcntl.h>
#include <termios.h>
#include <unistd.h>

#include <cerrno>
#include <cstdlib>
#include <filesystem>
#include <system_error>
#include <utility>

namespace datum {
namespace {

[[noreturn]] void fail(const char* what) { throw std::system_error(errno, std::generic_category(), what); }

}  // namespace

VirtualLine::~VirtualLine() { unplug(); }

void VirtualLine::plug_in() {
  fd_ = posix_openpt(O_RDWR | O_NOCTTY | O_NONBLOCK | O_CLOEXEC);
  if (fd_ < 0 || grantpt(fd_) != 0 || unlockpt(fd_) != 0) fail("pseudo-terminal");
  path_ = ptsname(fd_);
  far_end_ = open(path_.c_str(), O_RDWR | O_NOCTTY | O_CLOEXEC);
  termios raw{};
  if (far_end_ < 0 || tcgetattr(far_end_, &raw) != 0) fail(path_.c_str());
  cfmakeraw(&raw);  // no echo, even before the reader has set up its end
  tcsetattr(far_end_, TCSANOW, &raw);
  if (link_.empty()) return;
  const std::string fresh = link_ + ".new";
  std::error_code ignored;
  std::filesystem::remove(fresh, ignored);
  std::filesystem::create_symlink(path_, fresh);
  std::filesystem::rename(fresh, link_);
}

void VirtualLine::unplug() noexcept {
  if (fd_ < 0) return;
  std::error_code ignored;
  if (!link_.empty()) std::filesystem::remove(link_, ignored);
  close(std::exchange(far_end_, -1));
  close(std::exchange(fd_, -1));
}

}  // namespace datum
