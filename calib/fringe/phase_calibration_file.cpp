// Reader of a phase-to-height calibration file: every key, its range, and last the checksum.
#include <algorithm>
#include <cctype>
#include <limits>

#include "calib/fringe/phase_calibration.h"
#include "config/toml_reader.h"
#include "config/utc_time.h"

namespace datum {
namespace {

using config::TomlTable;

std::int64_t utc(TomlTable& file, const char* key) {
  const std::string text = file.text(key);
  const auto utc_s = utc_from_iso8601(text);
  if (!utc_s)
    file.refuse(key, "'" + text + "' is not a time",
                "ISO 8601 in UTC to the second, such as 2026-03-01T08:30:00Z");
  return *utc_s;
}

std::string name(TomlTable& file, const char* key) {
  std::string text = file.text(key);
  if (text.empty()) file.refuse(key, "is empty", "a text of at least one character");
  if (std::any_of(text.begin(), text.end(), [](unsigned char c) { return c < ' ' || c > '~'; }))
    file.refuse(key, "has a character that is not printable ASCII", "a text on one line");
  return text;
}

std::string id(TomlTable& file) {
  std::string text = name(file, "id");
  const bool plain = std::all_of(text.begin(), text.end(), [](unsigned char c) {
    return std::isalnum(c) || c == '.' || c == '_' || c == '-';
  });
  if (!plain || text[0] == '.' || text.size() > 120)
    file.refuse("id", "'" + text + "' can't name a file",
                "letters, digits, '.', '_' and '-', at most 120, no '.' in front");
  return text;
}

std::optional<TemperatureWindow> temperature(std::optional<TomlTable> table) {
  if (!table) return std::nullopt;
  const config::Range range{-20, 60};  // a temperature in degF is outside
  table->only_keys({"measured_degc", "min_degc", "max_degc"});
  TemperatureWindow w;
  w.measured_degc = table->number("measured_degc", range);
  w.min_degc = table->number("min_degc", range);
  w.max_degc = table->number("max_degc", range);
  if (!(w.min_degc <= w.measured_degc && w.measured_degc <= w.max_degc))
    table->refuse("measured_degc", "is outside min_degc and max_degc",
                  "min_degc <= measured_degc <= max_degc");
  table->finish();
  return w;
}

std::vector<CalibratedStep> steps(TomlTable& file) {
  std::vector<CalibratedStep> all;
  for (TomlTable& table : file.tables("step")) {
    table.only_keys({"z_um", "frame_id", "content_sha256", "pixels", "mean_um", "rms_um", "noise_um"});
    CalibratedStep& s = all.emplace_back();
    s.residual.z_um = table.number("z_um");
    s.frame_id = name(table, "frame_id");
    s.content_sha256 = name(table, "content_sha256");
    s.residual.pixels = static_cast<std::uint64_t>(table.integer("pixels", 1, std::int64_t{1} << 28));
    s.residual.mean_um = table.number("mean_um");
    s.residual.rms_um = table.number("rms_um", config::not_negative);
    s.residual.noise_um = table.number("noise_um", config::not_negative);
    table.finish();
  }
  return all;
}

std::uint32_t power_of_two(TomlTable& table, const char* key) {
  const std::int64_t value = table.integer(key, 1, 4096);
  if ((value & (value - 1)) != 0)
    table.refuse(key, std::to_string(value) + " is no power of two", "1, 2, 4 .. 4096");
  return static_cast<std::uint32_t>(value);
}

void read_nodes(TomlTable& table, PhaseCalibration& c) {
  const std::size_t n = std::size_t{c.columns} * c.rows;
  const std::vector<double> v = table.numbers("nodes", 8 * n);
  for (std::size_t i = 0; i < n; ++i) {
    const auto at = [&](std::size_t k) { return static_cast<float>(v[8 * i + k]); };
    HeightNode node;
    node.centre_px = at(0);
    node.per_px = at(1) == 0 ? std::numeric_limits<float>::quiet_NaN() : at(1);
    for (std::size_t k = 0; k < 4; ++k) node.height_um[k] = at(2 + k);
    node.bend = at(6);
    c.nodes.push_back(node);
    c.node_u_um.push_back(at(7));
  }
  try {
    check(c.model(), c.settings.width, c.settings.height);
  } catch (const std::invalid_argument& error) {
    table.refuse("nodes", error.what(), "the file as it was made");
  }
}

void read_model(TomlTable table, PhaseCalibration& c) {
  table.only_keys({"image_px", "cell_px", "degree", "bend", "max_residual_um", "u_step_um", "u_plate_um",
                   "lsb_um", "nodes"});
  PhaseFitSettings& f = c.settings;
  const std::vector<double> size = table.numbers("image_px", 2, {1, 1 << 20});
  f.width = static_cast<std::uint32_t>(size[0]);
  f.height = static_cast<std::uint32_t>(size[1]);
  f.cell_px = power_of_two(table, "cell_px");
  f.degree = static_cast<int>(table.integer("degree", 1, 3));
  f.bend = table.boolean("bend");
  f.max_residual_um = table.number("max_residual_um", config::positive);
  f.u_step_um = table.number("u_step_um", config::not_negative);
  f.u_plate_um = table.number("u_plate_um", config::not_negative);
  c.lsb_um = table.number("lsb_um", {1e-4, 1000});
  c.columns = nodes_along(f.width, f.cell_px);
  c.rows = nodes_along(f.height, f.cell_px);
  read_nodes(table, c);
  table.finish();
}

}  // namespace

PhaseCalibration load_phase_calibration(const std::filesystem::path& path) {
  auto file = TomlTable::from_file(path);
  PhaseCalibration c;
  if (file.has("schema")) file.integer("schema", 1, 1);
  file.only_keys({"schema", "kind", "id", "checksum", "sensor_serial", "date", "expires", "operator",
                  "software", "residual_rms_um", "u_model_um", "temperature", "projector", "step", "model"});
  file.integer("schema", 1, 1);
  file.choice<int>("kind", {{"phase-to-height", 0}});
  c.id = id(file);
  const std::string checksum = file.text("checksum");
  c.sensor_serial = name(file, "sensor_serial");
  c.made_utc_s = utc(file, "date");
  c.expires_utc_s = utc(file, "expires");
  if (c.expires_utc_s <= c.made_utc_s) file.refuse("expires", "is not after date", "a later time");
  c.operator_name = name(file, "operator");
  c.software = name(file, "software");
  c.residual_rms_um = file.number("residual_rms_um", config::not_negative);
  c.u_model_um = file.number("u_model_um", config::not_negative);
  c.temperature = temperature(file.table_if("temperature"));
  TomlTable projector = file.table("projector");
  projector.only_keys({"periods_px", "width_px"});
  c.periods_px = projector.numbers_between("periods_px", 1, 3, config::positive);
  c.projector_px = projector.number("width_px", config::positive);
  projector.finish();
  c.steps = steps(file);
  read_model(file.table("model"), c);
  file.finish();
  c.sha256 = checksum_of(c);
  c.file = path;
  if (checksum != c.sha256)
    file.refuse("checksum", "is not that of the content, which was changed or damaged",
                "the file as it was made (datumctl fringe calibrate)");
  return c;
}

}  // namespace datum
