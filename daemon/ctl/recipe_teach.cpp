#include "daemon/ctl/recipe_teach.h"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <map>

#include "calib/calibration_store.h"
#include "config/toml_document.h"
#include "config/toml_reader.h"
#include "config/utc_time.h"
#include "daemon/configuration/daemon_config.h"
#include "daemon/ctl/exit_status.h"
#include "daemon/design/board_side.h"
#include "daemon/design/read_design.h"
#include "daemon/design/recipe_text.h"
#include "daemon/fringe/load_sensor.h"
#include "daemon/system/durable_file.h"
#include "daemon/teach/board_faults.h"
#include "daemon/teach/confirmation.h"
#include "daemon/teach/proposed_bodies.h"
#include "daemon/teach/ring_trial.h"
#include "daemon/text/table.h"
#include "daemon/version/version.h"
#include "drivers/sensor/file_bytes.h"
#include "drivers/sensor/read_frame.h"
#include "gpu/board/cpu_board.h"

namespace datum {
namespace {

namespace fs = std::filesystem;
using teach::GoldenBoard;
using teach::Lesson;

/// Recipe, sensor and calibration: named, or the cell's.
struct TeachInputs {
  Recipe recipe;
  SensorProfile sensor;
  std::optional<Calibration> calibration;
};

TeachInputs teach_inputs(const TeachOptions& o) {
  TeachInputs in{load_recipe(o.recipe), {}, std::nullopt};
  if (in.recipe.panel)
    throw std::invalid_argument(o.recipe +
                                ": is the recipe of a panel; teach its board by a recipe without [panel]");
  if (in.recipe.surface)
    throw std::invalid_argument(o.recipe + ": a surface's limits come from its model; teach takes boards");
  if (in.recipe.is_board_of_snapshots())
    throw std::invalid_argument(
        o.recipe +
        ": teach takes boards of one frame; teach one without [snapshots] for each place of the stage");
  if (!o.sensor.empty()) {
    in.sensor = load_sensor(o.sensor, o.threads);
    if (!o.calibration.empty()) in.calibration = load_calibration(o.calibration);
  } else {
    const DaemonConfig config = load_daemon_config(o.config);
    in.sensor = load_sensor(config.sensor_profile, o.threads);
    if (!o.calibration.empty())
      in.calibration = load_calibration(o.calibration);
    else if (!config.calibration.empty())
      in.calibration = CalibrationStore(config.calibrations).choose(config.calibration, in.sensor.serial);
  }
  if (in.recipe.in_machine_coordinates && !in.calibration)
    throw std::invalid_argument(o.recipe +
                                ": the board lies in machine coordinates: --calibration FILE says where the "
                                "sensor stands, or --config the cell's");
  return in;
}

InspectionInputs inspection_inputs(const TeachInputs& in, const TeachOptions& o) {
  InspectionInputs inputs;
  inputs.recipe = &in.recipe;
  inputs.sensor = &in.sensor;
  inputs.calibration = in.calibration ? &*in.calibration : nullptr;
  inputs.now_utc_s = o.utc_s;
  inputs.measured_at = iso8601_from_utc(o.utc_s);
  if (o.temperature_degc) inputs.temperature = TemperatureReading{*o.temperature_degc, o.utc_s};
  inputs.threads = cpu_backend(o.threads).threads;
  return inputs;
}

/// The frames' boards measured by a recipe; their frames are read again each time, so that many boards take no more memory than one.
class GoldenFrames {
 public:
  GoldenFrames(const TeachInputs& in, const TeachOptions& o)
      : in_(in), o_(o), measurer_(cpu_backend(o.threads)) {}

  template <class Look>
  std::vector<GoldenBoard> measure(const Recipe& recipe, std::size_t most, Look look) {
    InspectionInputs inputs = inspection_inputs(in_, o_);
    inputs.recipe = &recipe;
    std::vector<GoldenBoard> boards;
    for (const std::string& file : o_.frames) {
      if (boards.size() == most) break;
      const HeightFrame frame = read_frame(link_followed(file), in_.sensor);
      boards.push_back(teach::measure_golden(frame, inputs, measurer_));
      boards.back().file = fs::path(file).filename().string();
      look(frame, boards.back());
    }
    return boards;
  }
  std::vector<GoldenBoard> measure(const Recipe& recipe, std::size_t most) {
    return measure(recipe, most, [](const HeightFrame&, const GoldenBoard&) {});
  }

 private:
  const TeachInputs& in_;
  const TeachOptions& o_;
  CpuBoardMeasurer measurer_;
};

/// Parts of the design's side that the recipe has not.
std::vector<teach::KnownPart> known_parts(const Recipe& recipe, const TeachOptions& o,
                                          teach::ProposalFile& file) {
  if (o.design.empty()) return {};
  const design::ReadDesign read = design::load_design(o.design);
  file.design = fs::path(o.design).filename().string();
  file.design_sha256 = read.sha256;
  const design::Side side = o.side == "top" ? design::Side::top : design::Side::bottom;
  const design::Design seen = design::seen_from(
      read.design, side, o.turn == "vertical" ? design::Turn::vertical : design::Turn::horizontal);
  std::vector<teach::KnownPart> parts;
  for (const design::Component& c : seen.components) {
    const std::string reference = design::recipe_name(c.reference);
    const bool listed = std::any_of(recipe.components.begin(), recipe.components.end(),
                                    [&](const Component& own) { return own.reference == reference; });
    if (c.side != side || listed) continue;
    const Eigen::Vector2d at = c.body.empty() ? c.origin : design::box_around(c.body, c.rotation_deg).centre;
    parts.push_back({reference, design::recipe_name(c.package),
                     c.population == design::Population::not_populated ? "it is not populated"
                                                                       : "the recipe leaves it out",
                     at});
  }
  return parts;
}

/// Bodies that all boards show beside the recipe, measured as components of a trial recipe.
void add_bodies(const TeachInputs& in, const TeachOptions& o, GoldenFrames& frames,
                const std::vector<std::vector<teach::BareRegion>>& regions, teach::ProposalFile& file) {
  const teach::FoundBodies found = common_bodies(regions, known_parts(in.recipe, o, file));
  file.findings.insert(file.findings.end(), found.findings.begin(), found.findings.end());
  if (found.all.empty()) return;
  const Recipe trial = with_bodies(in.recipe, found.all);
  const Lesson lesson = lesson_of(trial, in.sensor, frames.measure(trial, o.frames.size()));
  const auto body_of = [&](const std::string& reference) {
    return std::find_if(found.all.begin(), found.all.end(),
                        [&](const teach::FoundBody& b) { return b.reference == reference; });
  };
  for (const teach::Finding& f : lesson.findings)
    if (body_of(f.reference) != found.all.end()) file.findings.push_back(f);
  for (const teach::Proposal& p : lesson.proposals)
    if (const auto body = body_of(p.reference); body != found.all.end())
      file.proposals.push_back({p, teach::ProposedBody{body->region.rect, body->about}, "", ""});
}

teach::ProposalFile proposal_of(const TeachInputs& in, const TeachOptions& o,
                                const std::vector<GoldenBoard>& boards, const Lesson& lesson) {
  teach::ProposalFile file;
  file.recipe = in.recipe.name;
  file.recipe_sha256 = in.recipe.sha256;
  file.sensor_serial = in.sensor.serial;
  file.sensor_profile_sha256 = in.sensor.sha256;
  if (in.calibration) file.calibration_sha256 = in.calibration->sha256;
  file.made_at = iso8601_from_utc(o.utc_s);
  file.made_by = "datumctl " + code_id();
  for (const GoldenBoard& b : boards) file.boards.push_back({b.file, b.frame_id, b.sha256, b.unit});
  for (const teach::Proposal& p : lesson.proposals) file.proposals.push_back({p, std::nullopt, "", ""});
  file.findings = lesson.findings;
  file.noise_um = lesson.noise_um;
  file.noise_z_mm = lesson.noise_z_mm;
  file.profile_noise_um = in.sensor.noise.sigma_um_at(lesson.noise_z_mm);
  return file;
}

std::string board_list(const std::vector<std::size_t>& boards, std::size_t all) {
  if (boards.empty() || boards.size() == all) return all > 1 ? "all boards" : "the board";
  std::string text = boards.size() > 1 ? "boards" : "board";
  for (const std::size_t b : boards) text += fmt::format(" {}", b + 1);
  return text;
}

void print_findings(const std::vector<teach::Finding>& findings, std::size_t boards) {
  for (const teach::Finding& f : findings)
    fmt::print("{}: {} ({}): {}\n", f.reference, name_of(f.difference), board_list(f.boards, boards), f.text);
}

/// Of an identity, which begins with its scheme.
std::string last_digits(const std::string& identity) {
  return identity.size() > 12 ? "..." + identity.substr(identity.size() - 12) : identity;
}

bool print_boards(const std::vector<GoldenBoard>& boards, const Lesson& lesson) {
  for (std::size_t b = 0; b < boards.size(); ++b)
    fmt::print("board {}: {}, frame {}, sha256 {}{}\n", b + 1, boards[b].file, boards[b].frame_id,
               last_digits(boards[b].sha256),
               lesson.faults[b].empty() ? "" : ": NOT GOLDEN: " + lesson.faults[b]);
  return lesson.is_golden();
}

void print_proposals(const teach::ProposalFile& file, const Recipe& recipe) {
  std::map<std::string, double> nominal;
  for (const Component& c : recipe.components) nominal[c.reference] = c.nominal_height_um;
  using Align = Table::Align;
  Table table({{"component"},
               {"recipe um", Align::right},
               {"taught um", Align::right},
               {"U", Align::right},
               {"s", Align::right},
               {"lower", Align::right},
               {"upper", Align::right},
               {"limits"},
               {"differs"}});
  const auto number = [](std::optional<double> v) {
    return v ? fmt::format("{:.1f}", *v) : std::string("-");
  };
  for (const teach::OpenProposal& open : file.proposals) {
    const teach::Proposal& p = open.what;
    const auto known = nominal.find(p.reference);
    table.add({{p.reference},
               {number(known == nominal.end() ? std::nullopt : std::optional(known->second))},
               {number(p.nominal_um)},
               {number(p.expanded_um)},
               {file.boards.size() > 1 ? number(p.s_um) : "-"},
               {number(p.lower_um)},
               {number(p.upper_um)},
               {p.limits == teach::Limits::taught ? "taught" : "kept"},
               {open.added          ? "new"
                : p.differs.empty() ? ""
                                    : "yes"}});
  }
  fmt::print("{}", table.text(wants_colour(stdout)));
}

void print_summary(const teach::ProposalFile& file) {
  if (file.noise_um > 0)
    fmt::print("noise of a pixel: {:.2f} um at z = {:.2f} mm; the sensor's profile says {:.2f}\n",
               file.noise_um, file.noise_z_mm, file.profile_noise_um);
  if (file.ring)
    fmt::print(
        "ring: margins of {:g} to {:g} mm measure {} parts (now {}) with a median u of {:.2f} um (now "
        "{:.2f})\n",
        file.ring->inner_mm, file.ring->outer_mm, file.ring->floors, file.ring->floors_now, file.ring->u_um,
        file.ring->u_now_um);
  std::size_t differing = 0;
  for (const teach::OpenProposal& p : file.proposals) differing += !p.what.differs.empty() || p.added;
  fmt::print("{} proposals, {} of them differ from the recipe; {} findings\n", file.proposals.size(),
             differing, file.findings.size());
}

}  // namespace

int teach_recipe(const TeachOptions& o) {
  const TeachInputs in = teach_inputs(o);
  GoldenFrames frames(in, o);
  std::vector<std::vector<teach::BareRegion>> regions;
  const std::vector<GoldenBoard> boards =
      frames.measure(in.recipe, o.frames.size(), [&](const HeightFrame& frame, const GoldenBoard& board) {
        if (o.bodies_above_um && board.why.empty())
          regions.push_back(teach::bare_regions(in.recipe, frame, board.board_from_sensor, *o.bodies_above_um,
                                                cpu_backend(o.threads).threads));
      });
  teach::refuse_repeated(boards);
  const Lesson lesson = lesson_of(in.recipe, in.sensor, boards);
  if (!print_boards(boards, lesson)) {
    fmt::print("nothing is proposed: leave these boards out of --frames, or mend what is named\n");
    return failed;
  }
  teach::ProposalFile file = proposal_of(in, o, boards, lesson);
  if (o.bodies_above_um) add_bodies(in, o, frames, regions, file);
  constexpr std::size_t tried_boards = 2;  // fifteen recipes are measured on each
  if (o.ring)
    file.ring = teach::tried_rings(in.recipe,
                                   [&](const Recipe& trial) { return frames.measure(trial, tried_boards); });
  print_findings(file.findings, boards.size());
  print_proposals(file, in.recipe);
  print_summary(file);
  write_file_durably(o.output, proposal_text(file));
  fmt::print("{}: written; 'datumctl recipe confirm {} {} --by NAME' takes over what differs in nothing\n",
             o.output, o.output, o.recipe);
  return file.findings.empty() ? good : untold;
}

int confirm_proposal(const ConfirmOptions& o) {
  const teach::ProposalFile file = teach::read_proposal(o.proposal);
  const std::string text = config::toml_file_bytes(o.recipe);
  const teach::Confirmed done =
      confirm(text, o.recipe, file, {o.by, iso8601_from_utc(o.utc_s), o.only, o.ring});
  const std::string output = o.output.empty() ? o.recipe : o.output;
  // The recipe first: a proposal that is still open beside it can be taught again, a record of what never happened can't be undone.
  write_file_durably(output, done.recipe);
  write_file_durably(o.proposal, proposal_text(done.file));
  fmt::print("{}: {} confirmed by {}", output, done.references.size(), o.by);
  fmt::print("; sha256 {}\n", done.file.recipe_sha256);
  for (const teach::OpenProposal& p : done.file.proposals)
    if (p.confirmed_by.empty())
      fmt::print("{}: open{}\n", p.what.reference,
                 p.what.differs.empty() ? "" : ": " + p.what.differs.front());
  return good;
}

}  // namespace datum
