// datumctl recipe teach and recipe confirm: golden boards, and a person's word on what they taught.
#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <chrono>
#include <memory>

#include "calib/htm.h"
#include "config/toml_reader.h"
#include "daemon/ctl/command_line.h"
#include "daemon/ctl/exit_status.h"
#include "daemon/ctl/recipe_teach.h"
#include "drivers/frame/frame_error.h"

namespace datum {
namespace {

int guarded_teaching(const std::function<int()>& run) {
  try {
    return run();
  } catch (const config::ConfigError&) {
    throw;
  } catch (const std::invalid_argument& error) {
    fmt::print(stderr, "datumctl: {}\n", error.what());
    return usage;
  } catch (const FrameError& error) {
    fmt::print(stderr, "datumctl: {}; nothing was written\n", error.what());
    return failed;
  } catch (const CalibrationError& error) {
    fmt::print(stderr, "datumctl: {}; nothing was written\n", error.what());
    return failed;
  } catch (const std::exception& error) {
    fmt::print(stderr, "datumctl: {}\n", error.what());
    return not_written;
  }
}

std::int64_t now_utc_s() {
  return std::chrono::duration_cast<std::chrono::seconds>(std::chrono::system_clock::now().time_since_epoch())
      .count();
}

void add_teach(CommandLine& line, CLI::App& recipe) {
  auto o = std::make_shared<TeachOptions>();
  auto* command = line.leaf(
      recipe, "teach",
      "measures golden boards and proposes heights, limits and what differs from the recipe, for a person to "
      "confirm; exit status 0: nothing differs, 1: a board is not golden, 10: something differs",
      [o] {
        o->utc_s = now_utc_s();
        return guarded_teaching([o] { return teach_recipe(*o); });
      });
  line.offer(command->add_option("--recipe", o->recipe, "the recipe")->required(), Offer::files);
  line.offer(command->add_option("--frames", o->frames, "a frame of each golden board")->required(),
             Offer::files);
  line.offer(command->add_option("-o,--output", o->output, "the proposal file")->required(), Offer::files);
  line.offer(command->add_option("--sensor", o->sensor, "profile of the sensor (default: the cell's)"),
             Offer::files);
  line.offer(command->add_option("--calibration", o->calibration,
                                 "for boards in machine coordinates (default: the cell's)"),
             Offer::files);
  command->add_option("--temperature", o->temperature_degc,
                      "of the cell in degrees Celsius, where the calibration demands it");
  auto* bodies = command
                     ->add_option("--bodies-above", o->bodies_above_um,
                                  "proposes what stands higher than so many um over the board and is no "
                                  "component of the recipe; pads with solder reach 100")
                     ->check(CLI::Range(1.0, 1e5));
  auto* design =
      command->add_option("--design", o->design, "names these bodies by the parts that the recipe left out")
          ->needs(bodies);
  line.offer(design, Offer::files);
  command->add_option("--side", o->side, "of the design: top or bottom")
      ->transform(CLI::IsMember({"top", "bottom"}))
      ->capture_default_str()
      ->needs(design);
  command->add_option("--turn", o->turn, "how it is turned over for its bottom: vertical or horizontal")
      ->transform(CLI::IsMember({"vertical", "horizontal"}))
      ->capture_default_str()
      ->needs(design);
  command->add_flag("--ring", o->ring, "tries other margins of the floor's ring on the first two boards");
  command->add_option("--config", o->config, "configuration of the daemon")->capture_default_str();
}

void add_confirm(CommandLine& line, CLI::App& recipe) {
  auto o = std::make_shared<ConfirmOptions>();
  auto* command = line.leaf(recipe, "confirm",
                            "takes a proposal over into its recipe, with who and when; what differs from the "
                            "recipe only by --only",
                            [o] {
                              o->utc_s = now_utc_s();
                              return guarded_teaching([o] { return confirm_proposal(*o); });
                            });
  line.offer(command->add_option("proposal", o->proposal, "the proposal file")->required(), Offer::files);
  line.offer(command->add_option("recipe", o->recipe, "the recipe that was taught")->required(),
             Offer::files);
  command->add_option("--by", o->by, "who stands behind it")->required();
  command->add_option("--only", o->only, "these components, such as U3,R1")->delimiter(',');
  command->add_flag("--ring", o->ring, "the proposed margins of the ring too");
  line.offer(command->add_option("-o,--output", o->output, "the edited recipe (default: in its place)"),
             Offer::files);
}

}  // namespace

void add_recipe_teach(CommandLine& line, CLI::App& recipe) {
  add_teach(line, recipe);
  add_confirm(line, recipe);
}

}  // namespace datum
