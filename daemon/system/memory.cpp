#include "daemon/system/memory.h"

#include <malloc.h>

namespace datum {

void keep_freed_memory() {
#ifdef __GLIBC__
  constexpr int most = 1 << 30;
  mallopt(M_MMAP_THRESHOLD, most);
  mallopt(M_TRIM_THRESHOLD, most);
#endif
}

}  // namespace datum
