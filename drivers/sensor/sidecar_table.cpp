#include "drivers/sensor/sidecar_table.h"

#include <sstream>

#include "drivers/sensor/height_file.h"

namespace datum {
namespace {

constexpr const char* text = "a text of 1 to 128 printable ASCII characters";
constexpr const char* unit = "\"m\", \"mm\", \"um\", \"nm\", \"inch\" or \"mil\"";
constexpr const char* beside = "the name of a file in the sidecar's own folder, without a path";
constexpr const char* sum = "64 lower-case hexadecimal digits";

constexpr SidecarRow rows[] = {
    {"schema_version", true, "1", "Version of these keys.", ""},
    {"sensor_serial", true, text,
     "Serial number of the sensor. It equals serial in the sensor's profile, or the frame is refused.",
     "--serial"},
    {"frame_id", true, text,
     "Number or name of the exposure. A frame with the same sensor, id and pixels is measured once.",
     "--frame-id"},
    {"unit_id", false, text,
     "Serial number of the board. A frame of another unit is not measured as this one.", "--unit"},
    {"panel", false, "an object",
     "What is known of the boards of a panel. Refused beside a recipe without [panel].", ""},
    {"panel.serials", false, "texts of at most 128 printable ASCII characters in [ ]",
     "Serial number of each board, in the order of the recipe's places: along the rows from the lower left. "
     "\"\" for a "
     "board without; no number twice.",
     ""},
    {"panel.bad", false, "texts in [ ]",
     "Places of bad boards, such as \"2-3\". They are skipped, whatever their marks show.", ""},
    {"job", false, "an object", "The sensor's program, for people. Nothing is compared with it.", ""},
    {"job.name", true, text, "Its name.", ""},
    {"job.hash", false, text, "Its version or hash.", ""},
    {"capture_time", true, "an object", "When the sensor exposed.", ""},
    {"capture_time.ns", true, "a whole number",
     "Nanoseconds since that clock's zero; since 1970-01-01 of utc.", ""},
    {"capture_time.clock", true, "\"unknown\", \"sensor\", \"host_monotonic\" or \"utc\"",
     "Whose clock that is. unknown, or sensor: the frame's age counts from its arrival. host_monotonic is "
     "CLOCK_MONOTONIC of datumd's computer. utc needs sensor.utc_uncertainty_ms in the cell's configuration.",
     ""},
    {"x", true, "an object", "Columns: x = offset + scale * column. x grows with the column.", "--pixel-mm"},
    {"x.scale", true, "a number above 0", "Distance of two columns.", ""},
    {"x.offset", true, "a number", "x of the middle of the first column.", ""},
    {"x.unit", true, unit, "Of scale and offset.", ""},
    {"y", true, "an object", "Rows: y = offset + scale * row. y grows with the row.", "--pixel-mm"},
    {"y.scale", true, "a number above 0", "Distance of two rows.", ""},
    {"y.offset", true, "a number", "y of the middle of the first row.", ""},
    {"y.unit", true, unit, "Of scale and offset.", ""},
    {"z", true, "an object", "Heights: z = offset + scale * sample, towards the sensor.",
     "--z-unit, --z-scale"},
    {"z.scale", true, "a number other than 0",
     "Height of one count; 1 where the samples are heights in that unit. Negative where samples are "
     "distances from "
     "the sensor.",
     ""},
    {"z.offset", true, "a number", "Height of the sample 0.", ""},
    {"z.unit", true, unit, "Of scale and offset.", ""},
    {"invalid_value", true, "a whole number, \"nan\" (float samples) or \"none\"",
     "The sample of a pixel without a height.", "--invalid"},
    {"handedness", true, "\"right\" or \"left\"",
     "Hand of x, y and z as delivered. It equals handedness in the sensor's profile. See HANDEDNESS.",
     "--handedness"},
    {"height_file", true, beside, "The heights.", ""},
    {"intensity_file", false, beside, "A grey image of the same pixels: .tif, .tiff or .png of 8 or 16 bits.",
     ""},
    {"header_file", false, beside,
     "The .hdr of ENVI data. Needed beside them, and refused beside all others.", ""},
    {"sha256", false, "an object", "Hashes by which a damaged or foreign file is noticed.", ""},
    {"sha256.height", false, sum, "Of height_file.", ""},
    {"sha256.intensity", false, sum, "Of intensity_file.", ""},
    {"sha256.header", false, sum, "Of header_file.", ""},
};

constexpr HeightFormat formats[] = {
    {".tif .tiff", "TIFF",
     "One grey image of 16-bit integers, 32-bit signed integers or 32-bit floats, in strips or tiles, either "
     "byte "
     "order, uncompressed or compressed without loss. Refused: 8 bits, colour, several images, lossy "
     "compression.",
     "Needed."},
    {".png", "PNG", "One grey image of 16 bits. Refused: 8 bits, colour, transparency.", "Needed."},
    {".img .raw .dat .bsq .bil .bip", "ENVI",
     "One band of 16- or 32-bit integers or 32- or 64-bit floats, either byte order; the header tells which.",
     "Needed, with header_file. A scale or offset that the header states must agree with it."},
    {".pcd", "PCD (Point Cloud Library)",
     "An organised cloud (HEIGHT above 1) with fields x, y, z, on a regular grid; ascii, binary or "
     "binary_compressed. "
     "A point without a height is NaN.",
     "Needed. One unit of the cloud is z.scale, in x and y too. The points must lie on the grid that x and y "
     "state."},
    {".ply", "PLY (Stanford)",
     "Vertices on a regular grid: with the properties row and col, or as many as the comments \"rows N\" and "
     "\"cols N\" "
     "say; ascii or binary.",
     "Needed, as of a PCD."},
    {".x3p", "X3P (ISO 25178-72)", "An areal surface with incremental axes, in m; invalid points are NaN.",
     "Needed. It must agree with the scales that the file states."},
    {".ptr", "Pemtron", "A height map of a 3D-AOI machine: 32-bit floats in um; 0 is outside, -4000 invalid.",
     "None: serial, handedness and pixel_pitch_mm come from the sensor's profile, the frame's id is the "
     "file's name."},
    {".csv", "Gocator CSV export",
     "A snapshot exported as CSV (version 2): sections Info, DeviceInfo and one Part.",
     "None: the file states serial, frame, scales and time. The handedness comes from the sensor's profile."},
    {".gdp", "Gocator data set", "One data set of the Gocator protocol, as datumd archives it.",
     "None: the file states what datumd needs."},
};

}  // namespace

std::span<const SidecarRow> sidecar_rows() { return rows; }
std::span<const HeightFormat> height_formats() { return formats; }

const HeightFormat* height_format_of(const std::string& file) {
  const std::string extension = lower_extension(file);
  for (const HeightFormat& format : formats) {
    std::istringstream all(format.extensions);
    for (std::string one; all >> one;)
      if (one == extension) return &format;
  }
  return nullptr;
}

}  // namespace datum
