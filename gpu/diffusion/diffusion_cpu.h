// The CPU loops, written once for every lane type. Included by one file per instruction set and by nothing else: the
// unnamed namespace keeps each file's copy to itself.
#pragma once

#include "gpu/diffusion/diffusion_kernels.h"

namespace datum::diffusion {
namespace {

template <class S, Conduction G, bool masked>
struct Loops {
  using I = typename S::I;
  using M = typename S::M;

  DATUM_HD I passing(I u, I neighbour, M valid, const FluxLanes<S>& c) {
    const I f = flux<S, G>(S::sub(neighbour, u), c);
    return masked ? S::keep(S::both(valid, S::counts(neighbour)), f) : f;
  }

  /// Lanes from x on; `left` is what passed to x - 1 in its last lane. The last lanes of a row: `n` there are, of which
  /// all but the last have a right neighbour.
  template <bool last>
  DATUM_HD void step(const Row& row, std::uint32_t x, std::uint32_t n, I& left, const FluxLanes<S>& c) {
    const I u = S::load_counts(row.u + x);
    const M valid = masked ? S::counts(u) : M{};
    I right = passing(u, S::load_counts(row.u + x + 1), valid, c);
    if (last) right = S::keep(S::first(n - 1), right);
    const I down = passing(u, S::load_counts(row.below + x), valid, c);
    const I next = passing(u, S::load_counts(row.next + x), valid, c);
    const I fluxes =
        S::add(S::add(S::sub(right, S::shifted(left, right)), S::sub(down, S::load_counts(row.flux_y + x))),
               S::sub(next, S::load_counts(row.flux_z + x)));
    left = right;
    S::store_counts(row.flux_y + x, down);
    S::store_counts(row.flux_z + x, next);
    const I sum = S::add(u, fluxes);
    if (last) {
      S::store_first(row.u + x, n, sum);
    } else {
      S::store_counts(row.u + x, sum);
    }
  }

  static void diffuse(const Row& row, const Flux& settings) {
    const FluxLanes<S> c = FluxLanes<S>::of(settings);
    I left = S::no_flux();
    std::uint32_t x = 0;
    for (; x + S::width < row.nx; x += S::width) step<false>(row, x, S::width, left, c);
    step<true>(row, x, row.nx - x, left, c);
  }

  static void between(const std::int32_t* u, const std::int32_t* next, std::int32_t* flux_z, std::uint32_t nx,
                      const Flux& settings) {
    const FluxLanes<S> c = FluxLanes<S>::of(settings);
    for (std::uint32_t x = 0; x < nx; x += S::width) {
      const I v = S::load_counts(u + x);
      S::store_counts(flux_z + x, passing(v, S::load_counts(next + x), masked ? S::counts(v) : M{}, c));
    }
  }
};

template <class S, Conduction G>
constexpr Kernels unmasked() {
  return {Loops<S, G, false>::diffuse, Loops<S, G, false>::between};
}
template <class S, Conduction G>
constexpr Kernels with_mask() {
  return {Loops<S, G, true>::diffuse, Loops<S, G, true>::between};
}

template <class S>
constexpr KernelTable kernels_of() {
  return {{{unmasked<S, Conduction::exponential>(), with_mask<S, Conduction::exponential>()},
           {unmasked<S, Conduction::rational>(), with_mask<S, Conduction::rational>()}}};
}

}  // namespace
}  // namespace datum::diffusion
