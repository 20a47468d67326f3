#include <complex>

#include "gpu/diffusion/diffusion.h"
#include "gpu/fft/fft.h"
#include "gpu/fourier_profilometry/fourier_profilometry.h"
#include "gpu/fringe_phase/fringe_phase.h"
#include "gpu/phase_correlation/phase_correlation.h"
#include "tests/gpu/kernel_hashes.h"

namespace datum::testing {
namespace {

template <class Word>
void add_fft(Hash& hash, std::size_t points, const Backend& backend) {
  constexpr std::size_t rows = 3;
  Noise noise(points);
  const Fft<Word> fft(points);
  std::vector<std::complex<Word>> in(points * rows), out(points * rows), bins(fft.real_bins() * rows);
  std::vector<Word> real(points * rows), back(points * rows);
  for (auto& v : in) v = {static_cast<Word>(noise.next()), static_cast<Word>(noise.next())};
  for (auto& v : real) v = static_cast<Word>(noise.next());
  fft.forward(in.data(), rows, backend, out.data());
  hash.all(out);
  fft.inverse(in.data(), rows, backend, out.data());
  hash.all(out);
  fft.forward_real(real.data(), rows, backend, bins.data());
  hash.all(bins);
  fft.inverse_real(bins.data(), rows, backend, back.data());
  hash.all(back);
}

/// A triangle's wave of this period, 0 to 200, whose place along the row wanders from row to row, with noise.
std::vector<std::uint8_t> stripes(std::uint32_t width, std::uint32_t height, std::uint32_t period,
                                  std::uint32_t phase, std::uint64_t seed) {
  Noise noise(seed);
  std::vector<std::uint8_t> image(std::size_t{width} * height);
  for (std::uint32_t y = 0; y < height; ++y)
    for (std::uint32_t x = 0; x < width; ++x) {
      const std::uint32_t place = (x * 16 + y + phase) % (period * 16), half = period * 8;
      // NOLINTNEXTLINE(clang-analyzer-core.DivideZero): no period is 0
      const std::uint32_t grey = (place < half ? place : 2 * half - place) * 200 / half;
      image[std::size_t{y} * width + x] = static_cast<std::uint8_t>(grey + 10 + noise.word() % 16);
    }
  return image;
}

}  // namespace

std::uint64_t hash_of_fft(const Backend& backend) {
  Hash hash;
  for (const std::size_t points : {16u, 64u, 512u, 2048u, 16384u}) {
    add_fft<float>(hash, points, backend);
    add_fft<double>(hash, points, backend);
  }
  return hash.value();
}

std::uint64_t hash_of_fourier_profilometry(const Backend& backend) {
  constexpr std::uint32_t width = 500, height = 37;
  const std::vector<std::uint8_t> image = stripes(width, height, 10, 0, 31);
  FourierSettings settings;
  settings.period_px = 10;
  settings.camera_maximum = 224;  // some samples reach it
  std::vector<FourierClass> classes(image.size());
  std::vector<float> phase(image.size()), modulation(image.size());
  const FourierProfilometry fringes(width, settings);
  fringes.demodulate({image.data(), SampleType::u8, width, height}, backend,
                     {classes.data(), phase.data(), modulation.data()});
  Hash hash;
  hash.all(classes);
  hash.all(phase);
  hash.all(modulation);
  hash.add(fringes.reach_px(), fringes.phase_noise_rad(1, 100));
  return hash.value();
}

std::uint64_t hash_of_phase_correlation(const Backend& backend) {
  constexpr std::uint32_t cols = 128, rows = 64;
  Noise noise(41);
  const std::vector<float> scene = noise.row(std::size_t{cols + 8} * (rows + 8), 100);
  std::vector<float> reference(std::size_t{cols} * rows), image(reference.size());
  for (std::uint32_t y = 0; y < rows; ++y)
    for (std::uint32_t x = 0; x < cols; ++x) {
      reference[y * cols + x] = scene[(y + 4) * (cols + 8) + x + 4];
      image[y * cols + x] = scene[(y + 1) * (cols + 8) + x + 6];
    }
  CorrelationSettings settings;
  settings.most_shift_px = 16;
  const CorrelationShift s =
      PhaseCorrelation(reference.data(), cols, rows, settings).find(image.data(), backend);
  Hash hash;
  hash.add(s.kind, s.x_px, s.y_px, s.peak, s.ratio);
  return hash.value();
}

std::uint64_t hash_of_fringe_phase(const Backend& backend) {
  constexpr std::uint32_t width = 301, height = 40, steps = 4;
  FringePattern pattern;
  pattern.steps = steps;
  pattern.periods = 2;
  pattern.period_px[0] = 16;
  pattern.period_px[1] = 20;
  pattern.width_px = 80;
  FringeLimits limits;
  limits.camera_maximum = 224;
  limits.agreement_px = 4;  // a triangle's wave is no sine
  std::vector<std::vector<std::uint8_t>> samples;
  std::vector<const void*> images;
  for (const std::uint32_t period : {16u, 20u})
    for (std::uint32_t k = 0; k < steps; ++k)
      samples.push_back(stripes(width, height, period, period * 16 * k / steps, 50 + period + k));
  for (const auto& s : samples) images.push_back(s.data());
  const std::size_t size = std::size_t{width} * height;
  std::vector<FringeClass> classes(size);
  std::vector<float> column(size), sigma(size), modulation(size), mean(size), residual(size);
  FringeMaps maps;
  maps.classes = classes.data();
  maps.column_px = column.data();
  maps.sigma_px = sigma.data();
  maps.modulation = modulation.data();
  maps.mean = mean.data();
  maps.residual = residual.data();
  demodulate({images.data(), SampleType::u8, width, height}, pattern, limits, nullptr, backend, maps);
  Hash hash;
  hash.all(classes);
  for (const auto* map : {&column, &sigma, &modulation, &mean, &residual}) hash.all(*map);
  return hash.value();
}

std::uint64_t hash_of_diffusion(const Backend& backend) {
  Hash hash;
  for (const Conduction conduction : {Conduction::exponential, Conduction::rational})
    for (const KappaRule rule : {KappaRule::robust, KappaRule::mean_gradient})
      for (const std::uint32_t nz : {1u, 6u}) {
        const DiffusionGrid grid{67, 41, nz};
        Noise noise(60 + nz);
        std::vector<std::int32_t> counts(grid.size());
        for (std::size_t i = 0; i < counts.size(); ++i)
          counts[i] = i % 17 == 3 ? no_count_32
                                  : static_cast<std::int32_t>(noise.next() * 300) + (i / 30 % 2 ? 5000 : 0);
        DiffusionSettings settings;
        settings.conduction = conduction;
        settings.rule = rule;
        settings.lambda = 0.15;
        settings.iterations = 5;
        const DiffusionRecord record = diffuse(counts.data(), grid, settings, backend);
        hash.all(counts);
        hash.add(record.first_kappa, record.last_kappa, record.faces);
      }
  return hash.value();
}

}  // namespace datum::testing
