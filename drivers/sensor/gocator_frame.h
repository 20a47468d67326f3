// Conversion of a Gocator data set to a HeightFrame: hashed, archived if configured, accepted. The archive's file survives the
// end of the process before the frame is measured, and is on the disk before it has a result.
#pragma once

#include "drivers/gocator/data_set.h"
#include "drivers/sensor/arriving_surface.h"
#include "drivers/sensor/claimed_frame.h"
#include "drivers/sensor/frame_archive.h"

namespace datum {

class GocatorFrame final : public ReceivedFrame {
 public:
  /// `file`: destination of its bytes, by one of the workers; empty: not written.
  GocatorFrame(gocator::DataSet&& set, std::string name, std::filesystem::path file = {},
               std::shared_ptr<PieceWorkers> workers = nullptr)
      : set_(std::move(set)), name_(std::move(name)), file_(std::move(file)), workers_(std::move(workers)) {}

  /// Sets the job before reading; on the loop's thread.
  void loaded_by(const std::string& job) { job_ = job; }
  HeightFrame read(const SensorProfile& profile) override;
  /// Waits for its file; no fault.
  std::string late_fault() override;
  /// After reading; waits for its file. Why it could not be written; empty: written, or not requested.
  std::string write_problem();

 private:
  void wait_written();
  HeightFrame read_arrived(ArrivingSurface& surface, const std::vector<ByteView>& pieces,
                           const SensorProfile& profile);

  gocator::DataSet set_;
  std::string name_, job_;
  std::filesystem::path file_;
  std::shared_ptr<PieceWorkers> workers_;
  std::unique_ptr<FrameArchive> archive_;  // last: it ends before its bytes
};

}  // namespace datum
