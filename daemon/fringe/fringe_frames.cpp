#include "daemon/fringe/fringe_frames.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>

#include "daemon/fringe/fringe_ripple.h"
#include "drivers/frame/frame_error.h"

namespace datum {
namespace {

constexpr const char* version = "1";

PixelClass class_of(FringeClass c) {
  switch (c) {
    case FringeClass::ok:
      return PixelClass::ok;
    case FringeClass::saturated:
      return PixelClass::saturated;
    case FringeClass::low_modulation:
      return PixelClass::low_modulation;
    case FringeClass::unwrap:
      return PixelClass::unwrap;
    case FringeClass::out_of_range:
      return PixelClass::out_of_range;
  }
  return PixelClass::no_data;
}

template <class T>
ByteView bytes_of(const std::vector<T>& values) {
  return {reinterpret_cast<const std::uint8_t*>(values.data()), values.size() * sizeof(T)};
}

IntensityImage mean_image(const RawSet& set, const MeasuredFringes& measured) {
  IntensityImage image{
      set.rows, set.cols, {}, std::holds_alternative<std::vector<std::uint8_t>>(set.grey) ? 8 : 16};
  image.grey.reserve(measured.mean.size());
  // NOLINTNEXTLINE(bugprone-incorrect-roundings): no grey is negative
  for (const float grey : measured.mean) image.grey.push_back(static_cast<std::uint16_t>(grey + 0.5f));
  return image;
}

StepRecord record_of(const RawSet& set, const FringeSettings& s, const PhaseCalibration& c,
                     const MeasuredFringes& m, const FringeRipple& ripple) {
  StepRecord r{"fringe demodulation", version, {}, {}, {}, {}, {}};
  r.parameters = {{"mode", s.steps == 1 ? "fourier" : "phase shift"},
                  {"steps", fmt::format("{}", s.steps)},
                  {"periods_px", fmt::format("{}", fmt::join(s.periods_px, " "))},
                  {"projector_px", fmt::format("{}", s.projector_px)},
                  {"camera_maximum", fmt::format("{}", s.camera_maximum)},
                  {"min_modulation_grey", fmt::format("{}", s.min_modulation)},
                  {"agreement_px", fmt::format("{}", s.agreement_px)},
                  {"phase_to_height", c.id},
                  {"phase_to_height_sha256", c.sha256}};
  r.input_sha256 = set.content_sha256;
  r.output_sha256 = sha256_hex({bytes_of(m.height), bytes_of(m.classes)});
  for (const FringeClass kind : {FringeClass::ok, FringeClass::saturated, FringeClass::low_modulation,
                                 FringeClass::unwrap, FringeClass::out_of_range})
    r.health.emplace_back(std::string(name_of(class_of(kind))) + "_px",
                          static_cast<double>(count_of(m, kind)));
  r.health.emplace_back("median_modulation_grey", median_of_ok(m, m.modulation));
  if (!m.residual.empty()) r.health.emplace_back("median_residual_grey", median_of_ok(m, m.residual));
  r.health.emplace_back("median_noise_um", median_of_ok(m, m.height_sigma_um));
  r.health.emplace_back("phase_model_u_um", c.u_model_um);
  r.health.emplace_back("contrast_ripple_um", ripple.height_um);
  if (ripple.height_um > 2 * c.u_model_um)
    r.warnings.push_back(fmt::format(
        "contrast waves with the fringes about row {}, column {} (share {:.3f}): light by way of another "
        "face, or a projector "
        "whose steps are uneven; heights there may be {:.1f} um off, which is in the phase's uncertainty",
        ripple.row, ripple.col, ripple.share, ripple.height_um));
  if (s.steps == 1) {
    r.health.emplace_back("ROW_END_px", static_cast<double>(count_of(m, row_end_class)));
    r.warnings.push_back("a single image: walls of components break it; for bare boards and paste only");
  }
  return r;
}

}  // namespace

FringeFrames::FringeFrames(FringeSettings settings, PhaseCalibration calibration,
                           std::shared_ptr<FringeDemodulator> demodulator)
    : settings_(std::move(settings)),
      calibration_(std::move(calibration)),
      demodulator_(std::move(demodulator)) {
  if (settings_.steps == 1) single_shot_ = std::make_unique<const SingleShot>(settings_, calibration_);
}

HeightFrame FringeFrames::read(const std::filesystem::path& delivery, const SensorProfile& profile) const {
  const RawSet set = read_raw_set(delivery, settings_, profile.most_pixels, profile.parser.get());
  const HeightModel model = calibration_.model();
  MeasuredFringes m = single_shot_ ? single_shot_->measure(set, *demodulator_)
                                   : measure_fringes(set, settings_, &model, *demodulator_);
  HeightFrame frame;
  frame.rows = set.rows;
  frame.cols = set.cols;
  const double pitch_mm = profile.pixel_pitch_mm.value_or(0);  // 0 is refused when the frame is accepted
  frame.x = {pitch_mm, settings_.origin_mm[0]};
  frame.y = {pitch_mm, settings_.origin_mm[1]};
  frame.z = {calibration_.lsb_um * 1e-3, 0};
  frame.delivered = set.sidecar.handedness;
  frame.sensor_serial = set.sidecar.sensor_serial;
  frame.frame_id = set.sidecar.frame_id;
  frame.unit_id = set.sidecar.unit_id;
  frame.job = set.sidecar.job_name;
  frame.job_hash = set.sidecar.job_hash;
  frame.captured = set.sidecar.captured;
  frame.content_sha256 = set.content_sha256;
  frame.source = set.source;
  if (!m.mean.empty()) frame.intensity = mean_image(set, m);
  const FringeRipple ripple =
      single_shot_ ? FringeRipple{}
                   : ripple_of(m, set.rows, set.cols,
                               *std::min_element(settings_.periods_px.begin(), settings_.periods_px.end()));
  frame.stages = {record_of(set, settings_, calibration_, m, ripple)};
  const double noise_um = median_of_ok(m, m.height_sigma_um);
  frame.phase_uncertainty =
      PhaseUncertainty{std::isnan(noise_um) ? 0 : noise_um,
                       std::hypot(calibration_.u_model_um, ripple.height_um / std::sqrt(3.0))};
  frame.classes.reserve(m.classes.size());
  for (const FringeClass c : m.classes) frame.classes.push_back(class_of(c));
  frame.counts = std::move(m.height);
  return frame;
}

std::vector<std::string> FringeFrames::files_of(const std::string& sidecar) const {
  return image_names(settings_, std::filesystem::path(sidecar).stem().string());
}

std::string FringeFrames::refusal(const CellMoment& now) const { return datum::refusal(calibration_, now); }

std::optional<double> FringeFrames::good_at_degc() const {
  return calibration_.temperature ? std::optional(calibration_.temperature->measured_degc) : std::nullopt;
}

}  // namespace datum
