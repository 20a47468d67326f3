// A volume's samples through Perona-Malik diffusion (gpu/diffusion), in its own type and values.
//
// Samples become 32-bit steps about their middle: 2^k steps a sample, k the largest for which they span less than 2^30. The
// diffusion works on steps; then integers are rounded half to even. The bytes are the same on every backend.
#pragma once

#include <functional>
#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <string>
#include <vector>

#include "drivers/volume/volume.h"
#include "gpu/diffusion/diffuser.h"

namespace datum {

struct DenoiseSettings {
  DiffusionSettings diffusion;  // kappa: in the volume's values
  std::optional<double>
      missing;  // stored sample that marks a voxel without a value; NaN: it does. Such voxels stay
};

struct Denoised {
  double first_kappa = 0, last_kappa = 0;     // values
  double step = 0;                            // values
  double largest_change = 0, rms_change = 0;  // values, of voxels with a value
  std::uint64_t voxels = 0, missing = 0;
  std::string before_sha256, after_sha256;  // of the samples, little-endian
  std::vector<std::string> backends;        // in the order in which they worked
  std::vector<std::string> warnings;
};

/// Bytes that the steps below take at most, samples included; `gpu`: with the memory shared with datumd-gpu.
std::uint64_t denoise_memory(const VolumeHeader& header, unsigned threads, bool gpu);

/// Denoises in place; `progress` is called after some iterations each. Throws VolumeError: a sample that is not finite and
/// not declared missing, no voxel with a value, samples that span 2^31 or more, a kappa of fewer than 1024 steps. Throws
/// std::invalid_argument as datum::diffuse.
Denoised denoise(Volume& volume, const DenoiseSettings& settings, Diffuser& diffuser, const std::string& name,
                 const std::function<void(std::uint32_t done, std::uint32_t of)>& progress);

/// One line for the header: "Perona-Malik exponential, kappa 81 (fixed), lambda 0.125, 10 iterations; datumd 0.1.0 1a2b".
std::string summary_of(const DenoiseSettings& settings, const Denoised& done);

nlohmann::ordered_json record_of(const Volume& volume, const DenoiseSettings& settings, const Denoised& done);

}  // namespace datum
