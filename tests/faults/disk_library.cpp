// Preloaded into datumd (LD_PRELOAD): records its file operations, and acts as a disk that refuses or is slow. The daemon
// has no code for this.
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <stdarg.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <unistd.h>

#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <mutex>
#include <string>

#include "tests/faults/disk_control.h"
#include "tests/faults/disk_log.h"

namespace {

using namespace datum::faults;

/// The C library's function of this name.
template <class Function>
Function* real(Function*, const char* name) {
  return reinterpret_cast<Function*>(::dlsym(RTLD_NEXT, name));
}
#define REAL(name)                                                               \
  (*[] {                                                                         \
    static auto* const f = real(static_cast<decltype(&::name)>(nullptr), #name); \
    return f;                                                                    \
  }())

struct Disk {
  std::string folder;
  int log = -1;
  DiskControl* control = nullptr;
  std::mutex mutex;

  Disk() {
    if (const char* name = std::getenv(disk_folder_variable)) folder = std::string(name) + "/";
    if (const char* name = std::getenv(disk_log_variable))
      log = static_cast<int>(
          ::syscall(SYS_openat, AT_FDCWD, name, O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0600));
    if (const char* name = std::getenv(disk_control_variable)) control = share<DiskControl>(name);
  }
};
Disk* one = nullptr;  // never destroyed
__attribute__((constructor)) void begin() { one = new Disk; }
Disk& disk() { return *one; }

/// "" for files outside of the folder, for standard output and the daemon's log.
std::string counted(std::string path) {
  if (!one) return "";
  const std::string& folder = disk().folder;
  if (folder.empty() || (path + "/").rfind(folder, 0) != 0 || path.ends_with(".log")) return "";
  return path;
}
std::string path_of(const char* name, int at = AT_FDCWD) {
  if (name[0] == '/') return counted(name);
  char folder[4096];
  ssize_t n = 0;
  if (at == AT_FDCWD)
    n = ::getcwd(folder, sizeof folder) ? static_cast<ssize_t>(std::strlen(folder)) : -1;
  else
    n = ::readlink(("/proc/self/fd/" + std::to_string(at)).c_str(), folder, sizeof folder);
  return n < 0 ? "" : counted(std::string(folder, static_cast<std::size_t>(n)) + "/" + name);
}
std::string path_of(int fd) {
  char path[4096];
  const ssize_t n = ::readlink(("/proc/self/fd/" + std::to_string(fd)).c_str(), path, sizeof path);
  return n < 0 ? "" : counted(std::string(path, static_cast<std::size_t>(n)));
}

void note(DiskAct act, const std::string& path, std::uint64_t offset = 0, const void* bytes = nullptr,
          std::size_t n = 0, const std::string& to = "") {
  if (!one || one->log < 0) return;
  Disk& d = *one;
  const DiskRecordHead head{act, static_cast<std::uint32_t>(path.size()),
                            static_cast<std::uint32_t>(to.size()), offset, n};
  std::string record(reinterpret_cast<const char*>(&head), sizeof head);
  record.append(path).append(to).append(static_cast<const char*>(bytes), n);
  const std::lock_guard lock(d.mutex);
  ::syscall(SYS_write, d.log, record.data(), record.size());
}

/// False: the disk refuses; sets errno.
bool may_change(const std::string& path) {
  if (path.empty() || !one || !one->control) return true;
  DiskControl* const control = one->control;
  ++control->acts;
  const std::string inner = (path + "/").substr(disk().folder.size());
  DiskTrouble& trouble = inner.rfind("results.db", 0) == 0 ? control->store
                         : inner.rfind("drop", 0) == 0     ? control->drop
                                                           : control->other;
  if (const int us = trouble.delay_us; us > 0) ::usleep(static_cast<useconds_t>(us));
  if (const int error = trouble.error; error != 0) return errno = error, false;
  return true;
}

/// Opens, and records a creation or truncation of the file.
template <class Open>
int opened(const std::string& path, int flags, Open open) {
  const bool changes = (flags & (O_CREAT | O_TRUNC)) != 0;
  if (path.empty() || !changes) return open();
  struct stat before {};
  const bool was_there = ::stat(path.c_str(), &before) == 0;
  if ((!was_there || (flags & O_TRUNC)) && !may_change(path)) return -1;
  const int fd = open();
  if (fd < 0) return fd;
  if (!was_there) note(DiskAct::create, path);
  if (was_there && (flags & O_TRUNC)) note(DiskAct::truncate, path);
  return fd;
}

int synced(int fd, int (*sync)(int)) {
  const std::string path = path_of(fd);
  if (!may_change(path)) return -1;
  const int result = sync(fd);
  if (result == 0 && !path.empty()) note(DiskAct::sync, path);
  return result;
}

template <class Write>
ssize_t written(int fd, const void* bytes, std::int64_t offset, Write write) {
  const std::string path = path_of(fd);
  if (path.empty()) return write();
  if (!may_change(path)) return -1;
  if (offset < 0) {
    offset = ::fcntl(fd, F_GETFL) & O_APPEND ? ::lseek(fd, 0, SEEK_END) : ::lseek(fd, 0, SEEK_CUR);
  }
  const ssize_t n = write();
  if (n > 0)
    note(DiskAct::write, path, static_cast<std::uint64_t>(offset), bytes, static_cast<std::size_t>(n));
  return n;
}

}  // namespace

extern "C" {

int open(const char* name, int flags, ...) {
  va_list more;
  va_start(more, flags);
  const mode_t mode = flags & O_CREAT ? va_arg(more, mode_t) : 0;
  va_end(more);
  return opened(path_of(name), flags, [&] { return REAL(open)(name, flags, mode); });
}

int open64(const char* name, int flags, ...) {
  va_list more;
  va_start(more, flags);
  const mode_t mode = flags & O_CREAT ? va_arg(more, mode_t) : 0;
  va_end(more);
  return opened(path_of(name), flags, [&] { return REAL(open64)(name, flags, mode); });
}

FILE* fopen(const char* name, const char* mode) {
  FILE* file = nullptr;
  const int flags = mode[0] == 'w' ? O_CREAT | O_TRUNC : mode[0] == 'a' ? O_CREAT : 0;
  opened(path_of(name), flags, [&] { return (file = REAL(fopen)(name, mode)) ? 0 : -1; });
  return file;
}

FILE* fopen64(const char* name, const char* mode) {
  FILE* file = nullptr;
  const int flags = mode[0] == 'w' ? O_CREAT | O_TRUNC : mode[0] == 'a' ? O_CREAT : 0;
  opened(path_of(name), flags, [&] { return (file = REAL(fopen64)(name, mode)) ? 0 : -1; });
  return file;
}

ssize_t write(int fd, const void* bytes, size_t n) {
  return written(fd, bytes, -1, [&] { return REAL(write)(fd, bytes, n); });
}
ssize_t pwrite(int fd, const void* bytes, size_t n, off_t offset) {
  return written(fd, bytes, offset, [&] { return REAL(pwrite)(fd, bytes, n, offset); });
}
ssize_t pwrite64(int fd, const void* bytes, size_t n, off64_t offset) {
  return written(fd, bytes, offset, [&] { return REAL(pwrite64)(fd, bytes, n, offset); });
}
ssize_t writev(int fd, const iovec* parts, int count) {
  std::string bytes;
  for (int i = 0; i < count; ++i) bytes.append(static_cast<const char*>(parts[i].iov_base), parts[i].iov_len);
  return written(fd, bytes.data(), -1, [&] { return REAL(writev)(fd, parts, count); });
}
int fsync(int fd) { return synced(fd, REAL(fsync)); }
int fdatasync(int fd) { return synced(fd, REAL(fdatasync)); }

int ftruncate(int fd, off_t size) {
  const std::string path = path_of(fd);
  if (!may_change(path)) return -1;
  const int result = REAL(ftruncate)(fd, size);
  if (result == 0 && !path.empty()) note(DiskAct::truncate, path, static_cast<std::uint64_t>(size));
  return result;
}
int ftruncate64(int fd, off64_t size) { return ftruncate(fd, size); }

int rename(const char* from, const char* to) {
  const std::string path = path_of(from), target = path_of(to);
  if (!may_change(path)) return -1;
  const int result = REAL(rename)(from, to);
  if (result == 0 && !path.empty()) note(DiskAct::rename, path, 0, nullptr, 0, target);
  return result;
}

int renameat(int from_folder, const char* from, int to_folder, const char* to) {
  const std::string path = path_of(from, from_folder), target = path_of(to, to_folder);
  if (!may_change(path)) return -1;
  const int result = REAL(renameat)(from_folder, from, to_folder, to);
  if (result == 0 && !path.empty()) note(DiskAct::rename, path, 0, nullptr, 0, target);
  return result;
}

int renameat2(int from_folder, const char* from, int to_folder, const char* to, unsigned flags) {
  const std::string path = path_of(from, from_folder), target = path_of(to, to_folder);
  if (!may_change(path)) return -1;
  const int result = REAL(renameat2)(from_folder, from, to_folder, to, flags);
  if (result == 0 && !path.empty()) note(DiskAct::rename, path, 0, nullptr, 0, target);
  return result;
}

int unlink(const char* name) {
  const std::string path = path_of(name);
  if (!may_change(path)) return -1;
  const int result = REAL(unlink)(name);
  if (result == 0 && !path.empty()) note(DiskAct::remove, path);
  return result;
}

int rmdir(const char* name) {
  const std::string path = path_of(name);
  if (!may_change(path)) return -1;
  const int result = REAL(rmdir)(name);
  if (result == 0 && !path.empty()) note(DiskAct::remove, path);
  return result;
}

int mkdir(const char* name, mode_t mode) {
  const std::string path = path_of(name);
  if (!may_change(path)) return -1;
  const int result = REAL(mkdir)(name, mode);
  if (result == 0 && !path.empty()) note(DiskAct::make, path);
  return result;
}

ssize_t send(int fd, const void* bytes, size_t n, int flags) {
  const ssize_t sent = REAL(send)(fd, bytes, n, flags);
  if (sent > 0)
    note(DiskAct::tell, "", static_cast<std::uint64_t>(fd), bytes, static_cast<std::size_t>(sent));
  return sent;
}

}  // extern "C"
