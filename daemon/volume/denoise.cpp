#include "daemon/volume/denoise.h"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <algorithm>
#include <cmath>
#include <limits>

#include "config/toml_reader.h"
#include "daemon/version/version.h"
#include "gpu/core/height_map.h"

namespace datum {
namespace {

using config::shown;

constexpr double most_steps = 1 << 30;
// A face holds back less than a step of lambda kappa / e, its flux at kappa: below 2 % at lambda = 1/6.
constexpr double least_kappa_steps = 1024;

/// How samples become steps: step = (sample - middle) * per_sample.
struct Scale {
  double middle = 0, per_sample = 1;
  std::uint64_t voxels = 0;
};

template <class T>
bool is_missing(T sample, const DenoiseSettings& s) {
  if (!s.missing) return false;
  if constexpr (std::is_floating_point_v<T>)
    if (std::isnan(*s.missing)) return std::isnan(sample);
  return static_cast<double>(sample) == *s.missing;
}

std::string place_of(const VolumeHeader& h, std::size_t i) {
  return fmt::format("voxel x {}, y {}, z {}", i % h.size[0], i / h.size[0] % h.size[1],
                     i / h.size[0] / h.size[1]);
}

/// The largest power of two for which the samples span less than 2^30 steps; of integers at least 1.
double steps_per_sample(double span, bool integers, const std::string& name) {
  if (!(span < 2 * most_steps) && integers)
    throw VolumeError(
        fmt::format("{}: its samples span {}; less than 2^31 is wanted: mark outliers by --missing, or "
                    "cut the range",
                    name, shown(span)));
  if (span == 0) return 1;
  const double steps = std::exp2(std::floor(std::log2(most_steps / span)));
  const double fitting = steps * span < most_steps ? steps : steps / 2;
  return integers ? std::max(1.0, fitting) : fitting;
}

template <class T>
Scale scale_of(const Volume& v, const DenoiseSettings& s, const std::string& name) {
  double low = std::numeric_limits<double>::infinity(), high = -low;
  Scale scale;
  const std::size_t n = v.header.voxels();
  for (std::size_t i = 0; i < n; ++i) {
    const T sample = sample_at<T>(v.samples, i);
    if (is_missing(sample, s)) continue;
    if constexpr (std::is_floating_point_v<T>)
      if (!std::isfinite(sample))
        throw VolumeError(
            fmt::format("{}: {} is {}; wanted: finite samples{}", name, place_of(v.header, i), sample,
                        std::isnan(sample) ? ", or --missing nan, which leaves such voxels out" : ""));
    low = std::min(low, static_cast<double>(sample));
    high = std::max(high, static_cast<double>(sample));
    ++scale.voxels;
  }
  if (scale.voxels == 0) throw VolumeError(name + ": every voxel is missing; nothing can be denoised");
  if (!std::isfinite(high - low))
    throw VolumeError(name + ": its samples span more than a double holds; mark outliers by --missing");
  scale.per_sample = steps_per_sample(high - low, std::is_integral_v<T>, name);
  scale.middle = low + (high - low) / 2;
  if (std::is_integral_v<T>) scale.middle = std::floor(scale.middle);
  return scale;
}

template <class T>
std::vector<std::int32_t> steps_of(const Volume& v, const DenoiseSettings& s, const Scale& scale) {
  std::vector<std::int32_t> steps(v.header.voxels(), no_count_32);
  for (std::size_t i = 0; i < steps.size(); ++i) {
    const T sample = sample_at<T>(v.samples, i);
    if (!is_missing(sample, s))
      steps[i] = static_cast<std::int32_t>(
          std::nearbyint((static_cast<double>(sample) - scale.middle) * scale.per_sample));
  }
  return steps;
}

template <class T>
void put_back(Volume& v, const std::vector<std::int32_t>& steps, const Scale& scale, Denoised& out) {
  double squares = 0;
  for (std::size_t i = 0; i < steps.size(); ++i) {
    if (steps[i] == no_count_32) continue;
    const double value = scale.middle + steps[i] / scale.per_sample;
    const T after = static_cast<T>(std::is_integral_v<T> ? std::nearbyint(value) : value);
    const double change =
        std::abs(static_cast<double>(after) - static_cast<double>(sample_at<T>(v.samples, i)));
    out.largest_change = std::max(out.largest_change, change);
    squares += change * change;
    std::memcpy(v.samples.data() + i * sizeof after, &after, sizeof after);
  }
  out.rms_change = std::sqrt(squares / static_cast<double>(scale.voxels));
}

std::string sha256_of(const Volume& v) {
  return config::sha256_hex({reinterpret_cast<const char*>(v.samples.data()), v.samples.size()});
}

void check_kappa(double kappa, const std::string& name, double step) {
  if (kappa > 0 && kappa < least_kappa_steps)
    throw VolumeError(
        fmt::format("{}: kappa {} is {} steps of {}, into which the range of the samples is divided; at "
                    "least 1024 are wanted: mark outliers by --missing, cut the range, or raise --kappa",
                    name, shown(kappa * step), shown(std::floor(kappa)), shown(step)));
}

/// Runs all iterations, some at a time. A robust kappa is that of the first.
DiffusionRecord diffuse_by_pieces(std::vector<std::int32_t>& steps, const DiffusionGrid& grid,
                                  DiffusionSettings s, Diffuser& diffuser,
                                  const std::function<void(const DiffusionRecord&)>& check, Denoised& out,
                                  const std::function<void(std::uint32_t, std::uint32_t)>& progress) {
  constexpr std::uint32_t at_once = 5;
  const std::uint32_t all = s.iterations;
  DiffusionRecord whole;
  for (std::uint32_t done = 0; done < all;) {
    s.iterations = std::min(at_once, all - done);
    const DiffusionRecord part = diffuser.diffuse(steps.data(), grid, s);
    if (done == 0) whole = part;
    whole.last_kappa = part.last_kappa;
    if (out.backends.empty() || out.backends.back() != diffuser.describe())
      out.backends.push_back(diffuser.describe());
    check(part);
    done += s.iterations;
    progress(done, all);
    if (s.rule == KappaRule::robust) {
      if (part.first_kappa == 0) break;
      s.rule = KappaRule::fixed;
      s.kappa = part.first_kappa;
    }
  }
  return whole;
}

void warn_of_spacing(const VolumeHeader& h, Denoised& out) {
  const double *least = std::min_element(h.spacing, h.spacing + 3),
               *most = std::max_element(h.spacing, h.spacing + 3);
  if (*least > 0 && *most > 1.01 * *least)
    out.warnings.push_back(fmt::format(
        "voxels are {} x {} x {}{}{}: a difference between neighbours counts the same along each axis",
        shown(h.spacing[0]), shown(h.spacing[1]), shown(h.spacing[2]), h.spacing_unit.empty() ? "" : " ",
        h.spacing_unit));
}

template <class T>
Denoised denoise_as(Volume& v, const DenoiseSettings& settings, Diffuser& diffuser, const std::string& name,
                    const std::function<void(std::uint32_t, std::uint32_t)>& progress) {
  const VolumeHeader& h = v.header;
  const Scale scale = scale_of<T>(v, settings, name);
  Denoised out;
  out.voxels = scale.voxels;
  out.missing = h.voxels() - scale.voxels;
  out.before_sha256 = sha256_of(v);
  out.step = std::abs(h.slope) / scale.per_sample;
  DiffusionSettings s = settings.diffusion;
  if (s.rule == KappaRule::fixed) s.kappa /= out.step;
  if (s.rule == KappaRule::fixed) check_kappa(s.kappa, name, out.step);
  std::vector<std::int32_t> steps = steps_of<T>(v, settings, scale);
  const DiffusionRecord d = diffuse_by_pieces(
      steps, {h.size[0], h.size[1], h.size[2]}, s, diffuser,
      [&](const DiffusionRecord& part) { check_kappa(part.last_kappa, name, out.step); }, out, progress);
  out.first_kappa = d.first_kappa * out.step;
  out.last_kappa = d.last_kappa * out.step;
  put_back<T>(v, steps, scale, out);
  out.largest_change *= std::abs(h.slope);
  out.rms_change *= std::abs(h.slope);
  out.after_sha256 = sha256_of(v);
  if (d.first_kappa == 0)
    out.warnings.push_back(
        "kappa is 0: most neighbours are equal, nothing was smoothed; give --kappa a number");
  warn_of_spacing(h, out);
  return out;
}

std::string kappa_text(const DenoiseSettings& s, const Denoised& d) {
  const std::string last = d.last_kappa == d.first_kappa ? "" : fmt::format(" to {:.6g}", d.last_kappa);
  return fmt::format("{:.6g}{} ({})", d.first_kappa, last, name_of(s.diffusion.rule));
}

}  // namespace

std::uint64_t denoise_memory(const VolumeHeader& h, unsigned threads, bool gpu) {
  const std::uint64_t plane = std::uint64_t{h.size[0]} * (h.size[2] > 1 ? h.size[1] : 1);
  // Samples, steps, two planes of two slabs a thread (gpu/diffusion/diffusion.cpp); with a GPU the steps before and after.
  return h.voxels() * (bytes_of(h.type) + sizeof(std::int32_t) * (gpu ? 3 : 1)) +
         plane * sizeof(std::int32_t) * 4 * threads + (std::uint64_t{32} << 20);
}

Denoised denoise(Volume& volume, const DenoiseSettings& settings, Diffuser& diffuser, const std::string& name,
                 const std::function<void(std::uint32_t done, std::uint32_t of)>& progress) {
  return with_type(volume.header.type, [&](auto sample) {
    return denoise_as<decltype(sample)>(volume, settings, diffuser, name, progress);
  });
}

std::string summary_of(const DenoiseSettings& s, const Denoised& d) {
  return fmt::format("Perona-Malik {}, kappa {}, lambda {:.6g}, {} iterations; datumd {}",
                     name_of(s.diffusion.conduction), kappa_text(s, d), s.diffusion.lambda,
                     s.diffusion.iterations, code_id());
}

nlohmann::ordered_json record_of(const Volume& volume, const DenoiseSettings& s, const Denoised& d) {
  const VolumeHeader& h = volume.header;
  nlohmann::ordered_json out;
  out["step"] = "perona_malik";
  out["version"] = "1";
  out["code"] = code_id();
  out["backends"] = d.backends;
  out["size"] = h.size;
  out["sample_type"] = name_of(h.type);
  out["value_per_sample"] = h.slope;
  out["value_of_sample_0"] = h.offset;
  out["spacing"] = h.spacing;
  out["spacing_unit"] = h.spacing_unit;
  out["conduction"] = name_of(s.diffusion.conduction);
  out["kappa_rule"] = name_of(s.diffusion.rule);
  out["first_kappa"] = d.first_kappa;
  out["last_kappa"] = d.last_kappa;
  out["lambda"] = s.diffusion.lambda;
  out["iterations"] = s.diffusion.iterations;
  out["step_value"] = d.step;
  out["missing_sample"] = !s.missing               ? nlohmann::ordered_json()
                          : std::isnan(*s.missing) ? nlohmann::ordered_json("nan")
                                                   : nlohmann::ordered_json(*s.missing);
  out["voxels"] = d.voxels;
  out["missing_voxels"] = d.missing;
  out["largest_change"] = d.largest_change;
  out["rms_change"] = d.rms_change;
  out["input_samples_sha256"] = d.before_sha256;
  out["output_samples_sha256"] = d.after_sha256;
  out["warnings"] = d.warnings;
  return out;
}

}  // namespace datum
