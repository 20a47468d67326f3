// datumctl fit parallel-planes
#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <cmath>
#include <memory>
#include <nlohmann/json.hpp>

#include "config/toml_reader.h"
#include "daemon/ctl/command_line.h"
#include "daemon/ctl/exit_status.h"
#include "daemon/ctl/fit_points.h"
#include "daemon/ctl/verify.h"
#include "daemon/text/table.h"
#include "daemon/version/version.h"

namespace datum {
namespace {

using Align = Table::Align;

struct FitOptions {
  std::vector<std::string> files;
  std::string weights, unit, towards;
};

WeightMeaning meaning_of(FitWeights weights) {
  if (weights == FitWeights::variance) return WeightMeaning::variance;
  return weights == FitWeights::area_and_variance ? WeightMeaning::area_and_variance : WeightMeaning::area;
}

double mm_per_unit(const std::string& unit) {
  const std::pair<const char*, double> units[] = {
      {"mm", 1}, {"um", 1e-3}, {"cm", 10}, {"m", 1000}, {"inch", 25.4}};
  for (const auto& [name, mm] : units)
    if (unit == name) return mm;
  return 0;
}

FitWeights weights_of(const std::string& text) {
  for (const FitWeights w : {FitWeights::area, FitWeights::variance, FitWeights::area_and_variance})
    if (text == name_of(w)) return w;
  return FitWeights::equal;
}

FitJob job_of(const FitOptions& o) {
  if (o.files.size() == 1 && o.files[0].ends_with(".toml")) {
    if (!o.weights.empty() || !o.unit.empty() || !o.towards.empty())
      throw std::invalid_argument(
          "--weights, --unit and --towards are of lists of points; a recipe states them itself");
    return load_fit_recipe(o.files[0]);
  }
  FitJob job = load_fit_points(o.files, weights_of(o.weights), mm_per_unit(o.unit));
  if (!o.towards.empty()) {
    const auto n = numbers_of(o.towards, 3, "--towards");
    const Eigen::Vector3d towards(n[0], n[1], n[2]);
    if (!(towards.norm() > 1e-6))
      throw std::invalid_argument("--towards " + o.towards + ": wanted: X,Y,Z of a direction");
    for (ParallelPointSet& set : job.sets) set.towards = towards;
  }
  return job;
}

std::string planes_text(const FittedSet& set) {
  Table table({{"plane", Align::left},
               {"points", Align::right},
               {"offset mm", Align::right},
               {"u um", Align::right},
               {"rms um", Align::right},
               {"flatness um", Align::right}});
  for (const FittedPlane& p : set.planes)
    table.add({{p.name},
               {fmt::format("{}", p.points)},
               {fmt::format("{:.7f}", p.offset_mm)},
               {fmt::format("{:.4f}", 1e3 * p.u_offset_mm)},
               {fmt::format("{:.4f}", 1e3 * p.rms_mm)},
               {fmt::format("{:.4f}", 1e3 * p.flatness_mm)}});
  return table.text(false);
}

std::string text_of(const FittedSet& set) {
  const Eigen::Vector3d u = 1e6 * set.normal_covariance.diagonal().cwiseMax(0).cwiseSqrt();
  std::string text = fmt::format(
      "set {}: normal {:.9f} {:.9f} {:.9f}, u {:.4f} {:.4f} {:.4f} urad; sigma {:.4f} um\n", set.name,
      set.normal.x(), set.normal.y(), set.normal.z(), u.x(), u.y(), u.z(), 1e3 * set.sigma_mm);
  text += planes_text(set);
  for (const FittedDistance& d : set.distances)
    text += fmt::format("{} to {}: {:.7f} mm, u {:.4f} um\n", set.planes[d.from].name, set.planes[d.to].name,
                        d.mm, 1e3 * d.u_mm);
  return text;
}

nlohmann::ordered_json rows_of(const Eigen::MatrixXd& m) {
  nlohmann::ordered_json rows = nlohmann::ordered_json::array();
  for (Eigen::Index i = 0; i < m.rows(); ++i) {
    nlohmann::ordered_json row = nlohmann::ordered_json::array();
    for (Eigen::Index k = 0; k < m.cols(); ++k) row.push_back(m(i, k));
    rows.push_back(row);
  }
  return rows;
}

nlohmann::ordered_json json_of(const FittedSet& set) {
  nlohmann::ordered_json out, planes = nlohmann::ordered_json::array(), distances = planes;
  for (const FittedPlane& p : set.planes)
    planes.push_back({{"name", p.name},
                      {"points", p.points},
                      {"effective_points", p.effective},
                      {"centroid_mm", {p.centroid_mm.x(), p.centroid_mm.y(), p.centroid_mm.z()}},
                      {"offset_mm", p.offset_mm},
                      {"u_offset_mm", p.u_offset_mm},
                      {"rms_mm", p.rms_mm},
                      {"flatness_mm", p.flatness_mm}});
  for (const FittedDistance& d : set.distances)
    distances.push_back({{"from", set.planes[d.from].name},
                         {"to", set.planes[d.to].name},
                         {"distance_mm", d.mm},
                         {"u_mm", d.u_mm}});
  out["name"] = set.name;
  out["normal"] = {set.normal.x(), set.normal.y(), set.normal.z()};
  out["normal_covariance_rad2"] = rows_of(set.normal_covariance);
  out["sigma_mm"] = set.sigma_mm;
  out["planes"] = planes;
  out["offset_covariance_mm2"] = rows_of(set.offset_covariance_mm2);
  out["distances"] = distances;
  return out;
}

void print(const FitJob& job, const std::vector<FittedSet>& sets, bool json) {
  if (!json) {
    for (const FittedSet& set : sets) fmt::print("{}\n", text_of(set));
    fmt::print(
        "weights {}; u: standard uncertainty, of the points' scatter alone, as if they were independent\n",
        name_of(job.weights));
    for (const auto& [file, sha256] : job.sha256) fmt::print("{}  sha256 {}\n", file, sha256);
    return;
  }
  nlohmann::ordered_json out;
  out["code"] = code_id();
  out["weights"] = name_of(job.weights);
  for (const auto& [file, sha256] : job.sha256) out["inputs"].push_back({{"file", file}, {"sha256", sha256}});
  for (const FittedSet& set : sets) out["sets"].push_back(json_of(set));
  fmt::print("{}\n", out.dump(2, ' ', false, nlohmann::ordered_json::error_handler_t::replace));
}

int fit(const FitOptions& o, bool json) {
  try {
    const FitJob job = job_of(o);
    std::vector<FittedSet> sets;
    for (const ParallelPointSet& set : job.sets)
      sets.push_back(fit_parallel_set(set, meaning_of(job.weights), cpu_backend()));
    print(job, sets, json);
    return good;
  } catch (const FitRefused& error) {
    fmt::print(stderr, "datumctl: INVALID: {}\n", error.what());
    return static_cast<int>(Found::invalid);
  } catch (const std::exception& error) {
    fmt::print(stderr, "datumctl: {}\n", error.what());
    return usage;
  }
}

}  // namespace

void add_fit_commands(CommandLine& line) {
  auto o = std::make_shared<FitOptions>();
  auto* all = line.app.add_subcommand("fit", "features through lists of measured points, without the daemon");
  all->require_subcommand(1);
  auto* command = line.leaf(
      *all, "parallel-planes",
      "planes that share a normal, by weighted total least squares: normal, offsets and distances with their "
      "covariances; exit status 3 where the points determine none",
      [&line, o] { return fit(*o, line.json); });
  line.offer(
      command
          ->add_option(
              "files", o->files,
              "one plane a file: CSV (x_mm,y_mm,z_mm, where wanted area_mm2, u_um, plane, set), PLY (x, y, "
              "z, area, u), XYZ or TXT (x y z, area, u); or one recipe, FILE.toml, of several sets")
          ->required(),
      Offer::files);
  command
      ->add_option("--weights", o->weights,
                   "equal (default), area that a point stands for, variance (1 over its u squared), or both")
      ->transform(CLI::IsMember({"equal", "area", "variance", "area_and_variance"}, CLI::ignore_case));
  command->add_option("--unit", o->unit, "of the numbers of PLY and XYZ files")
      ->transform(CLI::IsMember({"mm", "um", "cm", "m", "inch"}, CLI::ignore_case));
  command->add_option("--towards", o->towards, "X,Y,Z: the side to which normals point (default 0,0,1)");
  line.add_json(*command, "all as JSON, with the covariances of the normal and of the offsets");
}

}  // namespace datum
