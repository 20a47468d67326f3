// One data set of a Gocator on its way to a HeightFrame: hashed, kept where an archive is wanted, accepted.
#pragma once

#include "drivers/gocator/data_set.h"
#include "drivers/sensor/claimed_frame.h"

namespace datum {

class GocatorFrame final : public ReceivedFrame {
 public:
  /// `file`: where its bytes are written to; empty: nowhere.
  GocatorFrame(gocator::DataSet&& set, std::string name, std::filesystem::path file)
      : set_(std::move(set)), name_(std::move(name)), file_(std::move(file)) {}

  /// Known before it is read, of the loop's thread.
  void loaded_by(const std::string& job) { job_ = job; }
  HeightFrame read(const SensorProfile& profile) override;
  /// After it was read: why it could not be written; empty: it was, or was not to be.
  const std::string& write_problem() const { return write_problem_; }

 private:
  void write();

  gocator::DataSet set_;
  std::string name_, job_;
  std::filesystem::path file_;
  std::string write_problem_;
};

}  // namespace datum
