#include "daemon/ctl/fit_points.h"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <cmath>
#include <filesystem>
#include <map>

#include "calib/verify/point_planes.h"
#include "config/toml_reader.h"
#include "drivers/frame/frame_error.h"
#include "drivers/sensor/file_bytes.h"
#include "drivers/sensor/header_lines.h"
#include "drivers/sensor/ply_columns.h"
#include "drivers/sensor/stored_number.h"

namespace datum {
namespace {

namespace fs = std::filesystem;

constexpr std::size_t most_point_bytes = std::size_t{4} << 30;
constexpr double farthest_point_mm = 1e5;

/// A point with what weighs it; 0: not stated.
struct FilePoint {
  Eigen::Vector3d mm;
  double area_mm2 = 0, u_mm = 0;
};

struct PointSource {
  std::string name;
  FitWeights weights;
  double mm_per_unit;

  [[noreturn]] void refuse(const std::string& what, const std::string& wanted) const {
    throw std::invalid_argument(fmt::format("{}: {}; wanted: {}", name, what, wanted));
  }
  bool takes_area() const { return weights == FitWeights::area || weights == FitWeights::area_and_variance; }
  bool takes_u() const { return weights == FitWeights::variance || weights == FitWeights::area_and_variance; }
  double unit() const {
    if (!(mm_per_unit > 0)) refuse("its format states no unit", "--unit mm, um, cm, m or inch");
    return mm_per_unit;
  }
  /// The weight of a point; throws where it is not stated.
  double weight_of(const FilePoint& p, std::size_t number) const {
    const auto need = [&](double value, const char* what, const char* columns) {
      if (!(value > 0 && std::isfinite(value)))
        refuse(fmt::format("point {} has no {} above 0", number, what),
               fmt::format("{}, for weights are \"{}\"", columns, name_of(weights)));
      return value;
    };
    double weight = 1;
    if (takes_area())
      weight *=
          need(p.area_mm2, "area", "a column area_mm2 (CSV), a property area (PLY), a fourth number (XYZ)");
    if (takes_u()) {
      const double u = need(p.u_mm, "u", "a column u_um (CSV), a property u (PLY), a last number (XYZ)");
      weight /= u * u;
    }
    return weight;
  }
  void add(SampledPlane& plane, const FilePoint& p) const {
    const std::size_t number = plane.mm.size() + 1;
    if (!p.mm.allFinite() || p.mm.cwiseAbs().maxCoeff() > farthest_point_mm)
      refuse(fmt::format("point {} at {}, {}, {} mm", number, p.mm.x(), p.mm.y(), p.mm.z()),
             "finite coordinates within 100 m; is the unit right?");
    plane.weight.push_back(weight_of(p, number));
    plane.mm.push_back(p.mm);
  }
};

std::string text_of_bytes(const Bytes& bytes) { return {bytes.begin(), bytes.end()}; }

/// The planes of a CSV file, by set and number.
std::map<int, std::map<int, SampledPlane>> csv_planes(const Bytes& bytes, const PointSource& source) {
  std::map<int, std::map<int, SampledPlane>> sets;
  for (const ListedPoint& p : read_points(text_of_bytes(bytes), source.name, PointColumns::for_weights))
    source.add(sets[p.set][p.plane], {p.mm, p.area_mm2, p.u_um / 1000});
  return sets;
}

SampledPlane ply_plane(const Bytes& bytes, const PointSource& source) {
  const auto columns = read_ply_columns(bytes, source.name, {"x", "y", "z", "area", "u"});
  for (const char* axis : {"x", "y", "z"})
    if (columns.count(axis) == 0) source.refuse("a vertex has no x, y and z", "a cloud of points");
  const double mm = source.unit();
  const auto value = [&](const char* column, std::size_t i) {
    const auto found = columns.find(column);
    return found == columns.end() ? 0 : found->second[i];
  };
  SampledPlane plane;
  for (std::size_t i = 0; i < columns.at("x").size(); ++i)
    source.add(plane, {mm * Eigen::Vector3d(value("x", i), value("y", i), value("z", i)),
                       mm * mm * value("area", i), mm * value("u", i)});
  return plane;
}

SampledPlane xyz_plane(const Bytes& bytes, const PointSource& source) {
  const double mm = source.unit();
  const std::size_t numbers = 3 + (source.takes_area() ? 1 : 0) + (source.takes_u() ? 1 : 0);
  const std::string text = text_of_bytes(bytes);
  SampledPlane plane;
  std::size_t line = 0;
  for (std::size_t from = 0; from < text.size();) {
    const std::size_t end = std::min(text.find('\n', from), text.size());
    std::string_view row(text.data() + from, end - from);
    if (!row.empty() && row.back() == '\r') row.remove_suffix(1);
    from = end + 1;
    ++line;
    const auto words = words_of(row);
    if (words.empty() || words[0][0] == '#') continue;
    double v[5] = {};
    for (std::size_t k = 0; k < words.size() && k < numbers; ++k) {
      const auto number = number_in(words[k]);
      if (!number)
        source.refuse(fmt::format("line {}: '{}' is no number", line, words[k].substr(0, 40)), "x y z");
      v[k] = *number;
    }
    if (words.size() != numbers)
      source.refuse(
          fmt::format("line {}: {} numbers", line, words.size()),
          fmt::format("{}: x y z{}{}, for weights are \"{}\"", numbers, source.takes_area() ? " area" : "",
                      source.takes_u() ? " u" : "", name_of(source.weights)));
    source.add(plane, {mm * Eigen::Vector3d(v[0], v[1], v[2]), source.takes_area() ? mm * mm * v[3] : 0,
                       source.takes_u() ? mm * v[numbers - 1] : 0});
  }
  return plane;
}

std::string ending_of(const std::string& file) {
  std::string ending = fs::path(file).extension().string();
  std::transform(ending.begin(), ending.end(), ending.begin(),
                 [](unsigned char c) { return std::tolower(c); });
  return ending;
}

/// Adds the planes of a file to the sets by their numbers. `in_one_plane`: it must be one.
void add_file(FitJob& job, std::map<int, ParallelPointSet>& sets, const std::string& file,
              const PointSource& source, bool in_one_plane, const std::string& name) {
  const Bytes bytes = read_bytes(link_followed(file), most_point_bytes);
  job.sha256.emplace_back(file, sha256_hex({bytes}));
  const std::string ending = ending_of(file);
  if (ending == ".csv") {
    auto found = csv_planes(bytes, source);
    if (in_one_plane && (found.size() > 1 || found.begin()->second.size() > 1))
      source.refuse("it has several planes", "one plane a file in a recipe");
    for (auto& [set, planes] : found)
      for (auto& [number, plane] : planes) {
        plane.name = planes.size() > 1 || found.size() > 1 ? fmt::format("{}:{}", name, number) : name;
        sets[set].planes.push_back(std::move(plane));
      }
    return;
  }
  if (ending != ".ply" && ending != ".xyz" && ending != ".txt")
    source.refuse("its ending is none of a list of points", ".csv, .ply, .xyz or .txt");
  SampledPlane plane = ending == ".ply" ? ply_plane(bytes, source) : xyz_plane(bytes, source);
  plane.name = name;
  sets[1].planes.push_back(std::move(plane));
}

template <class Read>
void as_argument(const Read& read) {
  try {
    read();
  } catch (const FrameError& error) {
    throw std::invalid_argument(error.what());
  }
}

void read_set(config::TomlTable& table, const fs::path& folder, double mm_per_unit, FitJob& job) {
  table.only_keys({"name", "towards", "plane"});
  table.name_by("name");
  ParallelPointSet set;
  const std::string name = table.text("name");
  if (table.has("towards"))
    set.towards = Eigen::Map<const Eigen::Vector3d>(table.numbers("towards", 3).data());
  if (!(set.towards.norm() > 1e-6))
    table.refuse("towards", "has no direction", "x, y and z of a direction on the normal's side");
  std::vector<config::TomlTable> planes = table.tables("plane");
  if (planes.empty()) table.refuse("plane", "missing", "at least one [[set.plane]]");
  for (config::TomlTable& plane : planes) {
    plane.only_keys({"name", "file"});
    const std::string plane_name = plane.text("name"), file = plane.text("file");
    if (!stays_below(file))
      plane.refuse("file", "'" + file + "' is not below the recipe's folder",
                   "a file beside the recipe or in a folder there");
    plane.finish();
    std::map<int, ParallelPointSet> one;
    const std::string path = (folder / file).string();
    as_argument([&] { add_file(job, one, path, {path, job.weights, mm_per_unit}, true, plane_name); });
    set.planes.push_back(std::move(one.begin()->second.planes.front()));
  }
  table.finish();
  set.name = name;
  job.sets.push_back(std::move(set));
}

}  // namespace

const char* name_of(FitWeights weights) {
  constexpr const char* names[] = {"equal", "area", "variance", "area_and_variance"};
  return names[static_cast<std::size_t>(weights)];
}

FitJob load_fit_points(const std::vector<std::string>& files, FitWeights weights, double mm_per_unit) {
  FitJob job;
  job.weights = weights;
  std::map<int, ParallelPointSet> sets;
  for (const std::string& file : files)
    as_argument([&] {
      add_file(job, sets, file, {file, weights, mm_per_unit}, false, fs::path(file).filename().string());
    });
  for (auto& [number, set] : sets) {
    set.name = std::to_string(number);
    job.sets.push_back(std::move(set));
  }
  return job;
}

FitJob load_fit_recipe(const std::string& file) {
  auto table = config::TomlTable::from_file(file);
  table.only_keys({"schema", "kind", "weights", "unit", "set"});
  table.integer("schema", 1, 1);
  table.choice<int>("kind", {{"parallel_planes", 0}});
  FitJob job;
  job.weights = table.choice<FitWeights>("weights", {{"equal", FitWeights::equal},
                                                     {"area", FitWeights::area},
                                                     {"variance", FitWeights::variance},
                                                     {"area_and_variance", FitWeights::area_and_variance}});
  const double mm_per_unit =
      table.choice<double>("unit", {{"mm", 1.0}, {"um", 1e-3}, {"cm", 10.0}, {"m", 1000.0}, {"inch", 25.4}});
  std::vector<config::TomlTable> sets = table.tables("set");
  if (sets.empty()) table.refuse("set", "missing", "at least one [[set]] with its [[set.plane]]");
  job.sha256.emplace_back(file, table.sha256());
  for (config::TomlTable& set : sets) read_set(set, fs::path(file).parent_path(), mm_per_unit, job);
  table.finish();
  return job;
}

}  // namespace datum
