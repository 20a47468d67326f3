// Preloaded into datumd (LD_PRELOAD): memory exhaustion on demand.
#include <errno.h>

#include <cstdlib>

#include "tests/faults/disk_control.h"
#include "tests/faults/memory_control.h"

// The C library's own functions, under the names that it provides for this purpose.
extern "C" {
void* __libc_malloc(size_t);
void* __libc_calloc(size_t, size_t);
void* __libc_realloc(void*, size_t);
void* __libc_memalign(size_t, size_t);
}

namespace {

using namespace datum::faults;

MemoryControl* control = nullptr;

__attribute__((constructor)) void begin() {
  if (const char* name = std::getenv(memory_control_variable)) control = share<MemoryControl>(name);
}

bool runs_out() {
  if (!control) return false;
  ++control->made;
  if (control->until < 0 || control->until.fetch_sub(1) > 0) return false;
  control->until = 0;
  if (control->fail.fetch_sub(1) <= 0) {
    control->until = -1;
    return false;
  }
  ++control->failed;
  errno = ENOMEM;
  return true;
}

}  // namespace

extern "C" {

void* malloc(size_t n) { return runs_out() ? nullptr : __libc_malloc(n); }
void* calloc(size_t n, size_t each) { return runs_out() ? nullptr : __libc_calloc(n, each); }
void* realloc(void* at, size_t n) { return runs_out() ? nullptr : __libc_realloc(at, n); }
void* memalign(size_t align, size_t n) { return runs_out() ? nullptr : __libc_memalign(align, n); }
void* aligned_alloc(size_t align, size_t n) { return runs_out() ? nullptr : __libc_memalign(align, n); }
int posix_memalign(void** at, size_t align, size_t n) {
  if (runs_out()) return ENOMEM;
  *at = __libc_memalign(align, n);
  return *at ? 0 : ENOMEM;
}

}  // extern "C"
