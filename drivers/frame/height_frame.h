// HeightFrame: what a 3D sensor delivered, in its own integers, with all that is needed to read them as
// coordinates.
//
// A "frame" is a sensor's picture. Coordinates are right-handed sensor coordinates in mm (x along columns, y
// along rows, z towards the sensor): a left-handed delivery is mirrored once, at ingest
// (mirror_to_right_handed).
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "drivers/frame/step_record.h"

namespace datum {

/// Why a pixel may or may not be measured (METROLOGY S0). A count of 0 is `ok` unless its format says
/// otherwise.
enum class PixelClass : std::uint8_t {
  ok = 0,
  no_data,   // the format's own "invalid" mark, NaN
  sentinel,  // a reserved number of this sensor (-4000, 0x8000)
  zero_pad,  // outside the measured field, where the format says that 0 means so
  saturated,
  low_modulation,
  shadow,        // occluded
  out_of_range,  // outside the sensor's measuring range
  seam,          // stitching border
  speckle,
  unwrap,  // two fringe periods disagree on where the projector's light came from
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

/// Monotonic host time, ns, within which something surely happened.
struct HostSpan {
  std::int64_t from_ns = 0, to_ns = 0;
};

/// What a clock shows less than the host's monotonic clock, as far as it is known: host = clock + offset.
struct ClockOffset {
  std::int64_t offset_ns = 0;
  std::int64_t uncertainty_ns = 0;  // half width: it surely lies within
};

struct CaptureTime {
  std::int64_t ns = 0;  // since the clock's own zero; for utc since 1970-01-01
  ClockDomain clock = ClockDomain::unknown;
  std::optional<HostSpan> host = std::nullopt;       // where the sensor's clock was compared with the host's
  std::optional<ClockOffset> offset = std::nullopt;  // of that comparison
};

/// What a sensor with an encoder input and a frame counter says beside the heights.
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

/// What is known of the heights of a frame that was made from phases, standard uncertainties.
struct PhaseUncertainty {
  double noise_um = 0;  // of one pixel's height, from the noise of its phase: the median over the frame
  double model_um = 0;  // of any height, from the phase-to-height model
};

struct HeightFrame {
  int rows = 0, cols = 0;
  AxisScale x, y, z;
  Counts counts;
  std::vector<PixelClass> classes;  // rows*cols
  std::optional<IntensityImage> intensity;

  Handedness delivered = Handedness::right;  // as the sensor made it
  bool mirrored = false;  // true once mirror_to_right_handed has run on a left-handed delivery

  std::string sensor_serial;
  std::string frame_id;
  std::string unit_id;   // serial number of the board that its deliverer says it shows; empty: nobody says
  std::string job;       // the sensor's own job name, empty where it has none
  std::string job_hash;  // of that job as the sensor states it, empty where it has none
  CaptureTime captured;
  std::optional<SensorStamp> stamp;
  std::optional<PhaseUncertainty> phase_uncertainty;
  std::vector<StepRecord> stages;  // that made these heights, in their order; empty: the sensor did
  std::string content_sha256;  // hex, over the delivered bytes of the height file (and its intensity file)
  std::string source;          // file name or device, for messages

  std::size_t size() const { return static_cast<std::size_t>(rows) * static_cast<std::size_t>(cols); }
  /// z in mm of one pixel, whatever its class.
  double z_mm(int row, int col) const;
  PixelClass class_at(int row, int col) const {
    return classes[static_cast<std::size_t>(row) * static_cast<std::size_t>(cols) +
                   static_cast<std::size_t>(col)];
  }
  std::size_t count_of(PixelClass c) const;
};

/// Refuses (FrameError) a frame that contradicts itself: empty or above 2^28 pixels, sizes that differ, a
/// scale that is not finite and positive for x and y or is 0 for z, an offset that is not finite, a pixel
/// classed `ok` whose height is not finite, an empty serial or frame id, one of those or a job's name or hash
/// that is not printable ASCII (they go into command lines and result lines as they are).
void check(const HeightFrame& frame);

/// Makes right-handed coordinates of a left-handed delivery: x -> -x, by reversing the columns, so that x
/// still grows with the column. Does nothing to a right-handed or already mirrored frame.
void mirror_to_right_handed(HeightFrame& frame);

}  // namespace datum
