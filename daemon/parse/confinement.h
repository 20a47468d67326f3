// What a process gives up before it looks at a byte that a stranger may have written: everything but its memory and the
// descriptors that it has.
#pragma once

#include <cstdint>

namespace datum {

struct ConfinementLimits {
  std::uint64_t memory_bytes = 0;  // addresses, of programs and libraries too (RLIMIT_AS)
  std::uint64_t result_bytes = 0;  // of any block that it writes (RLIMIT_FSIZE)
};

/// From here on the kernel kills the process at any system call but those by which it takes orders and memory, answers, and
/// ends: no file can be opened, no socket, process or executable memory made. No way back, for children neither; dumps no
/// core. The kernel takes this process before others where memory runs out. Throws std::system_error where it refuses.
/// The process has one thread.
void confine(const ConfinementLimits& limits);

/// False: a build for sanitizers or coverage, whose own calls no filter lets through; confine() does nothing there.
bool can_confine();

}  // namespace datum
