#include "daemon/ctl/fringe.h"

#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <cstdio>

#include "calib/htm.h"
#include "daemon/ctl/exit_status.h"

namespace datum {

CLI::App* add_fringe(CLI::App& app, FringeOptions& o) {
  auto* all = app.add_subcommand(
      "fringe",
      "sensors whose frames are raw images of projected fringes; needs no daemon; exit status 0 done, 3 no "
      "calibration could be made, 4 bad input");
  all->require_subcommand(1);
  auto* c = all->add_subcommand("calibrate",
                                "the phase-to-height model, from a flat plate at several known heights");
  c->callback([&o] { o.step = "calibrate"; });
  c->add_option("sets", o.sets,
                "SET.json@HEIGHT: raw set of the plate, and its height in mm, sensor coordinates")
      ->required()
      ->expected(1, 64);
  c->add_option("--sensor", o.sensor, "profile of the sensor, with its table [fringe]")->required();
  c->add_option("--id", o.id, "of the calibration: letters, digits, '.', '_' and '-'")->required();
  c->add_option("--operator", o.operator_name, "who made it")->required();
  c->add_option("--u-step-um", o.u_step_um, "standard uncertainty of a height of the plate")
      ->required()
      ->check(CLI::NonNegativeNumber);
  c->add_option("--u-plate-um", o.u_plate_um, "standard uncertainty from the plate's form")
      ->required()
      ->check(CLI::NonNegativeNumber);
  c->add_option("--max-residual-um", o.max_residual_um, "rms of any height, above it nothing is written")
      ->required()
      ->check(CLI::PositiveNumber);
  c->add_option("--valid-days", o.valid_days, "it expires then")->required()->check(CLI::Range(1, 3660));
  c->add_option("--degree", o.degree, "of the polynomial")->capture_default_str()->check(CLI::Range(1, 3));
  c->add_flag("--no-bend", o.no_bend, "leave out the denominator that a projector near the object needs");
  c->add_option("--cell-px", o.cell_px, "between nodes of the model: a power of two")->capture_default_str();
  c->add_option(
       "--temperature", o.temperature_degc,
       "of the cell in degC: then the calibration holds near it only, and the cell's must be reported")
      ->check(CLI::Range(-20.0, 60.0));
  c->add_option("--temperature-window-k", o.temperature_window_k, "how near")
      ->capture_default_str()
      ->check(CLI::Range(0.1, 20.0));
  c->add_option("--output", o.output, "file to write (default: the one that the profile names)");
  add_fringe_columns(*all, o.columns)->callback([&o] { o.step = "columns"; });
  return all;
}

int fringe(const FringeOptions& o) {
  try {
    fmt::print("{}", o.step == "columns" ? fringe_columns(o.columns) : calibrate_fringe(o));
    return good;
  } catch (const CalibrationError& error) {
    fmt::print(stderr, "datumctl: INVALID: {}\n", error.what());
    return 3;
  } catch (const std::exception& error) {
    fmt::print(stderr, "datumctl: {}\n", error.what());
    return 4;
  }
}

}  // namespace datum
