// The SHA-256 that a sidecar states of a whole file, computed beside other work.
#pragma once

#include <atomic>
#include <memory>
#include <string>
#include <thread>

#include "drivers/frame/read_settings.h"
#include "drivers/sensor/file_bytes.h"

namespace datum {

/// Throws FrameError of a file whose sum is not the stated one; an empty `stated` states none.
void check_sum(const std::string& name, const std::string& is, const std::string& stated);

/// Hashes bytes that were read, in a thread of its own; its destructor does not wait for the sum.
class StatedSum {
 public:
  /// `bytes`: of the file `name`, as it is measured; they go to settings.buffers at the end. With one thread
  /// in `settings` check() hashes.
  StatedSum(Bytes&& bytes, std::string stated, std::string name, const ReadSettings& settings);
  ~StatedSum();
  StatedSum(const StatedSum&) = delete;
  StatedSum& operator=(const StatedSum&) = delete;

  /// Waits for the sum. Throws FrameError as check_sum. For one thread at a time.
  void check();

 private:
  void hash();

  Bytes bytes_;
  const std::string stated_, name_;
  const std::shared_ptr<FrameBuffers> buffers_;
  std::atomic<bool> stopped_{false};
  std::string sum_;  // empty: not computed
  std::thread thread_;
};

}  // namespace datum
