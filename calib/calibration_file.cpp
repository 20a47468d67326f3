// Reader of a calibration file: every key, its range, and last the checksum.
#include <algorithm>
#include <cctype>
#include <cmath>
#include <fstream>
#include <sstream>

#include "calib/calibration.h"
#include "calib/linear/linear_algebra.h"
#include "config/toml_reader.h"
#include "config/utc_time.h"

namespace datum {

namespace {

constexpr std::int64_t schema = 2;

std::int64_t utc(config::TomlTable& file, const char* key) {
  const std::string text = file.text(key);
  const auto utc_s = utc_from_iso8601(text);
  if (!utc_s) {
    file.refuse(key, "'" + text + "' is not a time",
                "ISO 8601 in UTC to the second, such as 2026-03-01T08:30:00Z");
  }
  return *utc_s;
}

std::string name(config::TomlTable& file, const char* key) {
  std::string text = file.text(key);
  if (text.empty()) file.refuse(key, "is empty", "a text of at least one character");
  const auto control = [](unsigned char c) { return c < ' ' || c == 127; };
  if (std::any_of(text.begin(), text.end(), control))
    file.refuse(key, "has a control character", "a text on one line");
  return text;
}

std::string id(config::TomlTable& file) {
  std::string text = name(file, "id");
  const bool plain = std::all_of(text.begin(), text.end(), [](unsigned char c) {
    return std::isalnum(c) || c == '.' || c == '_' || c == '-';
  });
  if (!plain || text[0] == '.' || text == "current" || text.size() > 120) {
    file.refuse("id", "'" + text + "' can't name a file",
                "letters, digits, '.', '_' and '-', at most 120, not 'current', no '.' in front");
  }
  return text;
}

Htm<Machine, Sensor> transform(config::TomlTable& file, const char* key) {
  const std::vector<double> m = file.numbers(key, 16);
  try {
    return Htm<Machine, Sensor>(
        Eigen::Matrix4d(Eigen::Map<const Eigen::Matrix<double, 4, 4, Eigen::RowMajor>>(m.data())));
  } catch (const CalibrationError& error) {
    file.refuse(
        key, error.what(),
        "a rigid motion from right-handed sensor coordinates (a left-handed sensor is mirrored at ingest), "
        "16 numbers row by row, lengths in mm");
  }
}

/// Tests that no eigenvalue is below 0. Evaluated as correlations, since rad and mm differ in magnitude; 1e-9
/// is the rounding of a singular matrix.
bool is_positive(const Matrix6d& m) {
  Matrix6d correlation = Matrix6d::Zero();
  for (int i = 0; i < 6; ++i) {
    if (m(i, i) < 0 || (m(i, i) == 0 && !m.row(i).isZero(0))) return false;
    for (int j = 0; j < 6; ++j)
      if (m(i, j) != 0) correlation(i, j) = m(i, j) / std::sqrt(m(i, i) * m(j, j));
  }
  return eigen_system(correlation).values[0] > -1e-9;
}

Matrix6d covariance(config::TomlTable& file, const char* key) {
  const std::vector<double> v = file.numbers(key, 36);
  const Matrix6d m = Eigen::Map<const Matrix6d>(v.data());
  if (m != m.transpose()) {
    file.refuse(key, "is not symmetric",
                "the covariance of 3 rotations in rad and 3 shifts in mm, row by row");
  }
  if (!is_positive(m)) {
    file.refuse(key, "is no covariance (an eigenvalue is below 0)",
                "the covariance of 3 rotations in rad and 3 shifts in mm, row by row");
  }
  return m;
}

/// Standard uncertainties along three axes; 0 where the file has none.
Eigen::Vector3d uncertainties(config::TomlTable& table, const char* key, double most) {
  if (!table.has(key)) return Eigen::Vector3d::Zero();
  return Eigen::Map<const Eigen::Vector3d>(table.numbers(key, 3, {0, most}).data());
}

void read_stage(config::TomlTable stage, Calibration& c) {
  stage.only_keys({"q_cal_mm", "squareness_xy_rad", "squareness_xz_rad", "squareness_yz_rad", "scale_ppm",
                   "u_squareness_rad", "u_scale_ppm", "u_position_um"});
  c.stage.q_cal_mm = Eigen::Map<const Eigen::Vector3d>(stage.numbers("q_cal_mm", 3).data());
  // A value above 0.1 rad or 10 % is a typing error (unit, decimal point).
  const config::Range squareness{-0.1, 0.1};
  const char* const keys[] = {"squareness_xy_rad", "squareness_xz_rad", "squareness_yz_rad"};
  for (int i = 0; i < 3; ++i) c.squareness_rad[i] = stage.number_or(keys[i], 0, squareness);
  if (stage.has("scale_ppm"))
    c.scale_ppm = Eigen::Map<const Eigen::Vector3d>(stage.numbers("scale_ppm", 3).data());
  if (c.scale_ppm.cwiseAbs().maxCoeff() > 1e5) {
    stage.refuse("scale_ppm", "has an element out of range", "from -100000 to 100000 for each axis");
  }
  c.stage.a = stage_matrix(c.squareness_rad, c.scale_ppm);
  c.stage_u.squareness_rad = uncertainties(stage, "u_squareness_rad", squareness.max);
  c.stage_u.scale_ppm = uncertainties(stage, "u_scale_ppm", 1e5);
  c.stage_u.position_um = uncertainties(stage, "u_position_um", 1e5);
  stage.finish();
}

void read_artefact(std::optional<config::TomlTable> artefact, Calibration& c, config::TomlTable& file) {
  if (!artefact) {
    if (c.method != CalibrationMethod::imported)
      file.refuse("artefact", "missing", "a table [artefact], or method = \"imported\"");
    return;
  }
  artefact->only_keys({"serial", "drawing_sha256"});
  c.artefact_serial = name(*artefact, "serial");
  c.drawing_sha256 = name(*artefact, "drawing_sha256");
  artefact->finish();
}

std::optional<TemperatureWindow> temperature(std::optional<config::TomlTable> table) {
  if (!table) return std::nullopt;
  const config::Range range{-20, 60};  // a temperature in degF is outside
  table->only_keys({"measured_degc", "min_degc", "max_degc"});
  TemperatureWindow w;
  w.measured_degc = table->number("measured_degc", range);
  w.min_degc = table->number("min_degc", range);
  w.max_degc = table->number("max_degc", range);
  if (!(w.min_degc <= w.measured_degc && w.measured_degc <= w.max_degc)) {
    table->refuse("measured_degc", "is outside min_degc and max_degc",
                  "min_degc <= measured_degc <= max_degc");
  }
  table->finish();
  return w;
}

std::optional<HeadPosition> head(std::optional<config::TomlTable> table) {
  if (!table) return std::nullopt;
  table->only_keys({"name", "angles_deg", "tolerance_deg", "u_turn_mdeg", "u_shift_um"});
  HeadPosition h;
  h.name = name(*table, "name");
  if (!is_head_name(h.name))
    table->refuse("name", "'" + h.name + "' is no name of a head's position", head_name_rule);
  const std::vector<double> angles = table->numbers("angles_deg", 3, {-3600, 3600});
  std::copy(angles.begin(), angles.end(), h.angles_deg.begin());
  h.tolerance_deg = table->number("tolerance_deg", {1e-6, 1});
  h.u_turn_mdeg = table->number("u_turn_mdeg", config::not_negative);
  h.u_shift_um = table->number("u_shift_um", config::not_negative);
  table->finish();
  return h;
}

std::vector<FeatureResidual> residuals(config::TomlTable& file) {
  std::vector<FeatureResidual> all;
  for (config::TomlTable& table : file.tables("residual")) {
    table.only_keys({"feature", "points", "rms_um"});
    all.push_back({name(table, "feature"), table.integer("points", 1, std::int64_t{1} << 40),
                   table.number("rms_um", config::not_negative)});
    table.finish();
  }
  return all;
}

/// Reads all keys; `checksum` receives the stated checksum unverified.
Calibration read(config::TomlTable& file, std::string& checksum) {
  using Method = CalibrationMethod;
  if (!file.has("schema") || file.integer("schema", 1, schema) == schema)
    file.only_keys({"schema", "id", "checksum", "from", "to", "sensor_serial", "date", "expires", "method",
                    "operator", "software", "residual_rms_um", "machine_from_sensor", "covariance", "stage",
                    "artefact", "temperature", "head", "residual"});
  if (file.integer("schema", 1, schema) != schema) {
    file.refuse("schema", "1 has no covariance, origin or checksum",
                "2; add the keys that are missing and run: datumctl calibrate seal FILE --operator NAME");
  }
  Calibration c;
  c.id = id(file);
  checksum = file.text_or("checksum", "");
  file.choice<int>("from", {{"sensor", 0}});
  file.choice<int>("to", {{"machine", 0}});
  c.sensor_serial = name(file, "sensor_serial");
  c.made_utc_s = utc(file, "date");
  c.expires_utc_s = utc(file, "expires");
  c.date = file.text("date");
  if (c.expires_utc_s <= c.made_utc_s) file.refuse("expires", "is not after date", "a time after " + c.date);
  c.method = file.choice<Method>("method", {{"angled-slot", Method::angled_slot},
                                            {"lines", Method::lines},
                                            {"sphere", Method::sphere},
                                            {"imported", Method::imported}});
  c.operator_name = name(file, "operator");
  c.software = name(file, "software");
  c.residual_rms_um = file.number("residual_rms_um", config::not_negative);
  c.machine_from_sensor = transform(file, "machine_from_sensor");
  c.covariance = covariance(file, "covariance");
  read_stage(file.table("stage"), c);
  read_artefact(file.table_if("artefact"), c, file);
  c.temperature = temperature(file.table_if("temperature"));
  c.head = head(file.table_if("head"));
  c.residuals = residuals(file);
  file.finish();
  return c;
}

}  // namespace

Calibration load_calibration(const std::filesystem::path& path, const config::TomlParser* parser) {
  auto file = config::TomlTable::from_file(path, parser);
  std::string checksum;
  Calibration c = read(file, checksum);
  c.sha256 = checksum_of(c);
  c.file = path;
  if (checksum != c.sha256) {
    file.refuse("checksum",
                checksum.empty() ? "missing" : "is not that of the content, which was changed or damaged",
                "the file as it was made; a file of your own: datumctl calibrate seal FILE --operator NAME");
  }
  return c;
}

namespace {

/// The comment of a TOML line: from a '#' outside quotes. Empty: none, or the line's quotes do not end on it.
std::string comment_of(const std::string& line) {
  char quote = 0;
  for (std::size_t i = 0; i < line.size(); ++i) {
    if (quote == '"' && line[i] == '\\') {
      ++i;
    } else if (quote != 0) {
      if (line[i] == quote) quote = 0;
    } else if (line[i] == '"' || line[i] == '\'') {
      quote = line[i];
    } else if (line[i] == '#') {
      return line.substr(i);
    }
  }
  return "";
}

/// The text with `key = value` in place of the key's line, or as a new line in front of the first table. A comment behind
/// the value stays.
std::string with_key(const std::string& text, const std::string& key, const std::string& value) {
  std::istringstream lines(text);
  std::string out, line;
  const std::string written = key + " = " + value;
  bool done = false;
  while (std::getline(lines, line)) {
    const std::size_t begin = line.find_first_not_of(" \t");
    const bool table = begin != line.npos && line[begin] == '[';
    const std::string_view rest = begin == line.npos ? "" : std::string_view(line).substr(begin);
    const std::size_t after = rest.starts_with(key) ? rest.find_first_not_of(" \t", key.size()) : rest.npos;
    if (!done && after != rest.npos && rest[after] == '=') {
      const std::string comment = comment_of(line);
      line = written + (comment.empty() ? "" : "  " + comment);
      done = true;
    } else if (!done && table) {
      out += written + "\n";
      done = true;
    }
    out += line + "\n";
  }
  return done ? out : out + written + "\n";
}

std::string in_quotes(const std::string& text) {
  std::string quoted = "\"";
  for (const char c : text) quoted += (c == '"' || c == '\\' ? "\\" : "") + std::string(1, c);
  return quoted + "\"";
}

}  // namespace

std::string sealed(const std::filesystem::path& path, const std::string& operator_name) {
  auto file = config::TomlTable::from_file(path);
  std::string checksum;
  Calibration c = read(file, checksum);
  c.method = CalibrationMethod::imported;
  c.operator_name = operator_name;
  std::ifstream in(path, std::ios::binary);
  std::string text{std::istreambuf_iterator<char>(in), {}};
  text = with_key(text, "method", in_quotes(name_of(c.method)));
  text = with_key(text, "operator", in_quotes(operator_name));
  text = with_key(text, "checksum", in_quotes(checksum_of(c)));
  auto again = config::TomlTable::from_text(text, path.string());
  const Calibration written = read(again, checksum);
  if (checksum_of(written) != checksum_of(c) || checksum != checksum_of(c))
    throw CalibrationError(
        path.string() +
        ": method, operator and checksum cannot be written into its text; allowed: each on a line "
        "of its own, in front of the first table");
  return text;
}

}  // namespace datum
