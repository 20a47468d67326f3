// Conversion of a Gocator data set to a HeightFrame: hashed, archived if configured, accepted.
#pragma once

#include "drivers/gocator/data_set.h"
#include "drivers/sensor/claimed_frame.h"

namespace datum {

class GocatorFrame final : public ReceivedFrame {
 public:
  /// `file`: destination of its bytes; empty: not written.
  GocatorFrame(gocator::DataSet&& set, std::string name, std::filesystem::path file)
      : set_(std::move(set)), name_(std::move(name)), file_(std::move(file)) {}

  /// Sets the job before reading; on the loop's thread.
  void loaded_by(const std::string& job) { job_ = job; }
  HeightFrame read(const SensorProfile& profile) override;
  /// After reading: why it could not be written; empty: written, or not requested.
  const std::string& write_problem() const { return write_problem_; }

 private:
  void write();

  gocator::DataSet set_;
  std::string name_, job_;
  std::filesystem::path file_;
  std::string write_problem_;
};

}  // namespace datum
