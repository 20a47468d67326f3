#include "gpu/diffusion/diffusion_survey.h"

#include <algorithm>
#include <cmath>
#include <stdexcept>
#include <string>
#include <vector>

#include "gpu/core/parallel_for.h"
#include "gpu/core/vector_loop.h"
#include "gpu/diffusion/diffusion_math.h"

namespace datum::diffusion {
namespace {

constexpr std::size_t most_counts = std::size_t{1} << 30;

[[noreturn]] void refuse(const std::string& what) { throw std::invalid_argument("diffusion: " + what); }

/// work(row, below or null, next or null, slot) for every row of the grid.
template <class Work>
void for_each_row(const std::int32_t* counts, const DiffusionGrid& g, const Backend& backend,
                  const Work& work) {
  constexpr std::size_t batch = 64;
  const std::size_t rows = std::size_t{g.ny} * g.nz;
  parallel_for(backend.threads, (rows + batch - 1) / batch, [&](std::size_t i, unsigned slot) {
    for (std::size_t r = i * batch; r < std::min(rows, (i + 1) * batch); ++r) {
      const std::int32_t* row = counts + r * g.nx;
      const std::int32_t* below = r % g.ny + 1 < g.ny ? row + g.nx : nullptr;
      const std::int32_t* next = r / g.ny + 1 < g.nz ? row + std::size_t{g.nx} * g.ny : nullptr;
      work(row, below, next, slot);
    }
  });
}

/// The difference's size, and -1 where one of the two is no count.
DATUM_HD std::int64_t gradient(std::int32_t a, std::int32_t b) {
  const std::int64_t d = std::int64_t{b} - a;
  return a != no_count_32 && b != no_count_32 ? (d < 0 ? -d : d) : -1;
}

struct Extent {
  std::int32_t lowest = INT32_MAX, highest = INT32_MIN;
  std::uint64_t counts = 0, faces = 0;
};

void take(const std::int32_t* a, const std::int32_t* b, std::size_t n, Isa isa, std::uint64_t* faces) {
  vector_loop(isa, [=]() DATUM_VECTOR_LOOP {
    std::uint64_t both = 0;
    for (std::size_t i = 0; i < n; ++i) both += a[i] != no_count_32 && b[i] != no_count_32;
    *faces += both;
  });
}

/// In 32 bits until they are added: a difference of two counts is below 2^31.
void add_gradients(const std::int32_t* a, const std::int32_t* b, std::size_t n, Isa isa, std::uint64_t* sum) {
  vector_loop(isa, [=]() DATUM_VECTOR_LOOP {
    std::uint64_t all = 0;
    for (std::size_t i = 0; i < n; ++i) {
      const std::uint32_t up = static_cast<std::uint32_t>(b[i]) - static_cast<std::uint32_t>(a[i]);
      const std::uint32_t size = a[i] < b[i] ? up : 0u - up;
      all += a[i] != no_count_32 && b[i] != no_count_32 ? size : 0u;
    }
    *sum += all;
  });
}

/// Numbers of gradients by some of their bits.
struct Histogram {
  std::vector<std::uint64_t> bin;
  explicit Histogram(std::size_t bins) : bin(bins) {}
};

/// The bin in which the rank lies; the rank within it stays.
std::uint32_t bin_of(const std::vector<Histogram>& parts, std::uint64_t& rank) {
  for (std::size_t b = 0; b < parts[0].bin.size(); ++b) {
    std::uint64_t n = 0;
    for (const Histogram& part : parts) n += part.bin[b];
    if (rank <= n) return static_cast<std::uint32_t>(b);
    rank -= n;
  }
  return 0;
}

/// Histograms of all gradients for which bin(gradient) is not negative.
template <class Bin>
std::vector<Histogram> histograms(const std::int32_t* counts, const DiffusionGrid& g, const Backend& backend,
                                  const Bin& bin) {
  std::vector<Histogram> parts(std::max(1u, backend.threads), Histogram(65536));
  for_each_row(
      counts, g, backend,
      [&](const std::int32_t* row, const std::int32_t* below, const std::int32_t* next, unsigned slot) {
        std::vector<std::uint64_t>& to = parts[slot].bin;
        const auto add = [&](const std::int32_t* a, const std::int32_t* b, std::size_t n) {
          for (std::size_t i = 0; i < n; ++i) {
            const std::int64_t at = bin(gradient(a[i], b[i]));
            if (at >= 0) ++to[static_cast<std::size_t>(at)];
          }
        };
        add(row, row + 1, g.nx - 1);
        if (below) add(row, below, g.nx);
        if (next) add(row, next, g.nx);
      });
  return parts;
}

}  // namespace

void check(const DiffusionGrid& g, const DiffusionSettings& s) {
  if (g.nx == 0 || g.ny == 0 || g.nz == 0) refuse("the grid has no counts");
  if (std::size_t{g.nx} * g.ny > most_counts || g.size() > most_counts)
    refuse("more than 2^30 counts; cut the volume into several");
  const int axes = axes_of(g);
  if (!(s.lambda >= 1e-6 && s.lambda <= 1.0 / (2 * axes)))
    refuse("lambda " + std::to_string(s.lambda) + "; " +
           (axes == 2 ? "1e-6 to 1/4 is wanted for a map" : "1e-6 to 1/6 is wanted for a volume") +
           ", above it the scheme is not stable");
  if (s.rule == KappaRule::fixed ? !(s.kappa > 0) : s.kappa != 0)
    refuse(s.rule == KappaRule::fixed
               ? "kappa " + std::to_string(s.kappa) + "; a number above 0 is wanted"
               : std::string("kappa is given, but its rule computes it; use the fixed rule or "
                             "leave kappa at 0"));
}

Survey survey(const std::int32_t* counts, const DiffusionGrid& g, const Backend& backend) {
  std::vector<Extent> parts(std::max(1u, backend.threads));
  for_each_row(
      counts, g, backend,
      [&](const std::int32_t* row, const std::int32_t* below, const std::int32_t* next, unsigned slot) {
        Extent e = parts[slot];
        const std::size_t n = g.nx;
        vector_loop(backend.isa, [&e, row, n]() DATUM_VECTOR_LOOP {
          std::int32_t lowest = e.lowest, highest = e.highest;
          std::uint64_t valid = 0;
          for (std::size_t i = 0; i < n; ++i) {
            const bool there = row[i] != no_count_32;
            lowest = std::min(lowest, there ? row[i] : INT32_MAX);
            highest = std::max(highest, row[i]);
            valid += there;
          }
          e.lowest = lowest;
          e.highest = highest;
          e.counts += valid;
        });
        take(row, row + 1, n - 1, backend.isa, &e.faces);
        if (below) take(row, below, n, backend.isa, &e.faces);
        if (next) take(row, next, n, backend.isa, &e.faces);
        parts[slot] = e;
      });
  Extent all;
  for (const Extent& e : parts) {
    all.lowest = std::min(all.lowest, e.lowest);
    all.highest = std::max(all.highest, e.highest);
    all.counts += e.counts;
    all.faces += e.faces;
  }
  if (all.counts == 0) return {};
  if (std::int64_t{all.highest} - all.lowest > INT32_MAX)
    refuse("counts from " + std::to_string(all.lowest) + " to " + std::to_string(all.highest) +
           " span 2^31 or more; use a coarser step");
  return {all.counts, all.faces, all.lowest, all.highest};
}

std::uint64_t gradient_sum(const std::int32_t* counts, const DiffusionGrid& g, const Backend& backend) {
  std::vector<std::uint64_t> parts(std::max(1u, backend.threads));
  for_each_row(
      counts, g, backend,
      [&](const std::int32_t* row, const std::int32_t* below, const std::int32_t* next, unsigned slot) {
        add_gradients(row, row + 1, g.nx - 1, backend.isa, &parts[slot]);
        if (below) add_gradients(row, below, g.nx, backend.isa, &parts[slot]);
        if (next) add_gradients(row, next, g.nx, backend.isa, &parts[slot]);
      });
  std::uint64_t sum = 0;
  for (const std::uint64_t part : parts) sum += part;
  return sum;
}

std::uint32_t median_gradient(const std::int32_t* counts, const DiffusionGrid& g, std::uint64_t faces,
                              const Backend& backend) {
  if (faces == 0) return 0;
  std::uint64_t rank = (faces + 1) / 2;
  const auto coarse = histograms(counts, g, backend, [](std::int64_t d) { return d < 0 ? d : d >> 16; });
  const std::uint32_t high = bin_of(coarse, rank);
  const auto fine = histograms(counts, g, backend, [high](std::int64_t d) {
    return d >= 0 && d >> 16 == std::int64_t{high} ? d & 0xFFFF : std::int64_t{-1};
  });
  return (high << 16) + bin_of(fine, rank);
}

double first_kappa(const std::int32_t* counts, const DiffusionGrid& grid, const DiffusionSettings& settings,
                   const Survey& found, const Backend& backend) {
  switch (settings.rule) {
    case KappaRule::fixed:
      return settings.kappa;
    case KappaRule::mean_gradient:
      return mean_gradient(gradient_sum(counts, grid, backend), found.faces);
    case KappaRule::robust:
      return 2.5 * 1.4826 * median_gradient(counts, grid, found.faces, backend);
  }
  return 0;
}

}  // namespace datum::diffusion
