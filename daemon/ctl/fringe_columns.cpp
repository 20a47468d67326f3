#include "daemon/ctl/fringe_columns.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <cmath>
#include <stdexcept>

#include "daemon/ctl/fringe_column_picture.h"
#include "daemon/pictures/page.h"
#include "drivers/frame/frame_error.h"
#include "drivers/sensor/file_bytes.h"
#include "drivers/sensor/raster.h"
#include "gpu/fringe_phase/unwrap_plan.h"

namespace datum {
namespace {

Raster read_image(const std::filesystem::path& file) {
  constexpr std::size_t largest = std::size_t{1} << 30;
  const Bytes bytes = read_bytes(link_followed(file), largest);
  const std::string end = file.extension().string();
  if (end == ".png") return read_png(bytes, file.string());
  if (end == ".tif" || end == ".tiff") return read_tiff(bytes, file.string());
  throw FrameError(file.string() + ": not a .png, .tif or .tiff; give the camera's images as one of these");
}

struct Images {
  std::vector<Raster> rasters;
  SampleType type = SampleType::u8;
  std::uint32_t width = 0, height = 0;

  const void* samples(std::size_t i) const {
    return std::visit([](const auto& v) -> const void* { return v.data(); }, rasters[i].samples);
  }
};

Images read_images(const std::vector<std::string>& files) {
  Images all;
  for (const std::string& file : files) {
    all.rasters.push_back(read_image(file));
    const Raster &first = all.rasters.front(), &last = all.rasters.back();
    const bool bytes = std::holds_alternative<std::vector<std::uint8_t>>(last.samples);
    if (!bytes && !std::holds_alternative<std::vector<std::uint16_t>>(last.samples))
      throw FrameError(file + ": not grey of 8 or 16 bits; give the camera's raw images");
    if (last.rows != first.rows || last.cols != first.cols || last.samples.index() != first.samples.index())
      throw FrameError(file + ": differs from " + files.front() +
                       " in size or depth; give images of one camera");
    all.type = bytes ? SampleType::u8 : SampleType::u16;
  }
  all.width = static_cast<std::uint32_t>(all.rasters[0].cols);
  all.height = static_cast<std::uint32_t>(all.rasters[0].rows);
  return all;
}

FringePattern pattern_of(const FringeColumnsOptions& o) {
  if (o.periods_px.size() > most_periods)
    throw std::invalid_argument(
        fmt::format("{} periods; 1 to {} are wanted", o.periods_px.size(), most_periods));
  if (o.images.size() % o.periods_px.size() != 0)
    throw std::invalid_argument(
        fmt::format("{} images are no whole number for each of {} periods; give them "
                    "period by period, in each step by step",
                    o.images.size(), o.periods_px.size()));
  FringePattern p;
  p.periods = static_cast<std::uint32_t>(o.periods_px.size());
  p.steps = static_cast<std::uint32_t>(o.images.size() / o.periods_px.size());
  for (std::uint32_t i = 0; i < p.periods; ++i) p.period_px[i] = static_cast<float>(o.periods_px[i]);
  p.width_px = static_cast<float>(o.projector_px);
  p.direction = o.backwards ? -1.f : 1.f;
  p.zero_turns = static_cast<float>(o.zero_turns);
  return p;
}

/// Demodulates every `stride`-th step of the periods [first, first + periods).
void demodulate_some(const Images& images, std::uint32_t all_steps, std::uint32_t first, std::uint32_t stride,
                     const FringePattern& pattern, const FringeLimits& limits, const FringeMaps& maps) {
  std::vector<const void*> samples;
  for (std::uint32_t i = 0; i < pattern.periods; ++i)
    for (std::uint32_t k = 0; k < pattern.steps; ++k)
      samples.push_back(images.samples((first + i) * all_steps + k * stride));
  demodulate({samples.data(), images.type, images.width, images.height}, pattern, limits, nullptr,
             cpu_backend(), maps);
}

/// Phase of one period in turns from every `stride`-th step: the column within the period.
std::vector<float> phase_of(const Images& images, const FringePattern& pattern, std::uint32_t period,
                            std::uint32_t stride, const FringeLimits& limits) {
  FringePattern one = pattern;
  one.periods = 1;
  one.steps = pattern.steps / stride;
  one.period_px[0] = one.width_px = pattern.period_px[period];
  FringeLimits all = limits;
  all.min_modulation = 1e-3f;
  all.agreement_px = 1e-6f;
  std::vector<FringeClass> classes(std::size_t{images.width} * images.height);
  std::vector<float> turns(classes.size());
  FringeMaps maps;
  maps.classes = classes.data();
  maps.column_px = turns.data();
  demodulate_some(images, pattern.steps, period, stride, one, all, maps);
  for (float& t : turns) t /= one.width_px;
  return turns;
}

/// Difference to all steps, rms in rad over all ok pixels and periods.
double rms_of_fewer(const Images& images, const FringePattern& pattern, const FringeLimits& limits,
                    std::uint32_t stride, const std::vector<FringeClass>& classes) {
  double square = 0;
  std::size_t n = 0;
  for (std::uint32_t period = 0; period < pattern.periods; ++period) {
    const std::vector<float> few = phase_of(images, pattern, period, stride, limits);
    const std::vector<float> truth = phase_of(images, pattern, period, 1, limits);
    for (std::size_t i = 0; i < classes.size(); ++i) {
      if (classes[i] != FringeClass::ok) continue;
      const double apart = static_cast<double>(few[i]) - static_cast<double>(truth[i]);
      square += std::pow(2 * M_PI * (apart - std::round(apart)), 2);
      ++n;
    }
  }
  return std::sqrt(square / static_cast<double>(n));
}

double median_of_ok(const std::vector<float>& values, const std::vector<FringeClass>& classes) {
  std::vector<float> good;
  for (std::size_t i = 0; i < values.size(); ++i)
    if (classes[i] == FringeClass::ok) good.push_back(values[i]);
  const auto middle = good.begin() + static_cast<std::ptrdiff_t>(good.size() / 2);
  std::nth_element(good.begin(), middle, good.end());
  return static_cast<double>(*middle);
}

std::string words_of(const FringePattern& p, const UnwrapPlan& plan) {
  std::string text = fmt::format("{} steps", p.steps);
  if (p.steps == 3)
    text +=
        " (a profile refuses them: what bends the sine stays in the phase, orders are wrong; take 4 or more)";
  text += fmt::format("; unwrapped by {:.6g} px", plan.level[0].period_px);
  if (plan.levels == 2) text += fmt::format(" and {:.6g} px", plan.level[1].period_px);
  text += fmt::format("; bears a phase noise of {:.3f} rad\n", plan.noise_limit_rad);
  if (plan.edge_px > 0)
    text += fmt::format("columns within {:.0f} px of the projector's edges are UNWRAP\n", plan.edge_px);
  return text;
}

}  // namespace

CLI::App* add_fringe_columns(CLI::App& fringe, FringeColumnsOptions& o) {
  auto* c = fringe.add_subcommand(
      "columns",
      "what raw images of fringes hold: classes, columns of the projector, modulation, noise, a picture");
  c->add_option("images", o.images, "PNG or TIFF, period by period, in each step by step")->required();
  c->add_option("--period", o.periods_px, "of the fringes in projector px, one for each")->required();
  c->add_option("--projector-px", o.projector_px, "width of the projector across its fringes")->required();
  c->add_flag("--backwards", o.backwards, "the steps move the fringes towards smaller columns");
  c->add_option("--zero-turns", o.zero_turns, "phase at the projector's column 0: -0.25 for a sine")
      ->capture_default_str();
  c->add_option("--camera-maximum", o.camera_maximum, "a sample that reaches it is saturated")
      ->capture_default_str();
  c->add_option("--min-modulation", o.limits.min_modulation, "in grey")->capture_default_str();
  c->add_option("--agreement-px", o.limits.agreement_px, "between the periods' columns, at the shortest")
      ->capture_default_str();
  c->add_option("--noise-grey", o.limits.noise_grey, "standard deviation of a sample")->capture_default_str();
  c->add_option("--picture", o.picture, ".png, .svg or .pdf to write: columns less their mean plane")
      ->check(picture_name_fault);
  return c;
}

std::string fringe_columns(const FringeColumnsOptions& o) {
  const FringePattern p = pattern_of(o);
  FringeLimits limits = o.limits;
  limits.camera_maximum = static_cast<float>(o.camera_maximum);
  const UnwrapPlan plan = plan_unwrapping(p, limits.agreement_px);
  const Images images = read_images(o.images);
  const std::size_t n = std::size_t{images.width} * images.height;
  std::vector<FringeClass> classes(n);
  std::vector<float> column(n), sigma(n), modulation(n), residual(p.steps > 3 ? n : 0);
  FringeMaps maps{classes.data(), column.data(), sigma.data(), modulation.data()};
  if (p.steps > 3) maps.residual = residual.data();
  demodulate_some(images, p.steps, 0, 1, p, limits, maps);
  std::string text = words_of(p, plan) + fmt::format("{} x {} pixels:", images.width, images.height);
  for (const FringeClass c :
       {FringeClass::ok, FringeClass::saturated, FringeClass::low_modulation, FringeClass::unwrap})
    text += fmt::format("{} {} {}", c == FringeClass::ok ? "" : ",",
                        std::count(classes.begin(), classes.end(), c), name_of(c));
  text += '\n';
  if (std::count(classes.begin(), classes.end(), FringeClass::ok) == 0) return text;
  text += fmt::format("medians: modulation {:.1f} grey, column's noise {:.4f} px",
                      median_of_ok(modulation, classes), median_of_ok(sigma, classes));
  if (p.steps > 3)
    text += fmt::format(", samples off the sine {:.1f} grey rms", median_of_ok(residual, classes));
  text += '\n';
  for (std::uint32_t steps = 3; steps <= p.steps / 2; ++steps)
    if (p.steps % steps == 0)
      text += fmt::format("{} of these {} steps: phase {:.4f} rad rms off\n", steps, p.steps,
                          rms_of_fewer(images, p, limits, p.steps / steps, classes));
  if (!o.picture.empty())
    text += write_column_picture(o.picture, column, classes, static_cast<int>(images.width),
                                 static_cast<int>(images.height));
  return text;
}

}  // namespace datum
