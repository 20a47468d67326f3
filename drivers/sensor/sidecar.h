// JSON sidecar of a dropped image, with the metadata that a 16-bit TIFF or PNG lacks. It is written last and
// is the trigger of a file drop.
//
//   { "schema_version": 1, "sensor_serial": "SN-1", "job": {"name": "board-a", "hash": "5f3c"}, "frame_id":
//   "000017",
//     "capture_time": {"ns": 1700000000000000000, "clock": "utc"},
//     "x": {"scale": 20, "offset": -35.5, "unit": "um"}, "y": {...}, "z": {...},
//     "invalid_value": -32768, "handedness": "right",
//     "height_file": "a_z.tif", "intensity_file": "a_i.png", "sha256": {"height": "...", "intensity": "..."}
//     }
//
// All keys are mandatory except job (the sensor's program, for people: nothing is compared with it), intensity_file,
// header_file (the .hdr that an ENVI height file needs), sha256 and unit_id (the board's serial number: a frame of
// another unit is not measured as this one) and panel (serial numbers and bad boards of a panel). No other key is allowed. clock: sensor, host_monotonic, utc or unknown. unit (of scale and offset): m, mm, um, nm, inch
// or mil. invalid_value: a whole number, "nan" (float files) or "none". x grows with the column, y with the
// row. Files are plain names beside the sidecar.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "drivers/frame/height_frame.h"
#include "drivers/sensor/file_bytes.h"

namespace datum {

/// Pixel value that means "not measured".
struct InvalidMark {
  enum class Kind : std::uint8_t { none, nan, value } kind = Kind::none;
  std::int64_t value = 0;
};

struct FrameSidecar {
  std::string sensor_serial, job_name, job_hash, frame_id;
  CaptureTime captured;
  AxisScale x, y, z;  // mm
  InvalidMark invalid;
  Handedness handedness = Handedness::right;
  std::string height_file;
  std::optional<std::string> intensity_file;
  std::optional<std::string> header_file{};                      // of an ENVI height file
  std::string height_sha256, intensity_sha256, header_sha256{};  // lower-case hex; empty: not given
  std::string unit_id{};                                         // empty: not given
  std::optional<PanelStatement> panel{};                         // of a panel's boards
};

/// Size limit of a sidecar.
inline constexpr std::size_t max_sidecar_bytes = 65536;

/// Strict: throws FrameError "FILE: key.path: what is wrong; what is allowed". `file` is its name in
/// messages.
FrameSidecar parse_sidecar(ByteView text, const std::string& file);

/// JSON text from which parse_sidecar reads the same values (units: mm).
std::string write_sidecar(const FrameSidecar& sidecar);

/// value in `unit` as mm: m * 1000, um / 1000, nm / 1e6, inch * 254 / 10, mil * 254 / 1e4. Only exact binary
/// numbers are used (25.4 and 0.001 are none), so that um and nm are rounded once. None: unknown unit.
std::optional<double> to_mm(double value, const std::string& unit);

}  // namespace datum
