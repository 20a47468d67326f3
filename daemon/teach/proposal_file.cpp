#include "daemon/teach/proposal_file.h"

#include <fmt/format.h>

#include "config/toml_reader.h"
#include "daemon/teach/toml_values.h"

namespace datum::teach {
namespace {

constexpr const char* head =
    "# What golden boards taught of a recipe (datumctl recipe teach). Nothing of it is in the recipe: "
    "'datumctl "
    "recipe confirm'\n"
    "# takes over what a person stands behind. A proposal that differs from the recipe is taken by its "
    "reference alone (--only).\n"
    "# limits = \"taught\": mean +- (factor s_um + z u_um); with 95 % confidence 99 % of boards like these "
    "lie "
    "within mean +- factor s_um\n"
    "# (W. G. Howe 1969, ISO 16269-6), and z u_um is the guard band of the recipe's rule. \"kept\": the "
    "recipe's own tolerance.\n"
    "# s_um: of the boards, at least of the package's components together and at least the measurement's "
    "own. "
    "U_um: k = 2, of nominal_um.\n";

class Writer {
 public:
  explicit Writer(const ProposalFile& file) : f_(file) {}

  std::string text() {
    out_ = head;
    line("schema = 1");
    line("recipe = {}\nrecipe_sha256 = {}", toml_text(f_.recipe), toml_text(f_.recipe_sha256));
    line("sensor_serial = {}\nsensor_profile_sha256 = {}", toml_text(f_.sensor_serial),
         toml_text(f_.sensor_profile_sha256));
    if (!f_.calibration_sha256.empty()) line("calibration_sha256 = {}", toml_text(f_.calibration_sha256));
    if (!f_.design.empty())
      line("design = {}\ndesign_sha256 = {}", toml_text(f_.design), toml_text(f_.design_sha256));
    line("made_at = {}\nmade_by = {}\n", toml_text(f_.made_at), toml_text(f_.made_by));
    array("board", f_.boards, [&](const UsedBoard& b) {
      return fmt::format("file = {}, frame_id = {}, frame_sha256 = {}{}", toml_text(b.file),
                         toml_text(b.frame_id), toml_text(b.frame_sha256),
                         b.unit.empty() ? "" : ", unit = " + toml_text(b.unit));
    });
    array("proposal", f_.proposals, [&](const OpenProposal& p) { return keys_of(p); });
    array("finding", f_.findings, [&](const Finding& found) { return keys_of(found); });
    tables();
    return std::move(out_);
  }

 private:
  template <class... Args>
  void line(fmt::format_string<Args...> format, Args&&... args) {
    fmt::format_to(std::back_inserter(out_), format, std::forward<Args>(args)...);
    out_ += '\n';
  }
  template <class T, class Keys>
  void array(const char* name, const std::vector<T>& all, Keys keys) {
    if (all.empty()) return;
    line("{} = [", name);
    for (const T& one : all) line("  {{ {} }},", keys(one));
    line("]\n");
  }

  static std::string keys_of(const OpenProposal& open) {
    const Proposal& p = open.what;
    std::string keys = fmt::format("reference = {}, package = {}, confirmed = {}", toml_text(p.reference),
                                   toml_text(p.package), !open.confirmed_by.empty());
    if (!open.confirmed_by.empty())
      keys += fmt::format(", by = {}, at = {}", toml_text(open.confirmed_by), toml_text(open.confirmed_at));
    keys += fmt::format(", nominal_um = {}, U_um = {}, characteristic = {}", toml_number(p.nominal_um),
                        toml_number(p.expanded_um, 2), toml_text(name_of(p.characteristic)));
    if (has_quantile(p.characteristic)) keys += ", quantile = " + toml_number(p.parameter, 9);
    if (p.characteristic == Characteristic::top_mean)
      keys += fmt::format(", top_count = {:.0f}", p.parameter);
    if (p.lower_um) keys += ", lower_um = " + toml_number(*p.lower_um);
    if (p.upper_um) keys += ", upper_um = " + toml_number(*p.upper_um);
    keys += fmt::format(", limits = \"{}\", s_um = {}, factor = {}, u_um = {}, values_um = {}",
                        p.limits == Limits::taught ? "taught" : "kept", toml_number(p.s_um, 2),
                        toml_number(p.factor, 3), toml_number(p.u_um, 2), toml_numbers(p.values_um, 2));
    if (open.added)
      keys += fmt::format(", add = true, centre_mm = {}, body_mm = {}, rotation_deg = {}, about = {}",
                          toml_pair(open.added->body.centre_mm), toml_pair(open.added->body.size_mm),
                          toml_number(open.added->body.rotation_deg, 1), toml_text(open.added->about));
    if (!p.differs.empty()) keys += ", differs = " + toml_texts(p.differs);
    return keys;
  }
  static std::string keys_of(const Finding& f) {
    std::string boards;
    for (const std::size_t b : f.boards) boards += fmt::format("{}{}", boards.empty() ? "" : ", ", b + 1);
    return fmt::format("reference = {}, difference = {}, boards = [{}], text = {}", toml_text(f.reference),
                       toml_text(name_of(f.difference)), boards, toml_text(f.text));
  }

  void tables() {
    if (f_.noise_um > 0)
      line(
          "[noise]  # of a pixel on the floors; the sensor's profile says profile_sigma_um there\n"
          "sigma_um = {}\nz_mm = {}\nprofile_sigma_um = {}\n",
          toml_number(f_.noise_um, 3), toml_number(f_.noise_z_mm, 2), toml_number(f_.profile_noise_um, 3));
    if (!f_.ring) return;
    line(
        "[ring]  # confirmed by --ring; floors and median u_um of the boards with it, and with the recipe's "
        "own");
    line("inner_margin_mm = {}\nouter_margin_mm = {}", toml_number(f_.ring->inner_mm),
         toml_number(f_.ring->outer_mm));
    line("floors = {}\nfloors_now = {}\nu_um = {}\nu_now_um = {}", f_.ring->floors, f_.ring->floors_now,
         toml_number(f_.ring->u_um, 3), toml_number(f_.ring->u_now_um, 3));
  }

  const ProposalFile& f_;
  std::string out_;
};

Characteristic read_characteristic(config::TomlTable& table) {
  return table.choice<Characteristic>("characteristic", {{"mean", Characteristic::mean},
                                                         {"median", Characteristic::median},
                                                         {"maximum", Characteristic::maximum},
                                                         {"minimum", Characteristic::minimum},
                                                         {"percentile", Characteristic::percentile},
                                                         {"top_mean", Characteristic::top_mean}});
}

ProposedBody read_body(config::TomlTable& table) {
  ProposedBody body;
  body.body.centre_mm = Eigen::Map<const Eigen::Vector2d>(table.numbers("centre_mm", 2).data());
  body.body.size_mm = Eigen::Map<const Eigen::Vector2d>(table.numbers("body_mm", 2, config::positive).data());
  body.body.rotation_deg = table.number("rotation_deg", {-360, 360});
  body.about = table.text_or("about", "");
  return body;
}

OpenProposal read_one(config::TomlTable& table) {
  table.name_by("reference");
  OpenProposal open;
  Proposal& p = open.what;
  p.reference = table.text("reference");
  p.package = table.text("package");
  if (table.boolean("confirmed")) {
    open.confirmed_by = table.text("by");
    open.confirmed_at = table.text("at");
  }
  p.nominal_um = table.number("nominal_um", {1, 1e6});
  p.expanded_um = table.number("U_um", config::not_negative);
  p.characteristic = read_characteristic(table);
  if (has_quantile(p.characteristic)) p.parameter = table.number("quantile", {0, 1});
  if (p.characteristic == Characteristic::top_mean)
    p.parameter = static_cast<double>(table.integer("top_count", 1, 1'000'000'000));
  p.lower_um = table.number_if("lower_um");
  p.upper_um = table.number_if("upper_um");
  if (!p.lower_um && !p.upper_um) table.refuse("lower_um", "missing", "lower_um, upper_um, or both");
  p.limits = table.choice<Limits>("limits", {{"taught", Limits::taught}, {"kept", Limits::kept}});
  p.s_um = table.number("s_um", config::not_negative);
  p.factor = table.number("factor", config::not_negative);
  p.u_um = table.number("u_um", config::not_negative);
  p.values_um = table.numbers_between("values_um", 1, 10'000);
  p.differs = table.texts_or("differs", {});
  if (table.boolean_or("add", false)) open.added = read_body(table);
  table.finish();
  return open;
}

Finding read_finding(config::TomlTable& table) {
  Finding f;
  f.reference = table.text("reference");
  f.difference = table.choice<Difference>("difference", {{"missing", Difference::missing},
                                                         {"turned", Difference::turned},
                                                         {"shifted", Difference::shifted},
                                                         {"taller", Difference::taller},
                                                         {"shorter", Difference::shorter},
                                                         {"disagree", Difference::disagree},
                                                         {"invalid", Difference::untold},
                                                         {"unknown", Difference::unknown}});
  for (const double b : table.numbers_between("boards", 0, 10'000, {1, 10'000}))
    f.boards.push_back(static_cast<std::size_t>(b) - 1);
  f.text = table.text("text");
  table.finish();
  return f;
}

void read_tables(config::TomlTable& top, ProposalFile& file) {
  if (auto noise = top.table_if("noise")) {
    file.noise_um = noise->number("sigma_um", config::positive);
    file.noise_z_mm = noise->number("z_mm");
    file.profile_noise_um = noise->number("profile_sigma_um", config::positive);
    noise->finish();
  }
  if (auto ring = top.table_if("ring")) {
    RingProposal& r = file.ring.emplace();
    r.inner_mm = ring->number("inner_margin_mm", config::positive);
    r.outer_mm = ring->number("outer_margin_mm", config::positive);
    r.floors = static_cast<std::size_t>(ring->integer("floors", 0, 1'000'000'000));
    r.floors_now = static_cast<std::size_t>(ring->integer("floors_now", 0, 1'000'000'000));
    r.u_um = ring->number("u_um", config::not_negative);
    r.u_now_um = ring->number("u_now_um", config::not_negative);
    ring->finish();
  }
}

}  // namespace

std::string proposal_text(const ProposalFile& file) { return Writer(file).text(); }

ProposalFile read_proposal(const std::filesystem::path& path) {
  config::TomlTable top = config::TomlTable::from_file(path);
  ProposalFile file;
  top.integer("schema", 1, 1);
  file.recipe = top.text("recipe");
  file.recipe_sha256 = top.text("recipe_sha256");
  file.sensor_serial = top.text("sensor_serial");
  file.sensor_profile_sha256 = top.text("sensor_profile_sha256");
  file.calibration_sha256 = top.text_or("calibration_sha256", "");
  file.design = top.text_or("design", "");
  file.design_sha256 = top.text_or("design_sha256", "");
  file.made_at = top.text("made_at");
  file.made_by = top.text("made_by");
  for (config::TomlTable& b : top.tables("board")) {
    file.boards.push_back(
        {b.text("file"), b.text("frame_id"), b.text("frame_sha256"), b.text_or("unit", "")});
    b.finish();
  }
  if (file.boards.empty()) top.refuse("board", "missing", "the boards that taught it");
  for (config::TomlTable& p : top.tables("proposal")) file.proposals.push_back(read_one(p));
  for (config::TomlTable& f : top.tables("finding")) file.findings.push_back(read_finding(f));
  read_tables(top, file);
  top.finish();
  return file;
}

}  // namespace datum::teach
