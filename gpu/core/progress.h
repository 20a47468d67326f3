// Marks of progress: whoever waits for a long computation can tell one that goes on from one that hangs.
#pragma once

#include <cstdint>

namespace datum {

/// A piece of work is done: an item of parallel_for(), a stage. From any thread; costs some ns.
void mark_progress();
/// Pieces that were done in this process.
std::uint64_t progress_marks();

}  // namespace datum
