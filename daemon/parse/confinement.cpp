#include "daemon/parse/confinement.h"

#include <fcntl.h>
#include <linux/audit.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <signal.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <cerrno>
#include <cstddef>
#include <initializer_list>
#include <system_error>
#include <vector>

namespace datum {

#ifdef DATUM_UNCONFINED

void confine(const ConfinementLimits&) {}
bool can_confine() { return false; }

#else

namespace {

#if defined(__x86_64__)
constexpr std::uint32_t own_architecture = AUDIT_ARCH_X86_64;
#elif defined(__aarch64__)
constexpr std::uint32_t own_architecture = AUDIT_ARCH_AARCH64;
#else
#error "system calls of this processor are not known: name its AUDIT_ARCH here"
#endif

static_assert(__BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__, "the lower half of an argument is its first word");

/// A classic BPF program over seccomp_data (Linux, Documentation/userspace-api/seccomp_filter.rst): what it does not allow
/// kills the process.
class CallFilter {
 public:
  CallFilter() {
    load(offsetof(seccomp_data, arch));
    unless_equal_kill(own_architecture);
    load(offsetof(seccomp_data, nr));
  }
  void allow(std::initializer_list<long> calls) {
    for (const long call : calls) {
      add(BPF_JMP | BPF_JEQ | BPF_K, static_cast<std::uint32_t>(call), 0, 1);
      add(BPF_RET | BPF_K, SECCOMP_RET_ALLOW);
    }
  }
  /// Where none of these bits is set in the argument.
  void allow_without(long call, unsigned argument, std::uint32_t bits) {
    add(BPF_JMP | BPF_JEQ | BPF_K, static_cast<std::uint32_t>(call), 0, 4);
    load(low_word(argument));
    add(BPF_JMP | BPF_JSET | BPF_K, bits, 1, 0);
    add(BPF_RET | BPF_K, SECCOMP_RET_ALLOW);
    add(BPF_RET | BPF_K, SECCOMP_RET_KILL_PROCESS);
  }
  /// abort(): this process, by this signal.
  void allow_abort() {
    add(BPF_JMP | BPF_JEQ | BPF_K, SYS_tgkill, 0, 5);
    load(low_word(0));
    add(BPF_JMP | BPF_JEQ | BPF_K, static_cast<std::uint32_t>(::getpid()), 0, 3);
    load(low_word(2));
    add(BPF_JMP | BPF_JEQ | BPF_K, SIGABRT, 0, 1);
    add(BPF_RET | BPF_K, SECCOMP_RET_ALLOW);
  }
  void install() {
    add(BPF_RET | BPF_K, SECCOMP_RET_KILL_PROCESS);
    const sock_fprog program{static_cast<unsigned short>(code_.size()), code_.data()};
    if (::prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program) != 0)
      throw std::system_error(errno, std::generic_category(), "no filter of system calls");
  }

 private:
  static std::uint32_t low_word(unsigned argument) {
    return static_cast<std::uint32_t>(offsetof(seccomp_data, args) + 8 * argument);
  }
  void load(std::size_t at) { add(BPF_LD | BPF_W | BPF_ABS, static_cast<std::uint32_t>(at)); }
  void unless_equal_kill(std::uint32_t value) {
    add(BPF_JMP | BPF_JEQ | BPF_K, value, 1, 0);
    add(BPF_RET | BPF_K, SECCOMP_RET_KILL_PROCESS);
  }
  void add(unsigned code, std::uint32_t k, unsigned if_true = 0, unsigned if_false = 0) {
    code_.push_back({static_cast<std::uint16_t>(code), static_cast<std::uint8_t>(if_true),
                     static_cast<std::uint8_t>(if_false), k});
  }

  std::vector<sock_filter> code_;
};

/// Not beyond what it is already held to.
void hold_to(__rlimit_resource_t what, const char* name, rlim_t most) {
  rlimit limit{};
  if (::getrlimit(what, &limit) != 0) throw std::system_error(errno, std::generic_category(), name);
  limit.rlim_max = limit.rlim_max < most ? limit.rlim_max : most;
  limit.rlim_cur = limit.rlim_max;
  if (::setrlimit(what, &limit) != 0) throw std::system_error(errno, std::generic_category(), name);
}

/// Where memory runs out the one that parses goes before the one that measures.
void go_first() {
  const int fd = ::open("/proc/self/oom_score_adj", O_WRONLY | O_CLOEXEC);
  if (fd < 0) return;
  static_cast<void>(::write(fd, "1000", 4) + 1);
  ::close(fd);
}

}  // namespace

bool can_confine() { return true; }

void confine(const ConfinementLimits& limits) {
  constexpr rlim_t most_descriptors = 16;
  go_first();
  hold_to(RLIMIT_AS, "RLIMIT_AS", limits.memory_bytes);
  hold_to(RLIMIT_FSIZE, "RLIMIT_FSIZE", limits.result_bytes);
  hold_to(RLIMIT_NOFILE, "RLIMIT_NOFILE", most_descriptors);
  hold_to(RLIMIT_CORE, "RLIMIT_CORE", 0);
  if (::prctl(PR_SET_DUMPABLE, 0, 0, 0, 0) != 0 || ::prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) != 0)
    throw std::system_error(errno, std::generic_category(), "no_new_privs");
  CallFilter filter;
  filter.allow(
      {SYS_read,    SYS_write,   SYS_pread64,         SYS_pwrite64,    SYS_lseek,        SYS_ftruncate,
       SYS_recvmsg, SYS_sendmsg, SYS_close,           SYS_munmap,      SYS_mremap,       SYS_brk,
       SYS_madvise, SYS_futex,   SYS_clock_gettime,   SYS_sched_yield, SYS_rt_sigreturn, SYS_rt_sigprocmask,
       SYS_getpid,  SYS_gettid,  SYS_restart_syscall, SYS_exit,        SYS_exit_group});
  filter.allow_without(SYS_mmap, 2, PROT_EXEC);
  filter.allow_without(SYS_mprotect, 2, PROT_EXEC);
  filter.allow_abort();
  filter.install();
}

#endif

}  // namespace datum
