#include "gpu/diffusion/diffusion.h"

#include <algorithm>
#include <cstring>
#include <stdexcept>
#include <string>
#include <vector>

#include "gpu/core/isa_table.h"
#include "gpu/core/parallel_for.h"
#include "gpu/diffusion/diffusion_kernels.h"
#include "gpu/diffusion/diffusion_survey.h"

namespace datum {
namespace diffusion {

extern const KernelTable kernels_scalar, kernels_avx2, kernels_avx512, kernels_neon;

const Kernels& kernels(Isa isa, Conduction conduction, bool masked) {
  const KernelTable& table = loops_of<KernelTable>(isa, DATUM_ISA_TABLE(kernels), "diffusion");
  return table.of[conduction == Conduction::rational][masked];
}

namespace {

using Plane = std::vector<std::int32_t>;

constexpr std::uint32_t strip =
    32;  // rows of a plane that go through all planes together: they stay in the cache

/// Planes that one thread changes, with their neighbours' planes as they were.
struct Slab {
  std::uint32_t first, end;
  Plane before, after;  // copies of planes first - 1 and end; empty at the grid's border
};

class Diffuser {
 public:
  Diffuser(std::int32_t* counts, const DiffusionGrid& g, const Kernels& loops, unsigned threads)
      : counts_(counts),
        nx_(g.nx),
        ny_(g.ny),
        nz_(g.nz),
        pitch_((g.nx + slack - 1) / slack * slack),
        loops_(loops),
        threads_(threads),
        flux_y_(std::size_t{pitch_} * nz_),
        scratch_(std::max(1u, threads)) {
    if (nz_ == 1) std::swap(ny_, nz_);  // a map is a volume whose planes are rows
    flux_y_.resize(std::size_t{pitch_} * nz_);
    const std::uint32_t slabs = std::min(nz_, 2 * std::max(1u, threads));
    for (std::uint32_t i = 0; i < slabs; ++i)
      slabs_.push_back({static_cast<std::uint32_t>(std::uint64_t{nz_} * i / slabs),
                        static_cast<std::uint32_t>(std::uint64_t{nz_} * (i + 1) / slabs),
                        {},
                        {}});
  }

  void iterate(const Flux& flux) {
    parallel_for(threads_, slabs_.size(), [&](std::size_t i, unsigned) { keep_neighbours(slabs_[i]); });
    parallel_for(threads_, slabs_.size(),
                 [&](std::size_t i, unsigned slot) { diffuse(slabs_[i], flux, scratch_[slot]); });
  }

 private:
  struct Scratch {
    Plane flux_z, row[3];
  };

  std::int32_t* row_at(std::uint32_t y, std::uint32_t z) const {
    return counts_ + (std::size_t{z} * ny_ + y) * nx_;
  }
  void copy_plane(std::uint32_t z, Plane& to) const {
    const std::size_t n = std::size_t{nx_} * ny_;
    to.resize(n + slack + 1);
    std::memcpy(to.data(), row_at(0, z), n * sizeof(std::int32_t));
  }
  void keep_neighbours(Slab& slab) const {
    if (slab.first > 0) copy_plane(slab.first - 1, slab.before);
    if (slab.end < nz_) copy_plane(slab.end, slab.after);
  }

  void diffuse(const Slab& slab, const Flux& flux, Scratch& scratch) {
    std::fill(flux_y_.begin() + static_cast<std::ptrdiff_t>(std::size_t{slab.first} * pitch_),
              flux_y_.begin() + static_cast<std::ptrdiff_t>(std::size_t{slab.end} * pitch_), 0);
    scratch.flux_z.resize(std::size_t{pitch_} * strip);
    for (std::uint32_t y = 0; y < ny_; y += strip) {
      const std::uint32_t end = std::min(ny_, y + strip);
      begin_strip(slab, y, end, flux, scratch);
      for (std::uint32_t z = slab.first; z < slab.end; ++z)
        for (std::uint32_t k = y; k < end; ++k)
          diffuse_row(slab, k, z, &scratch.flux_z[std::size_t{k - y} * pitch_], flux, scratch);
    }
  }

  void begin_strip(const Slab& slab, std::uint32_t y, std::uint32_t end, const Flux& flux,
                   Scratch& scratch) const {
    std::fill(scratch.flux_z.begin(), scratch.flux_z.end(), 0);
    if (slab.first == 0) return;
    for (std::uint32_t k = y; k < end; ++k)
      loops_.between(&slab.before[std::size_t{k} * nx_],
                     with_slack(slab, row_at(k, slab.first), scratch.row[0]),
                     &scratch.flux_z[std::size_t{k - y} * pitch_], nx_, flux);
  }

  void diffuse_row(const Slab& slab, std::uint32_t y, std::uint32_t z, std::int32_t* flux_z, const Flux& flux,
                   Scratch& scratch) {
    std::int32_t* const u = row_at(y, z);
    std::int32_t* const work = with_slack(slab, u, scratch.row[0]);
    Row row{work, work, work, &flux_y_[std::size_t{z} * pitch_], flux_z, nx_};
    if (y + 1 < ny_) row.below = with_slack(slab, u + nx_, scratch.row[1]);
    if (z + 1 < slab.end) {
      row.next = with_slack(slab, row_at(y, z + 1), scratch.row[2]);
    } else if (z + 1 < nz_) {
      row.next = &slab.after[std::size_t{y} * nx_];
    }
    loops_.diffuse(row, flux);
    if (work != u) std::memcpy(u, work, nx_ * sizeof *u);
  }

  /// The row, or a copy of it where whole lanes would reach beyond the slab.
  std::int32_t* with_slack(const Slab& slab, std::int32_t* row, Plane& copy) const {
    if (row + nx_ + slack + 1 <= counts_ + std::size_t{slab.end} * ny_ * nx_) return row;
    copy.resize(nx_ + slack + 1);
    std::memcpy(copy.data(), row, nx_ * sizeof *row);
    return copy.data();
  }

  std::int32_t* counts_;
  std::uint32_t nx_, ny_, nz_, pitch_;
  const Kernels& loops_;
  unsigned threads_;
  Plane flux_y_;  // a row for each plane, from strip to strip
  std::vector<Slab> slabs_;
  std::vector<Scratch> scratch_;
};

}  // namespace
}  // namespace diffusion

const char* name_of(Conduction conduction) {
  return conduction == Conduction::exponential ? "exponential" : "rational";
}

const char* name_of(KappaRule rule) {
  switch (rule) {
    case KappaRule::fixed:
      return "fixed";
    case KappaRule::mean_gradient:
      return "mean_gradient";
    case KappaRule::robust:
      return "robust";
  }
  return "unknown";
}

DiffusionRecord diffuse(std::int32_t* counts, const DiffusionGrid& grid, const DiffusionSettings& settings,
                        const Backend& backend) {
  using namespace diffusion;
  check(grid, settings);
  const Survey found = survey(counts, grid, backend);
  DiffusionRecord record;
  record.faces = found.faces;
  record.first_kappa = record.last_kappa = first_kappa(counts, grid, settings, found, backend);
  Diffuser diffuser(counts, grid, kernels(backend.isa, settings.conduction, found.masked(grid)),
                    backend.threads);
  Flux flux = flux_settings(settings.lambda, axes_of(grid));
  for (std::uint32_t i = 0; i < settings.iterations; ++i) {
    if (i > 0 && settings.rule == KappaRule::mean_gradient)
      record.last_kappa = mean_gradient(gradient_sum(counts, grid, backend), found.faces);
    flux.per_kappa = per_kappa(settings.conduction, record.last_kappa);
    diffuser.iterate(flux);
  }
  return record;
}

}  // namespace datum
