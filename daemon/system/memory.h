// Settings of the memory allocator.
#pragma once

namespace datum {

/// Every board needs the same tens of MB. Freed memory stays with the process; the kernel would zero it page by page for
/// the next board (5 % of an inspection, `./datum bench inspect`). To be called before threads start.
void keep_freed_memory();

}  // namespace datum
