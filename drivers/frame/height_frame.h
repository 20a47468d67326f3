// HeightFrame: a 3D sensor's delivery in its own integers, with the scales that convert it to coordinates.
//
// A "frame" is a sensor's picture. Coordinates are right-handed sensor coordinates in mm (x along columns, y
// along rows, z towards the sensor). A left-handed delivery is mirrored once, at ingest
// (mirror_to_right_handed).
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "drivers/frame/step_record.h"

namespace datum {

class EarlyFrame;  // gpu/core/early_frame.h

/// Validity class of a pixel (daemon/inspection/METROLOGY.md, S0). A count of 0 is `ok` unless its format
/// defines otherwise.
enum class PixelClass : std::uint8_t {
  ok = 0,
  no_data,   // the format's "invalid" mark, NaN
  sentinel,  // a reserved number of this sensor (-4000, 0x8000)
  zero_pad,  // outside the measured field, where the format defines 0 so
  saturated,
  low_modulation,
  shadow,        // occluded
  out_of_range,  // outside the sensor's measuring range
  seam,          // stitching border
  speckle,
  unwrap,  // two fringe periods disagree on the projector's column
};
const char* name_of(PixelClass c);

enum class Handedness : std::uint8_t { right, left };

/// coordinate_mm = offset_mm + scale_mm * index, for x the column, for y the row, for z the count.
struct AxisScale {
  double scale_mm = 0;
  double offset_mm = 0;
  double at(double index) const { return offset_mm + scale_mm * index; }
};

enum class ClockDomain : std::uint8_t { unknown, sensor, host_monotonic, utc };
const char* name_of(ClockDomain c);

/// Span of monotonic host time in ns that surely contains an instant.
struct HostSpan {
  std::int64_t from_ns = 0, to_ns = 0;
};

/// Offset of a clock from the host's monotonic clock: host = clock + offset.
struct ClockOffset {
  std::int64_t offset_ns = 0;
  std::int64_t uncertainty_ns = 0;  // half width of the interval that surely contains it
};

struct CaptureTime {
  std::int64_t ns = 0;  // since the clock's zero; for utc since 1970-01-01
  ClockDomain clock = ClockDomain::unknown;
  std::optional<HostSpan> host = std::nullopt;       // where the sensor's clock was compared with the host's
  std::optional<ClockOffset> offset = std::nullopt;  // of that comparison
};

/// Encoder and frame counter of a sensor that has them.
struct SensorStamp {
  std::uint64_t frame_index = 0;
  std::int64_t encoder = 0;       // at the exposure, counts
  std::int64_t encoder_at_z = 0;  // at the encoder's last index pulse
  std::uint64_t status = 0;       // the sensor's own bits (digital inputs)
};

struct IntensityImage {
  int rows = 0, cols = 0;
  std::vector<std::uint16_t> grey;  // row-major; 8-bit images keep 0..255
  int bits = 8;
};

/// Row-major, rows*cols elements, exactly as delivered: int16, int32 (also for unsigned 16-bit sources) or
/// float.
using Counts = std::variant<std::vector<std::int16_t>, std::vector<std::int32_t>, std::vector<float>>;

/// Standard uncertainties of heights computed from phases.
struct PhaseUncertainty {
  double noise_um = 0;  // of one pixel's height, from its phase noise: the median over the frame
  double model_um = 0;  // of any height, from the phase-to-height model
};

/// What a delivery states of the boards of a panel.
struct PanelStatement {
  std::vector<std::string> serials;  // in the order of the recipe's places, "" for none; empty: not stated
  std::vector<std::string> bad;      // names of the places of bad boards, which are not measured
};

/// What a measurer took of a frame's counts while they were read: a copy of the frame has none.
struct EarlyPart {
  std::shared_ptr<EarlyFrame> taken;  // null: nothing

  EarlyPart() = default;
  EarlyPart(const EarlyPart&) {}
  EarlyPart(EarlyPart&&) = default;
  EarlyPart& operator=(const EarlyPart& other) {
    if (this != &other) taken.reset();
    return *this;
  }
  EarlyPart& operator=(EarlyPart&&) = default;
};

struct HeightFrame {
  int rows = 0, cols = 0;
  AxisScale x, y, z;
  Counts counts;
  std::vector<PixelClass> classes;  // rows*cols
  std::optional<IntensityImage> intensity;

  Handedness delivered = Handedness::right;  // by the sensor
  bool mirrored = false;  // true once mirror_to_right_handed has run on a left-handed delivery

  std::string sensor_serial;
  std::string frame_id;
  std::string unit_id;  // serial number of the board as stated with the delivery; empty: not stated
  std::optional<PanelStatement> panel;  // stated with the delivery; none: nothing is stated of single boards
  std::string job;                      // the sensor's own job name, empty where it has none
  std::string job_hash;                 // of that job as stated by the sensor, empty where not stated
  CaptureTime captured;
  std::optional<SensorStamp> stamp;
  std::optional<PhaseUncertainty> phase_uncertainty;
  /// Processing steps that made these heights, in order; empty: the sensor's own heights.
  std::vector<StepRecord> stages;
  std::string content_sha256;  // identity: hash over the delivered files (hash_scheme.h)
  std::string source;          // file name or device, for messages
  EarlyPart early;             // of these counts and classes: who changes them resets it

  std::size_t size() const { return static_cast<std::size_t>(rows) * static_cast<std::size_t>(cols); }
  /// z in mm of one pixel, for any class.
  double z_mm(int row, int col) const;
  PixelClass class_at(int row, int col) const {
    return classes[static_cast<std::size_t>(row) * static_cast<std::size_t>(cols) +
                   static_cast<std::size_t>(col)];
  }
  std::size_t count_of(PixelClass c) const;
};

/// Throws FrameError for an inconsistent frame: empty or above 2^28 pixels, sizes that differ, a scale that
/// is not finite and positive for x and y or is 0 for z, an offset that is not finite, an `ok` pixel whose
/// height is not finite, an empty serial or frame id, or one of those or a job's name or hash that is not
/// printable ASCII (they are copied into command and result lines).
void check(const HeightFrame& frame);
/// The same without the heights.
void check_description(const HeightFrame& frame);

/// Converts a left-handed delivery to right-handed coordinates: x -> -x by reversing the columns, so that x
/// still grows with the column. No effect on a right-handed or already mirrored frame.
void mirror_to_right_handed(HeightFrame& frame, unsigned threads = 1);
/// The same for a frame whose counts and classes were written with reversed columns.
void note_mirrored(HeightFrame& frame);

}  // namespace datum
