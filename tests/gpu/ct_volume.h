// A CT scan of a head from the Debian package invesalius-examples: 256 x 256 x 108 Hounsfield units, int16.
#pragma once

#include <cstdint>
#include <cstdio>
#include <filesystem>
#include <vector>

#include "gpu/diffusion/diffusion.h"

namespace datum::testing {

inline constexpr DiffusionGrid ct_grid{256, 256, 108};
inline constexpr const char* ct_file = "/usr/share/doc/invesalius-examples/examples/Cranium.inv3";

/// Empty where the package is absent. The file is a tar archive, the volume one of its members.
inline std::vector<std::int16_t> ct_volume() {
  if (!std::filesystem::exists(ct_file)) return {};
  std::vector<std::int16_t> v(ct_grid.size());
  std::FILE* pipe =
      ::popen((std::string("tar -xzO --wildcards -f ") + ct_file + " '*/matrix.dat'").c_str(), "r");
  if (!pipe) return {};
  const std::size_t got = std::fread(v.data(), sizeof v[0], v.size(), pipe);
  ::pclose(pipe);
  return got == v.size() ? v : std::vector<std::int16_t>{};
}

}  // namespace datum::testing
