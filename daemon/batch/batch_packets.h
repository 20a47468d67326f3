// Packets between 'datumd-batch run' and its workers, over a SOCK_SEQPACKET socket.
#pragma once

#include <cstdint>

namespace datum {

/// run -> worker.
struct BatchOrder {
  std::uint64_t unit = 0;  // in the manifest, from 0
};

enum class BatchOutcome : std::uint32_t {
  ready,    // the worker can measure; `text`: its backend
  done,     // the output is on the disk; of an audit: it has the same bytes
  refused,  // this unit can't be measured: its frame, its recipe
  retry,    // it may be measured later: memory, a file system
  gpu,      // the GPU failed; the worker wants to be started anew
  no_room,  // nothing can be written
  differs,  // of an audit
};

/// worker -> run.
struct BatchReport {
  BatchOutcome outcome = BatchOutcome::ready;
  std::uint64_t unit = 0;
  double read_ms = 0, measure_ms = 0, write_ms = 0;
  char text[1024] = {};  // backend of a unit that is done, else why
};

}  // namespace datum
