// The file that keeps a received frame's bytes as sent: written beside the frame's reading, synchronised beside its measurement.
#pragma once

#include <condition_variable>
#include <filesystem>
#include <memory>
#include <mutex>
#include <string>
#include <vector>

#include "drivers/sensor/file_bytes.h"
#include "gpu/core/piece_workers.h"

namespace datum {

class FrameArchive {
 public:
  /// Begins. The pieces stay as they are until wait_written() has returned.
  FrameArchive(const std::filesystem::path& file, const std::vector<ByteView>& pieces, PieceWorkers& workers);
  /// Waits for the end.
  ~FrameArchive();
  FrameArchive(const FrameArchive&) = delete;
  FrameArchive& operator=(const FrameArchive&) = delete;

  /// The file survives the end of this process from now on, or it can't be written.
  void wait_written();
  /// Waits until the file is on the disk, whatever may come. Why it is not kept; empty: it is.
  std::string problem();

 private:
  enum class State { begun, written, ended };
  void reach(State state, const std::string& problem);
  void wait_for(State state);

  std::mutex mutex_;
  std::condition_variable reached_;
  State state_ = State::begun;
  std::string problem_;
};

}  // namespace datum
