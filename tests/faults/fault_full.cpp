// A full file system: a small tmpfs in a mount namespace of its own holds the whole cell. Under load it is filled
// completely, or to less than a result needs, and emptied again.
#include <fcntl.h>
#include <fmt/format.h>
#include <sched.h>
#include <signal.h>
#include <sys/mount.h>
#include <sys/statvfs.h>
#include <unistd.h>

#include <cstring>
#include <fstream>
#include <random>

#include "tests/faults/faults.h"
#include "tests/faults/load.h"

namespace datum::faults {

namespace {

namespace fs = std::filesystem;

constexpr std::uint64_t size_mib = 400;  // more than the reserve for arming

void write_once(const char* file, const std::string& text) { std::ofstream(file) << text; }

void mount_in_memory(const fs::path& folder) {
  const std::string options = fmt::format("size={}m,mode=0755", size_mib);
  if (::mount("tmpfs", folder.c_str(), "tmpfs", 0, options.c_str()) != 0)
    throw Skipped(fmt::format("no file system in memory: {}", std::strerror(errno)));
}

/// Fills the file system of a folder up to about `rest` bytes.
void fill(const fs::path& folder, std::uint64_t rest) {
  struct statvfs room {};
  ::statvfs(folder.c_str(), &room);
  const std::uint64_t free = room.f_bavail * room.f_frsize;
  const int fd = ::open((folder / "filler").c_str(), O_WRONLY | O_CREAT | O_CLOEXEC, 0600);
  std::uint64_t at = 0;
  for (std::uint64_t part = free > rest ? free - rest : 0; fd >= 0 && part >= 4096;)
    if (::posix_fallocate(fd, static_cast<off_t>(at), static_cast<off_t>(part)) == 0)
      at += part, part = std::min(part, free - rest - at);
    else
      part /= 2;
  if (fd >= 0) ::close(fd);
}

}  // namespace

void leave_the_machine_alone() {
  const auto user = ::getuid();
  const auto group = ::getgid();
  if (::unshare(CLONE_NEWNS) != 0) {
    if (::unshare(CLONE_NEWUSER | CLONE_NEWNS) != 0)
      throw Skipped(fmt::format("no name space for mounts: {}", std::strerror(errno)));
    write_once("/proc/self/setgroups", "deny");
    write_once("/proc/self/uid_map", fmt::format("0 {} 1", user));
    write_once("/proc/self/gid_map", fmt::format("0 {} 1", group));
  }
  if (::mount("none", "/", nullptr, MS_REC | MS_PRIVATE, nullptr) != 0)
    throw Skipped(fmt::format("mounts can't be kept apart: {}", std::strerror(errno)));
}

void fill_the_disk(const Order& order, Findings& findings) {
  leave_the_machine_alone();
  testing::FreshFolder place;
  mount_in_memory(place.path());
  ::setenv("TMPDIR", place.path().c_str(), 1);
  scenario::Cell cell;
  Ledger ledger;
  ledger.invalid_is_fine = true;
  Load load(cell, ledger);
  load.arms_again = true;  // free space is checked periodically
  std::mt19937 random(order.seed);
  load.start();
  for (int n = 0; n < order.times; ++n) {
    if (!load.measure(ledger.boards() + 3))
      throw std::runtime_error("it stopped:\n" + cell.daemon().output());
    // Frames exist already, as on a sensor's own disk; results find no space.
    cell.daemon().signal(SIGSTOP);
    for (int i = 0; i < 6; ++i) ledger.deliver(cell, ledger.boards() + 1);
    fill(place.path(), random() % 3 == 0 ? 0 : random() % 60'000);
    cell.daemon().signal(SIGCONT);
    load.turn_until(now() + std::chrono::milliseconds(100 + random() % 100));
    if (random() % 3 == 0) {
      load.end(SIGKILL);
      load.launch();
      load.turn_until(now() + std::chrono::milliseconds(random() % 300));
      findings.count(cell.daemon().has_ended() ? "refused to start" : "started without room");
    }
    fs::remove(place.path() / "filler");
    if (!load.ready()) {
      if (!cell.daemon().has_ended()) load.end(SIGKILL);
      load.start();
    }
    findings.count("times full");
    if (scenario::fields(cell.connect()->ask("SYST:STAT?")).at(0) == "IDLE") {
      findings.count("disarmed");
      arm_again(cell);
    }
  }
  load.end(SIGKILL);
  ledger.check(cell, findings);
}

}  // namespace datum::faults
