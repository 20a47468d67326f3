#include "calib/artefact/lines_drawing.h"

#include "config/toml_reader.h"

namespace datum {

namespace {

using config::Range;
using config::TomlTable;

constexpr std::int64_t lines_schema = 1;

DrawnLine line_of(TomlTable table, double plate_from_mm, double plate_to_mm) {
  DrawnLine line;
  line.width_mm = table.number("width_mm", Range{0.2, 20});
  const std::vector<double> ends = table.numbers("ends_mm", 2);
  line.from_mm = ends[0];
  line.to_mm = ends[1];
  if (!(line.from_mm < line.to_mm && line.from_mm >= plate_from_mm && line.to_mm <= plate_to_mm)) {
    table.refuse("ends_mm", "is no line on the plate",
                 "the lower and the higher end, from " + config::shown(plate_from_mm) + " to " +
                     config::shown(plate_to_mm));
  }
  if (line.to_mm - line.from_mm < 4 * line.width_mm) {
    table.refuse("ends_mm", "the line is shorter than four times its width", "a longer or narrower line");
  }
  table.finish();
  return line;
}

}  // namespace

LinesDrawing load_lines_drawing(const std::filesystem::path& path) {
  auto file = TomlTable::from_file(path);
  file.integer("schema", lines_schema, lines_schema);
  file.choice<int>("kind", {{"plane-and-lines", 0}});
  LinesDrawing d;
  d.serial = file.text("serial");
  if (d.serial.empty()) file.refuse("serial", "is empty", "the serial number on the artefact");
  d.title = file.text("title");
  TomlTable plate = file.table("plate");
  const std::vector<double> x = plate.numbers("x_mm", 2), y = plate.numbers("y_mm", 2);
  d.plate = {x[0], x[1], y[0], y[1]};
  const char* const form = "the lower and the higher edge, the origin between them";
  if (!(x[0] < 0 && x[1] > 0)) plate.refuse("x_mm", "does not hold the origin", form);
  if (!(y[0] < 0 && y[1] > 0)) plate.refuse("y_mm", "does not hold the origin", form);
  plate.finish();
  d.long_line = line_of(file.table("long_line"), y[0], y[1]);
  d.short_line = line_of(file.table("short_line"), x[0], x[1]);
  TomlTable tolerance = file.table("tolerance");
  d.angle_deg = tolerance.number("angle_deg", Range{1e-3, 2});
  d.width_mm = tolerance.number("width_mm", Range{1e-3, 2});
  d.flatness_mm = tolerance.number("flatness_mm", Range{1e-4, 1});
  d.form_um = tolerance.number("form_um", Range{0, 100});
  d.edge_um = tolerance.number("edge_um", Range{0, 100});
  d.outline_um = tolerance.number_if("outline_um", Range{0.01, 1000});
  tolerance.finish();
  d.sha256 = file.sha256();
  file.finish();
  return d;
}

}  // namespace datum
