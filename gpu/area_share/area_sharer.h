// Who shares a model's area among points (area_share.h): a GPU with this program's CPU in reserve. The bytes are the same.
#pragma once

#include <cstddef>
#include <memory>
#include <string>
#include <utility>

#include "gpu/area_share/area_share.h"

namespace datum {

class AreaSharer {
 public:
  virtual ~AreaSharer() = default;
  /// Makes a model ready where areas will be shared, so that the first points do not wait for it. Never throws.
  virtual void prepare(const std::shared_ptr<const AreaModel>&) {}
  /// Of so many points, that few or too many for it: who shares their area instead, and why. Empty: it does.
  virtual std::string declines(std::size_t points) const = 0;
  /// As share_areas(). Of several threads one waits for the other.
  virtual void share(const std::shared_ptr<const AreaModel>& model, const JudgedPoints& points,
                     const AreaShares& out) = 0;
  /// Who shared the last ones: "cuda NVIDIA H200 sm_90", "cpu avx512 x16".
  virtual std::string describe() const = 0;
};

class CpuAreaSharer final : public AreaSharer {
 public:
  explicit CpuAreaSharer(Backend backend) : backend_(std::move(backend)) {}
  std::string declines(std::size_t) const override { return ""; }
  void share(const std::shared_ptr<const AreaModel>& model, const JudgedPoints& points,
             const AreaShares& out) override {
    share_areas(*model, points, backend_, out);
  }
  std::string describe() const override { return datum::describe(backend_); }

 private:
  Backend backend_;
};

}  // namespace datum
