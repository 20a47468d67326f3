// Who turns raw images of fringes into phases, columns and heights: this program's CPU, or a GPU with the CPU in reserve. The
// bytes are the same.
#pragma once

#include <string>
#include <utility>

#include "gpu/fourier_profilometry/fourier_profilometry.h"
#include "gpu/fringe_phase/fringe_phase.h"

namespace datum {

class FringeDemodulator {
 public:
  virtual ~FringeDemodulator() = default;
  /// As datum::demodulate. Of several threads one waits for the other.
  virtual void demodulate(const FringeImages& images, const FringePattern& pattern,
                          const FringeLimits& limits, const HeightModel* model, const FringeMaps& maps) = 0;
  /// A single image, as FourierProfilometry::demodulate. Of several threads one waits for the other.
  virtual void demodulate(const FourierProfilometry& profilometry, const FourierImage& image,
                          const FourierMaps& maps) = 0;
  /// Who did the last one: "cuda NVIDIA H200 sm_90", "cpu avx512 x16".
  virtual std::string describe() const = 0;
  /// For the host's own work.
  virtual unsigned threads() const = 0;
};

class CpuFringeDemodulator final : public FringeDemodulator {
 public:
  explicit CpuFringeDemodulator(Backend backend) : backend_(std::move(backend)) {}
  void demodulate(const FringeImages& images, const FringePattern& pattern, const FringeLimits& limits,
                  const HeightModel* model, const FringeMaps& maps) override {
    datum::demodulate(images, pattern, limits, model, backend_, maps);
  }
  void demodulate(const FourierProfilometry& profilometry, const FourierImage& image,
                  const FourierMaps& maps) override {
    profilometry.demodulate(image, backend_, maps);
  }
  std::string describe() const override { return datum::describe(backend_); }
  unsigned threads() const override { return backend_.threads; }

 private:
  Backend backend_;
};

}  // namespace datum
