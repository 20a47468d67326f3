#include "drivers/sensor/gocator_csv.h"

#include <fmt/format.h>

#include <cmath>
#include <limits>
#include <optional>

#include "drivers/sensor/csv_lines.h"
#include "drivers/sensor/raster.h"

namespace datum {
namespace {

// Coordinates are printed with 5 decimals: half a digit, plus 1e-9 for the binary value of a decimal number
// below 1e6 mm.
constexpr double print_error_mm = 5e-6 + 1e-9;
constexpr double empty_cell = std::numeric_limits<double>::quiet_NaN();

struct Export {
  bool has_info = false, has_device = false, has_part = false;
  double x_step = 0, y_step = 0, z_step = 0;
  HeightFrame frame;
  std::vector<double> z_mm;  // empty cells: NaN
  std::uint64_t most_pixels = most_frame_pixels;
};

void read_info(CsvLines& lines, Export& out) {
  const CsvTable info(lines);
  if (info.integer("CSV Version") != 2) lines.refuse("CSV Version is not 2, the one that is read");
  if (info.integer("Sensor Count") != 1) lines.refuse("Sensor Count is not 1; export one sensor at a time");
  out.x_step = info.number("XResolution");
  out.y_step = info.number("YResolution");
  out.z_step = info.number("ZResolution");
  if (out.x_step <= 0 || out.y_step <= 0 || out.z_step <= 0) {
    lines.refuse("XResolution, YResolution and ZResolution must be positive");
  }
  out.has_info = true;
}

void read_device(CsvLines& lines, Export& out) {
  const CsvTable device(lines);
  out.frame.sensor_serial = std::string(device.text("ID"));
  out.has_device = true;
}

void read_part_header(CsvLines& lines, Export& out, std::size_t file_bytes, const std::string& name) {
  if (!out.has_info) lines.refuse("Part comes before Info");
  const CsvTable part(lines);
  const std::int64_t rows = part.integer("Row Count"), cols = part.integer("Column Count");
  if (rows <= 0 || cols <= 0)
    lines.refuse(fmt::format("{} rows x {} columns; both must be positive", rows, cols));
  check_raster_size(static_cast<std::uint64_t>(rows), static_cast<std::uint64_t>(cols), 1, file_bytes, name,
                    out.most_pixels);
  HeightFrame& frame = out.frame;
  frame.rows = static_cast<int>(rows);
  frame.cols = static_cast<int>(cols);
  frame.x = {out.x_step, part.number("X Offset")};
  frame.y = {out.y_step, part.number("Y Offset")};
  frame.z = {out.z_step, part.number("Z Offset")};
  frame.frame_id = std::to_string(part.integer("Frame"));
  const std::int64_t time_us = part.integer("Time");
  if (time_us < 0 || time_us > INT64_MAX / 1000) lines.refuse("Time is outside 0 to 2^63 ns");
  frame.captured = {time_us * 1000, ClockDomain::sensor};
}

void check_coordinate(const CsvLines& lines, std::string_view cell, const AxisScale& axis, int index,
                      char name) {
  const double value = lines.number(cell, "the coordinate");
  if (std::abs(value - axis.at(index)) <= print_error_mm) return;
  lines.refuse(
      fmt::format("{} of index {} is {} mm, but offset and resolution make it {:.5f} mm; only a uniform grid "
                  "is read",
                  name, index, value, axis.at(index)));
}

void read_grid(CsvLines& lines, Export& out) {
  HeightFrame& frame = out.frame;
  const auto cells_of_next_line = [&] {
    if (!lines.next()) lines.refuse("the file ends within the Part; it is truncated, export it again");
    auto cells = lines.cells();
    if (cells.size() != static_cast<std::size_t>(frame.cols) + 1) {
      lines.refuse(
          fmt::format("{} cells; a coordinate and {} columns are announced", cells.size(), frame.cols));
    }
    return cells;
  };
  const auto titles = cells_of_next_line();
  if (titles[0] != "Y\\X") lines.refuse("the grid does not start with Y\\X");
  for (int col = 0; col < frame.cols; ++col) {
    check_coordinate(lines, titles[static_cast<std::size_t>(col) + 1], frame.x, col, 'x');
  }
  out.z_mm.reserve(frame.size());
  for (int row = 0; row < frame.rows; ++row) {
    const auto cells = cells_of_next_line();
    check_coordinate(lines, cells[0], frame.y, row, 'y');
    for (std::size_t c = 1; c < cells.size(); ++c) {
      out.z_mm.push_back(cells[c].empty() ? empty_cell : lines.number(cells[c], "the height"));
    }
  }
}

void skip_section(CsvLines& lines, const std::string& section) {
  while (lines.next()) {
    if (lines.line() == "End") return;
  }
  lines.refuse("section " + section + " has no End; the file is truncated, export it again");
}

void expect_end(CsvLines& lines, const std::string& section) {
  if (!lines.next())
    lines.refuse("section " + section + " has no End; the file is truncated, export it again");
  if (lines.line() != "End")
    lines.refuse("section " + section + " goes on where End is expected; export one frame");
}

void read_sections(CsvLines& lines, Export& out, std::size_t file_bytes, const std::string& name) {
  while (lines.next()) {
    const std::string section(lines.line());
    if (section.empty()) continue;
    if (section == "Info") {
      read_info(lines, out);
      expect_end(lines, section);
    } else if (section == "DeviceInfo") {
      read_device(lines, out);
      expect_end(lines, section);
    } else if (section == "Part") {
      if (out.has_part) lines.refuse("a second Part; export one frame at a time");
      read_part_header(lines, out, file_bytes, name);
      read_grid(lines, out);
      out.has_part = true;
      expect_end(lines, section);
    } else {
      skip_section(lines, section);
    }
  }
}

// The sensor's counts; none where a cell is not such a number.
std::optional<std::vector<std::int32_t>> whole_counts(const std::vector<double>& z_mm, const AxisScale& z) {
  // With a step below ten printing errors any number would be "a multiple".
  if (z.scale_mm < 10 * print_error_mm) return std::nullopt;
  std::vector<std::int32_t> counts;
  counts.reserve(z_mm.size());
  for (const double value : z_mm) {
    if (std::isnan(value)) {
      counts.push_back(INT32_MIN);
      continue;
    }
    const double count = std::round((value - z.offset_mm) / z.scale_mm);
    if (std::abs(count) >= 0x1p30 || std::abs(value - z.at(count)) > print_error_mm) return std::nullopt;
    counts.push_back(static_cast<std::int32_t>(count));
  }
  return counts;
}

void set_heights(HeightFrame& frame, const std::vector<double>& z_mm) {
  frame.classes.reserve(z_mm.size());
  for (const double z : z_mm) frame.classes.push_back(std::isnan(z) ? PixelClass::no_data : PixelClass::ok);
  const auto counts = whole_counts(z_mm, frame.z);
  if (!counts) {
    std::vector<float> heights;
    heights.reserve(z_mm.size());
    for (const double z : z_mm) heights.push_back(static_cast<float>(z));
    frame.counts = std::move(heights);
    frame.z = {1.0, 0.0};
    return;
  }
  std::vector<std::int16_t> narrow;
  narrow.reserve(counts->size());
  for (const std::int32_t count : *counts) {
    if (count != INT32_MIN && (count <= INT16_MIN || count > INT16_MAX)) {
      frame.counts = *counts;
      return;
    }
    // an empty cell was -32768 in the sensor's own data
    narrow.push_back(count == INT32_MIN ? INT16_MIN : static_cast<std::int16_t>(count));
  }
  frame.counts = std::move(narrow);
}

}  // namespace

HeightFrame read_gocator_csv(ByteView file, const std::string& name, std::uint64_t most_pixels) {
  CsvLines lines(file, name);
  Export out;
  out.most_pixels = most_pixels;
  out.frame.source = name;
  read_sections(lines, out, file.size(), name);
  if (!out.has_device) lines.refuse("no section DeviceInfo; it names the sensor");
  if (!out.has_part) lines.refuse("no section Part; export a snapshot with its surface");
  set_heights(out.frame, out.z_mm);
  return std::move(out.frame);
}

}  // namespace datum
