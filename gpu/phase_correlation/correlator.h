// Who correlates an image with a reference: this program's CPU, or a GPU with the CPU in reserve. The bytes are the same.
// C++17: CUDA sources include this header.
#pragma once

#include <cstring>
#include <memory>
#include <mutex>
#include <string>
#include <utility>
#include <vector>

#include "gpu/phase_correlation/phase_correlation.h"

namespace datum {

/// Two images of rows x cols values by rows.
struct CorrelationImages {
  const float* reference = nullptr;
  const float* image = nullptr;
  std::uint32_t cols = 0, rows = 0;
  std::size_t size() const { return std::size_t{cols} * rows; }
};

class Correlator {
 public:
  virtual ~Correlator() = default;
  /// As PhaseCorrelation::find; throws what PhaseCorrelation throws. Callable from several threads.
  virtual CorrelationShift find(const CorrelationImages& images, const CorrelationSettings& settings) = 0;
  /// Who did the last one: "cuda NVIDIA H200 sm_90", "cpu avx512 x16".
  virtual std::string describe() const = 0;
};

/// A `Correlation` made ready for the last reference: board after board is compared with the same one. Callable from several
/// threads.
template <class Correlation>
class LastReference {
 public:
  std::shared_ptr<Correlation> get(const CorrelationImages& images, const CorrelationSettings& settings) {
    const std::lock_guard lock(mutex_);
    if (!made_ || !is_made_for(images, settings)) {
      made_.reset();  // first, since two may exceed a device's memory
      made_ = std::make_shared<Correlation>(images.reference, images.cols, images.rows, settings);
      reference_.assign(images.reference, images.reference + images.size());
      cols_ = images.cols;
      settings_ = settings;
    }
    return made_;
  }

 private:
  bool is_made_for(const CorrelationImages& images, const CorrelationSettings& settings) const {
    return images.cols == cols_ && images.size() == reference_.size() &&
           settings.smoothing_px == settings_.smoothing_px && settings.least_ratio == settings_.least_ratio &&
           settings.most_shift_px == settings_.most_shift_px &&
           std::memcmp(images.reference, reference_.data(), reference_.size() * sizeof(float)) == 0;
  }

  std::mutex mutex_;
  std::shared_ptr<Correlation> made_;
  std::vector<float> reference_;
  std::uint32_t cols_ = 0;
  CorrelationSettings settings_;
};

class CpuCorrelator final : public Correlator {
 public:
  explicit CpuCorrelator(Backend backend) : backend_(std::move(backend)) {}
  CorrelationShift find(const CorrelationImages& images, const CorrelationSettings& settings) override {
    return last_.get(images, settings)->find(images.image, backend_);
  }
  std::string describe() const override { return datum::describe(backend_); }

 private:
  Backend backend_;
  LastReference<const PhaseCorrelation> last_;
};

/// Throws std::invalid_argument as PhaseCorrelation and its find().
void check(const CorrelationImages& images, const CorrelationSettings& settings);

}  // namespace datum
