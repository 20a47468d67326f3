// How the process keeps its memory.
#pragma once

namespace datum {

/// Every board needs the same tens of MB: what is freed stays with the process instead of going back to the kernel, which
/// would zero it page by page for the next board (5 % of an inspection, `./datum bench inspect`). Call it before threads
/// are started.
void keep_freed_memory();

}  // namespace datum
