// kernel_hashes: prints "KERNEL INSTRUCTION-SET HASH", a line for each that this machine runs. The hashes of one kernel must
// be the same everywhere; tests/arm64/arm64.sh compares those of two processors.
#include "tests/gpu/kernel_hashes.h"

#include <cstdio>
#include <utility>

int main() {
  using namespace datum;
  using namespace datum::testing;
  constexpr std::pair<const char*, std::uint64_t (*)(const Backend&)> kernels[]{
      {"plane_fit", hash_of_plane_fit},
      {"component_height", hash_of_component_height},
      {"parallel_planes", hash_of_parallel_planes},
      {"model_distance", hash_of_model_distance},
      {"surface_match", hash_of_surface_match},
      {"area_share", hash_of_area_share},
      {"surface_compare", hash_of_surface_compare},
      {"lu", hash_of_lu},
      {"fft", hash_of_fft},
      {"fourier_profilometry", hash_of_fourier_profilometry},
      {"phase_correlation", hash_of_phase_correlation},
      {"fringe_phase", hash_of_fringe_phase},
      {"diffusion", hash_of_diffusion},
  };
  const Isa best = best_isa();
  for (const auto& [name, hash] : kernels)
    for (const Isa isa : {Isa::scalar, Isa::avx2, Isa::avx512, Isa::neon}) {
      const bool runs = isa == Isa::scalar || isa == best || (isa == Isa::avx2 && best == Isa::avx512);
      if (!runs) continue;
      Backend backend = cpu_backend(2);
      backend.isa = isa;
      std::printf("%s %s %016llx\n", name, name_of(isa), static_cast<unsigned long long>(hash(backend)));
    }
}
