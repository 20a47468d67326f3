// The threads of a board's way. Each has the boards in their order; what a board needs of two of them is passed on, never shared.
#pragma once

#include "daemon/system/worker.h"

namespace datum {

/// While one board is measured, the next one's frame is read and the one before is stored and drawn.
struct BoardThreads {
  Worker& loader;        // reads frames
  Worker& worker;        // measures; everything else that needs the measurer
  Worker& storer;        // the store's writer: results, statements, signatures, removals
  Worker& drawer;        // pictures, which no host waits for
  Worker& checkpointer;  // the store's checkpoints: tens of ms on a busy disk, which no result waits for
};

}  // namespace datum
