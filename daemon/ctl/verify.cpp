#include "daemon/ctl/verify.h"

#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <charconv>
#include <cmath>
#include <cstdio>
#include <stdexcept>

#include "calib/fit/feature.h"
#include "daemon/ctl/verify_results.h"
#include "daemon/store/result_store.h"

namespace datum {
namespace {

int status(Found found) { return static_cast<int>(found); }

}  // namespace

CLI::App* add_verify(CLI::App& app, VerifyOptions& o) {
  auto* all =
      app.add_subcommand("verify",
                         "how well a sensor or a calibration does, and whether results are as "
                         "written; needs no daemon; exit status 0 good, 1 not good, 2 not "
                         "enough to say, 3 no measurement, 4 bad input, 10 good, but not all is known");
  all->require_subcommand(1);
  const auto step = [&](const char* name, const char* words) {
    auto* command = all->add_subcommand(name, words);
    command->callback([&o, name] { o.step = name; });
    command->add_option("--sensor", o.sensor, "profile of the sensor")->required();
    return command;
  };
  auto* overlap = step("overlap", "do snapshots agree where they overlap, and what does that prove");
  overlap->add_option("snapshots", o.snapshots, "FRAME@X,Y,Z: file, and the stage's reading in mm")
      ->required()
      ->expected(2, 64);
  overlap->add_option("--calibration", o.calibration, "of that sensor")->required();
  const auto u = [&](const char* name, double& value, const char* words) {
    overlap->add_option(name, value, words)->capture_default_str()->check(CLI::NonNegativeNumber);
  };
  u("--position-u-um", o.position_u_um, "standard uncertainty of a reading of the stage, each axis");
  u("--squareness-u-rad", o.squareness_u_rad, "of the stage's squareness, each pair of axes");
  u("--scale-u-ppm", o.scale_u_ppm, "of the stage's scales, each axis");
  overlap->add_option("--temperature", o.temperature_degc, "of the cell in degC, where it is demanded");
  auto* spheres = step("spheres", "probing error PF and PS, sphere-spacing error SD");
  spheres->add_option("frame", o.frame, "of the artefact")->required();
  spheres->add_option("--drawing", o.drawing, "of the sphere artefact")->required();
  auto* flatness = step("flatness", "flatness error F");
  flatness->add_option("frame", o.frame, "of a flat artefact")->required();
  flatness->add_option("--area", o.area, "only X0,X1,Y0,Y1 in mm, sensor coordinates");
  for (auto* command : {spheres, flatness})
    command->add_flag("--discard-worst", o.discard_worst, "leave the worst three per mille of points out");
  auto* points = all->add_subcommand(
      "points", "flatness, profile and parallel planes of a list of points, as a CMM gives it");
  points->callback([&o] { o.step = "points"; });
  points->add_option("points", o.frame, "CSV: x_mm,y_mm,z_mm and, where wanted, weight and plane")
      ->required();
  points->add_option("--nominal", o.nominal, "NX,NY,NZ,OFFSET in mm: the plane that profiles are of");
  add_verify_results(*all, o.results, [&o] { o.step = "results"; });
  return all;
}

int verify(const VerifyOptions& o) {
  try {
    const Verified verified = o.step == "results"   ? verify_results(o.results)
                              : o.step == "overlap" ? verify_overlap(o)
                              : o.step == "spheres" ? verify_spheres(o)
                              : o.step == "points"  ? verify_points(o)
                                                    : verify_flatness(o);
    fmt::print("{}", verified.text);
    return status(verified.found);
  } catch (const FitRefused& error) {
    fmt::print(stderr, "datumctl: INVALID: {}\n", error.what());
    return status(Found::invalid);
  } catch (const StoreError&) {
    throw;
  } catch (const std::exception& error) {
    fmt::print(stderr, "datumctl: {}\n", error.what());
    return status(Found::bad_input);
  }
}

std::vector<double> numbers_of(const std::string& text, std::size_t wanted, const std::string& what) {
  std::vector<double> numbers;
  const char *at = text.data(), *end = at + text.size();
  while (numbers.size() < wanted) {
    double value = 0;
    const auto [next, error] = std::from_chars(at, end, value);
    if (error != std::errc() || !std::isfinite(value)) break;
    numbers.push_back(value);
    at = next;
    if (at == end || *at != ',' || numbers.size() == wanted) break;
    ++at;
  }
  if (numbers.size() != wanted || at != end)
    throw std::invalid_argument(
        fmt::format("{}: '{}'; wanted: {} numbers in mm, split by commas", what, text, wanted));
  return numbers;
}

}  // namespace datum
