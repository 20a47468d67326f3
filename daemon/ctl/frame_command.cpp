// datumctl frame describe
#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <memory>
#include <nlohmann/json.hpp>

#include "daemon/ctl/command_line.h"
#include "daemon/ctl/exit_status.h"
#include "daemon/ctl/frame_description.h"
#include "drivers/frame/frame_error.h"
#include "drivers/profile/sensor_profile_file.h"

namespace datum {
namespace {

struct FrameOptions {
  std::string file, sensor;
  bool write = false;
  SidecarAnswers answers;
};

void print(const FrameDescription& d, bool json) {
  if (json) {
    nlohmann::ordered_json out;
    for (const auto& [name, value] : d.rows) out[name] = value;
    out["faults"] = d.faults;
    fmt::print("{}\n", out.dump(2, ' ', false, nlohmann::ordered_json::error_handler_t::replace));
    return;
  }
  for (const auto& [name, value] : d.rows) fmt::print("{:<12} {}\n", name, value);
  for (const std::string& fault : d.faults) fmt::print("{:<12} {}\n", "fault", fault);
  if (d.faults.empty())
    fmt::print("datumd reads it\n");
  else if (!d.sidecar.empty() && !d.has_sidecar)
    fmt::print(
        "--write writes {} from --sensor PROFILE, --pixel-mm, --z-unit and others: datumctl frame describe "
        "--help\n",
        d.sidecar.filename().string());
}

int describe(const FrameOptions& o, bool json) {
  try {
    std::optional<SensorProfile> sensor;
    if (!o.sensor.empty()) sensor = config::load_sensor_profile(o.sensor);
    std::filesystem::path file = o.file;
    if (o.write) {
      file = write_sidecar_beside(o.file, sensor, o.answers);
      fmt::print(stderr, "{}: written\n", file.string());
    }
    const FrameDescription d = describe_frame(file, sensor);
    print(d, json);
    return d.is_readable() ? good : failed;
  } catch (const config::ConfigError& error) {
    fmt::print(stderr, "datumctl: {}\n", error.what());
    return no_store;
  } catch (const FrameError& error) {
    fmt::print(stderr, "datumctl: {}\n", error.what());
    return failed;
  } catch (const std::runtime_error& error) {
    fmt::print(stderr, "datumctl: {}\n", error.what());
    return not_written;
  }
}

}  // namespace

void add_frame_commands(CommandLine& line) {
  auto o = std::make_shared<FrameOptions>();
  auto* frame = line.app.add_subcommand("frame", "files of a sensor, without the daemon");
  frame->require_subcommand(1);
  auto* command = line.leaf(
      *frame, "describe",
      "how datumd reads a frame's file, and what its sidecar lacks, all keys at once; exit status 0 "
      "where datumd reads it, 1 where not",
      [&line, o] { return describe(*o, line.json); });
  line.offer(command->add_option("file", o->file, "height file, or its sidecar")->required(), Offer::files);
  line.offer(command->add_option("--sensor", o->sensor, "profile of the sensor, which the frame must match"),
             Offer::files);
  line.add_json(*command);
  auto* write = command->add_flag("--write", o->write,
                                  "writes the sidecar of a height file that has none; never overwrites one");
  SidecarAnswers& a = o->answers;
  const auto needs_write = [&](CLI::Option* option) { return option->needs(write); };
  needs_write(
      command->add_option("--serial", a.serial, "the sensor's serial number (default: the profile's)"));
  needs_write(command->add_option("--frame-id", a.frame_id,
                                  "id of the exposure (default: the file's name without ending)"));
  needs_write(command->add_option("--unit", a.unit_id, "serial number of the board"));
  needs_write(command->add_option("--handedness", a.handedness,
                                  "hand of the coordinates as delivered (default: the profile's)"))
      ->transform(CLI::IsMember({"right", "left"}, CLI::ignore_case));
  needs_write(command->add_option(
                  "--pixel-mm", a.pixel_mm,
                  "distance of two columns, and of two rows where it differs (default: what the file or the "
                  "profile states)"))
      ->expected(1, 2)
      ->check(CLI::PositiveNumber);
  needs_write(
      command->add_option("--z-unit", a.z_unit, "unit of the heights, where the file does not state it"))
      ->transform(CLI::IsMember({"m", "mm", "um", "nm", "inch", "mil"}));
  needs_write(command->add_option("--z-scale", a.z_scale,
                                  "height of one count in that unit (default, of floats alone: 1)"));
  needs_write(command->add_option(
      "--invalid", a.invalid,
      "sample of a pixel without a height: a number, nan or none (default, of floats alone: nan)"));
}

}  // namespace datum
