// datumctl recipe import, update and picture: recipes from designs, without the daemon.
#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <filesystem>
#include <memory>
#include <new>

#include "config/toml_reader.h"
#include "daemon/ctl/command_line.h"
#include "daemon/ctl/exit_status.h"
#include "daemon/ctl/recipe_import.h"
#include "daemon/ctl/recipe_update.h"
#include "daemon/pictures/recipe_picture.h"

namespace datum {
namespace {

int guarded_recipe(const std::function<int()>& run) {
  try {
    return run();
  } catch (const config::ConfigError&) {
    throw;
  } catch (const design::DesignError& error) {
    fmt::print(stderr, "datumctl: {}\n", error.what());
    return failed;
  } catch (const std::bad_alloc&) {
    fmt::print(stderr,
               "datumctl: the design needs more memory than this process may have; nothing was written\n");
    return failed;
  } catch (const std::invalid_argument& error) {
    fmt::print(stderr, "datumctl: {}\n", error.what());
    return usage;
  } catch (const std::runtime_error& error) {
    fmt::print(stderr, "datumctl: {}; nothing was written\n", error.what());
    return not_written;
  }
}

void add_side_options(CLI::App& command, const std::shared_ptr<ImportOptions>& o) {
  command.add_option("--side", o->side, "the side that is measured")
      ->transform(CLI::IsMember({"top", "bottom"}))
      ->capture_default_str();
  command
      .add_option("--turn", o->turn,
                  "how the board is turned over for its bottom: about the vertical (left to right) or the "
                  "horizontal axis")
      ->transform(CLI::IsMember({"vertical", "horizontal"}))
      ->capture_default_str();
  command.add_option("--coordinates", o->coordinates, "of the board's place: sensor or machine")
      ->transform(CLI::IsMember({"sensor", "machine"}))
      ->capture_default_str();
  command
      .add_option("--origin", o->origin_mm,
                  "X,Y,Z of the board's lower left corner there, in mm (default: the board's middle at 0, 0)")
      ->delimiter(',')
      ->expected(3);
  command.add_option("--rotation", o->rotation_deg, "of the board about z, in degrees")
      ->check(CLI::Range(-360.0, 360.0));
}

void add_instance_option(CLI::App& command, const std::shared_ptr<ImportOptions>& o) {
  command
      .add_option("--instance", o->instance,
                  "COLUMN,ROW of the board in the design's panel, from 1,1: the origin is that of 1,1, and "
                  "moves by the panel's "
                  "pitch")
      ->delimiter(',')
      ->expected(2)
      ->check(CLI::PositiveNumber);
  command.add_flag("--keyed-fixture", o->keyed_fixture,
                   "with --panel: the fixture or conveyor takes the panel in one way alone");
  command
      .add_flag(
          "--panel", o->panel,
          "a recipe of the design's whole panel: places in [panel]; the origin is that of its board 1,1")
      ->excludes("--instance");
}

void add_table_options(CLI::App& command, const std::shared_ptr<ImportOptions>& o) {
  command.add_option(
      "--dialect", o->table.dialect,
      "of a centroid file: kicad, altium, eagle, allegro, jlc, librepcb, diptrace (default: found)");
  command.add_option("--encoding", o->table.encoding,
                     "of a centroid file that is not UTF-8 or UTF-16 with its mark, such as cp1252");
  command.add_option("--unit", o->table.unit, "of a centroid file that does not state it")
      ->transform(CLI::IsMember({"mm", "inch", "mil"}));
  command.add_option("--file-side", o->file_side, "of a centroid file of one side")
      ->transform(CLI::IsMember({"top", "bottom"}));
  command
      .add_option("--outline", o->outline_mm,
                  "X,Y,W,H of the board for a centroid file, which has none: its lower left corner in the "
                  "file's coordinates and its size, in mm")
      ->delimiter(',')
      ->expected(4);
}

void add_import(CommandLine& line, CLI::App& recipe) {
  auto o = std::make_shared<ImportOptions>();
  auto* command = line.leaf(recipe, "import",
                            "a recipe from a design: KiCad board (.kicad_pcb, 5 to 9), IPC-2581 (A to C), "
                            "ODB++ (folder, .tgz), centroid file; "
                            "exit status 1 where the design is refused",
                            [o] { return guarded_recipe([o] { return import_recipe(*o); }); });
  line.offer(command->add_option("file", o->file, "the design")->required(), Offer::files);
  line.offer(command->add_option("-o,--output", o->output, "the recipe (default: stdout)"), Offer::files);
  line.offer(command->add_option("--library", o->libraries,
                                 "package library (TOML); a later one comes before an earlier one"),
             Offer::files);
  command->add_option("--name", o->name, "of the recipe (default: the design's and the side's)");
  auto* sensor = command->add_option("--sensor", o->sensor,
                                     "profile of the sensor, for its serial number and pixel pitch");
  line.offer(sensor, Offer::files);
  command->add_option("--serial", o->serial, "serial number of the sensor")->excludes(sensor);
  command->add_option("--pitch-mm", o->pitch_mm, "of the sensor's pixels (default: the profile's, else 0.05)")
      ->check(CLI::Range(0.001, 5.0));
  command->add_option("--ring", o->ring_mm, "INNER,OUTER margin of the floor's ring, in mm")
      ->delimiter(',')
      ->expected(2)
      ->check(CLI::PositiveNumber);
  command
      ->add_option("--fallback", o->fallback,
                   "floor of components whose ring has none: none, or warp (the board's surface)")
      ->transform(CLI::IsMember({"none", "warp"}))
      ->capture_default_str();
  command
      ->add_option("--not-populated", o->not_populated,
                   "places of parts that are not populated (DNP): leave-out, or empty (measured: nothing may "
                   "lie there)")
      ->transform(CLI::IsMember({"leave-out", "empty"}))
      ->capture_default_str();
  line.offer(command->add_option("--picture", o->picture, "a picture of the recipe: .png, .svg or .pdf"),
             Offer::files);
  add_side_options(*command, o);
  add_instance_option(*command, o);
  add_table_options(*command, o);
}

void add_update(CommandLine& line, CLI::App& recipe) {
  auto o = std::make_shared<UpdateOptions>();
  auto* command = line.leaf(
      recipe, "update",
      "brings a recipe to a changed design: heights, limits, confirmations and edits of people stay where "
      "the "
      "package stays; lists what moved, was added, removed or changed; exit status 10: something is "
      "unconfirmed now",
      [o] { return guarded_recipe([o] { return update_recipe(*o); }); });
  line.offer(command->add_option("recipe", o->recipe, "the recipe")->required(), Offer::files);
  line.offer(command->add_option("design", o->import.file, "the changed design")->required(), Offer::files);
  line.offer(
      command->add_option("--old", o->former_design,
                          "the design that the recipe was imported from: tells what was put in by hand"),
      Offer::files);
  line.offer(command->add_option("-o,--output", o->output, "the updated recipe (default: in its place)"),
             Offer::files);
  command->add_flag("--list", o->list, "lists what changes, and writes nothing");
  line.offer(command->add_option("--library", o->import.libraries,
                                 "package library (TOML); a later one comes before an earlier one"),
             Offer::files);
  line.offer(command->add_option("--sensor", o->import.sensor, "profile of the sensor, for its pixel pitch"),
             Offer::files);
  command
      ->add_option("--pitch-mm", o->import.pitch_mm,
                   "of the sensor's pixels (default: the profile's, else 0.05)")
      ->check(CLI::Range(0.001, 5.0));
  command->add_option("--side", o->import.side, "the side that the recipe measures")
      ->transform(CLI::IsMember({"top", "bottom"}))
      ->capture_default_str();
  command
      ->add_option("--turn", o->import.turn,
                   "how the board is turned over for its bottom: vertical or horizontal")
      ->transform(CLI::IsMember({"vertical", "horizontal"}))
      ->capture_default_str();
  add_table_options(*command, std::shared_ptr<ImportOptions>(o, &o->import));
}

}  // namespace

void add_recipe_import(CommandLine& line, CLI::App& recipe) {
  add_import(line, recipe);
  add_update(line, recipe);
  struct PictureOptions {
    std::string recipe, output;
  };
  auto o = std::make_shared<PictureOptions>();
  auto* command = line.leaf(
      recipe, "picture", "a board's recipe without a frame: outline, rings, bodies, what is measured", [o] {
        return guarded_recipe([o] {
          draw_recipe(load_recipe(o->recipe)).write(o->output);
          return static_cast<int>(good);
        });
      });
  line.offer(command->add_option("recipe", o->recipe, "the recipe")->required(), Offer::files);
  line.offer(command->add_option("-o,--output", o->output, "the picture: .png, .svg or .pdf")->required(),
             Offer::files);
}

}  // namespace datum
