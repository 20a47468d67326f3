// Who diffuses a map: this program's CPU, or a GPU with the CPU in reserve. The bytes are the same.
#pragma once

#include <string>
#include <utility>

#include "gpu/diffusion/diffusion.h"

namespace datum {

class Diffuser {
 public:
  virtual ~Diffuser() = default;
  /// As datum::diffuse.
  virtual DiffusionRecord diffuse(std::int32_t* counts, const DiffusionGrid& grid,
                                  const DiffusionSettings& settings) = 0;
  /// Who did the last one: "cuda NVIDIA H200 sm_90", "cpu avx512 x16".
  virtual std::string describe() const = 0;
};

class CpuDiffuser final : public Diffuser {
 public:
  explicit CpuDiffuser(Backend backend) : backend_(std::move(backend)) {}
  DiffusionRecord diffuse(std::int32_t* counts, const DiffusionGrid& grid,
                          const DiffusionSettings& settings) override {
    return datum::diffuse(counts, grid, settings, backend_);
  }
  std::string describe() const override { return datum::describe(backend_); }

 private:
  Backend backend_;
};

}  // namespace datum
