#include "daemon/ctl/manual.h"

#include <fmt/format.h>

#include <CLI/CLI.hpp>

#include "daemon/ctl/exit_status.h"
#include "daemon/store/export_columns.h"
#include "daemon/text/roff.h"
#include "daemon/version/version.h"

namespace datum {
namespace {

bool is_hidden(const CLI::App& command) { return command.get_group().empty(); }

std::string description_of(const CLI::Option& option) {
  std::string text = option.get_description();
  const std::string type = option.get_type_name();
  if (const auto members = type.find('{'); members != std::string::npos) {
    // A blank after each: twelve presets exceed a line, and roff breaks lines at blanks only.
    text += ": one of ";
    for (const char c : type.substr(members + 1, type.find('}', members) - members - 1))
      text += c == ',' ? std::string(", ") : std::string(1, c);
  }
  if (!option.get_default_str().empty()) text += fmt::format(" (default: {})", option.get_default_str());
  if (option.get_required() && !option.get_positional()) text += "; needed";
  return text;
}

std::vector<const CLI::Option*> positionals_of(const CLI::App& command) {
  return command.get_options([](const CLI::Option* o) { return o->get_positional(); });
}

/// "datumctl calibrate start <artefact> [options]"
std::string synopsis(const CLI::App& command, const std::string& path) {
  std::string text = path;
  for (const auto* option : positionals_of(command))
    text += option->get_required() ? " <" + option->get_name() + ">" : " [" + option->get_name() + "]";
  return text + (command.get_subcommands({}).empty() ? " [options]" : " <step>");
}

bool is_of_link(const CLI::Option& option) {
  for (const char* name :
       {"--tcp", "--serial", "--baud", "--timeout-ms", "--tls-ca", "--tls-cert", "--tls-key", "--tls-name"})
    if (option.get_name() == name) return true;
  return false;
}

void add_options(Roff& page, const CLI::App& command) {
  for (const auto* option : positionals_of(command))
    page.item(option->get_name(), "", description_of(*option));
  bool links = false;
  for (const auto* option : command.get_options([](const CLI::Option* o) { return !o->get_positional(); })) {
    if (option->get_name() == "--help" || option->get_name() == "-h,--help") continue;
    if (is_of_link(*option)) {
      links = true;
      continue;
    }
    page.item(option->get_name(), option->get_expected_max() > 0 ? "VALUE" : "", description_of(*option));
  }
  if (links) page.paragraph("Also the options of the connection, below.");
}

void add_command(Roff& page, const CLI::App& command, const std::string& path) {
  page.subsection(synopsis(command, path));
  page.paragraph(command.get_description());
  add_options(page, command);
  for (const auto* step : command.get_subcommands({}))
    add_command(page, *step, path + " " + step->get_name());
}

}  // namespace

std::string manual_page(const CommandLine& line) {
  Roff page("DATUMCTL", 1, "datumctl " + code_id().substr(0, code_id().find(' ')), "datumd manual");
  page.section("NAME").paragraph("datumctl - results and control of datumd");
  page.section("SYNOPSIS").paragraph("datumctl <command> [options]");
  page.section("DESCRIPTION")
      .paragraph(
          "datumctl is the operator's command line of datumd, the inspection controller of a measuring cell. "
          "Stored "
          "results are read from the store, all else goes over the command protocol, on TCP or on a serial "
          "line.")
      .paragraph(
          "What prints data prints a table for people, coloured on a terminal (NO_COLOR is honoured), and "
          "with --json "
          "JSON for programs, with units in the names of its keys. Answers go to stdout, all else to "
          "stderr.");
  page.section("COMMANDS");
  for (const auto* command : line.app.get_subcommands({}))
    if (!is_hidden(*command)) add_command(page, *command, "datumctl " + command->get_name());
  page.section("OPTIONS OF THE CONNECTION");
  CLI::App link;
  LinkOptions options;
  add_link_options(link, options);
  for (const auto* option : link.get_options())
    if (is_of_link(*option)) page.item(option->get_name(), "VALUE", description_of(*option));
  page.section("VOLUMES")
      .paragraph(
          "datumctl volume denoise reads NRRD (raw or gzip, attached or a detached header beside one file of "
          "raw "
          "samples) and NIfTI-1 and -2 in one file (.nii, .nii.gz), of 8, 16 and 32 bit integers, float and "
          "double in "
          "either byte order. Colours, vectors, series and pairs of .hdr and .img are refused, and so is a "
          "file that "
          "is longer or shorter than its header states. A voxel that is NaN is refused unless --missing says "
          "that it "
          "has no value.")
      .paragraph(
          "The result has the input's type, byte order and header, and one entry more: of NRRD the key "
          "'datumd', of "
          "NIfTI the description (descrip, 79 bytes). Integers are rounded. Neighbours count the same along "
          "each axis, "
          "whatever the voxels' sizes are. The bytes are the same on each backend.")
      .paragraph("Raw samples of a scanner need a header NAME.nhdr beside them:")
      .example(
          "NRRD0004\ntype: short\ndimension: 3\nsizes: 512 512 246\nendian: little\nencoding: raw\ndata "
          "file: "
          "scan.raw")
      .paragraph("The result, OUT.json, names both files' samples by their SHA-256 and has these keys:")
      .item("first_kappa, last_kappa", "", "in the volume's values (after NIfTI's scl_slope and scl_inter)")
      .item("step_value", "", "resolution of the arithmetic, in values; kappa is at least 1024 of them")
      .item("largest_change, rms_change", "", "of the voxels with a value, in values")
      .item("voxels, missing_voxels", "", "with and without a value")
      .item("backends", "", "which did the work, in their order");
  page.section("FITS")
      .paragraph(
          "datumctl fit parallel-planes fits planes that share a normal by weighted total least squares "
          "(Shakarji and "
          "Srinivasan 2013). A list is a plane; a CSV file may have several by its columns plane and set. "
          "Weights are "
          "equal, the area that a point stands for (column area_mm2), 1 / u^2 (column u_um), or area / u^2. "
          "The unit of "
          "CSV stands in its head line; PLY and XYZ files have none and need --unit, area and u then in that "
          "unit. "
          "Uncertainties are of the points' scatter alone, as if they were independent: points of one scan "
          "are not.")
      .paragraph("Several sets are a recipe, with files below its folder:")
      .example(
          "schema = 1\nkind = \"parallel_planes\"\nweights = \"area\"\nunit = \"mm\"\n[[set]]\nname = "
          "\"thickness\"\ntowards = [0, 0, 1]\n[[set.plane]]\nname = \"top\"\nfile = "
          "\"top.ply\"\n[[set.plane]]\nname = "
          "\"bottom\"\nfile = \"bottom.csv\"");
  page.section("GOLDEN BOARDS")
      .paragraph(
          "datumctl recipe teach measures a frame of each golden board and proposes heights and limits: mean "
          "+- (k s + z u), s "
          "the standard deviation of the boards, k Howe's factor (with 95 % confidence 99 % of such boards "
          "are within k s; 50.3 "
          "for 2 boards, 13.1 for 3, 6.7 for 5), z u the guard band of the recipe's rule. One board keeps "
          "the recipe's "
          "tolerance. Components that are missing, turned, INVALID or in which the boards disagree get no "
          "proposal and are "
          "listed; a board that is not golden stops it.")
      .paragraph(
          "datumctl recipe confirm takes over the proposals that differ from the recipe in nothing, and with "
          "--only those of "
          "the named components. The recipe says then who confirmed them, when, and from which frames "
          "([[confirmation]]).")
      .example(
          "datumctl recipe teach --recipe psu.toml --frames golden/*.json -o psu.proposal.toml\n"
          "datumctl recipe confirm psu.proposal.toml psu.toml --by \"A. Smith\" --only U1,U2");
  page.section("GAUGE STUDIES")
      .paragraph(
          "datumctl study start plans the boards of a study in random order, study next names the one to be "
          "measured now and takes "
          "its result, by --trigger or --result. A board that is INVALID is measured again; each attempt is "
          "recorded. study solve "
          "and study report print both tables of a crossed study, with interaction and pooled, the average "
          "and range method, "
          "intervals, and flags beginning with '!'. Values are solved by REML where some are missing. study "
          "solve --csv takes a table: "
          "a line a reading in the order of measurement, a missing value empty or INVALID.")
      .example("part,operator,trial,value_um\nSN1,load-1,1,1200.4\nSN1,load-2,1,INVALID")
      .paragraph(
          "datumctl recipe reproducibility writes a complete study's sigma GRR and its id into a recipe's "
          "[uncertainty].");
  page.section("CHANGED DESIGNS")
      .paragraph(
          "datumctl recipe update imports the changed design with the recipe's name, sensor and ring, and "
          "puts back what "
          "people put into the recipe. Components are the same by their reference. Package and body as "
          "before: height, "
          "limits, confirmation, further checks, fallback and a ring edited by hand stay, wherever the part "
          "moved. Another "
          "package: as imported, and its confirmation is lost. Tables from [board] on, added exclusions and "
          "holes, and "
          "components of no design stay. --library, --side and --turn are those of the import.")
      .example(
          "datumctl recipe update psu.toml psu-rev-b.kicad_pcb --old psu-rev-a.kicad_pcb --library mine.toml "
          "--list");
  page.section("COLUMNS OF EXPORT").paragraph("Of every row:");
  const auto add_columns = [&](std::span<const ExportColumn> columns) {
    for (const ExportColumn& column : columns) page.item(column.name, "", column.meaning);
  };
  add_columns(board_columns());
  page.paragraph("With --rows boards also:");
  add_columns(count_columns());
  page.paragraph("With --rows components also:");
  add_columns(check_columns());
  page.section("EXIT STATUS");
  for (const auto& e : exit_meanings) page.item(e.status, "", e.meaning);
  page.section("EXAMPLES")
      .paragraph("Measure one board, and act by its verdict:")
      .example("datumctl choose demo-board && datumctl arm && datumctl trigger --unit SN1234 --wait")
      .paragraph("Feed a program with all results, also those of while it did not run:")
      .example("datumctl watch --json --after 1017 | my-program")
      .paragraph("What a command of the protocol takes:")
      .example("datumctl help CONF:REC");
  page.paragraph("Smooth a scan, noise of 30 and edges of some hundred Hounsfield units:")
      .example("datumctl volume denoise scan.nii.gz smooth.nii.gz --kappa 80 --iterations 10");
  page.section("FILES").item("/etc/datumd/datumd.toml", "",
                             "the configuration, which names store and addresses");
  page.section("SEE ALSO")
      .paragraph(
          "datumd-protocol(7), datumd-reasons(7), datumd-frames(7), datumd-glossary(7), journalctl(1), "
          "systemctl(1)");
  return page.text();
}

}  // namespace datum
