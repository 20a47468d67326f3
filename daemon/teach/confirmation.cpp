#include "daemon/teach/confirmation.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <set>
#include <stdexcept>

#include "config/toml_reader.h"
#include "daemon/teach/recipe_lookup.h"
#include "daemon/teach/toml_edit.h"
#include "daemon/teach/toml_values.h"

namespace datum::teach {
namespace {

std::string joined(const std::vector<std::string>& all) {
  std::string text;
  for (const std::string& one : all) text += (text.empty() ? "" : ", ") + one;
  return text;
}

void check_word(const std::string& recipe, const std::string& name, const ProposalFile& file,
                const Word& word) {
  const bool printable = std::all_of(word.by.begin(), word.by.end(), [](char c) {
    return static_cast<unsigned char>(c) >= 0x20 && static_cast<unsigned char>(c) < 0x7f;
  });
  if (word.by.empty() || word.by.size() > 64 || !printable)
    throw std::invalid_argument("--by: 1 to 64 printable ASCII characters say who stands behind the heights");
  if (config::sha256_hex(recipe) != file.recipe_sha256)
    throw std::invalid_argument(
        fmt::format("{}: its SHA-256 is {}, the proposal is of {}; it was edited since: teach it again", name,
                    config::sha256_hex(recipe).substr(0, 12), file.recipe_sha256.substr(0, 12)));
}

std::vector<std::size_t> chosen(const ProposalFile& file, const Word& word) {
  std::vector<std::size_t> all;
  std::set<std::string> wanted(word.only.begin(), word.only.end());
  for (std::size_t i = 0; i < file.proposals.size(); ++i) {
    const OpenProposal& p = file.proposals[i];
    if (!p.confirmed_by.empty()) continue;
    const bool plain = word.only.empty() && p.what.differs.empty() && !p.added;
    if (plain || wanted.erase(p.what.reference) > 0) all.push_back(i);
  }
  if (!wanted.empty())
    throw std::invalid_argument(fmt::format("--only: no open proposal of {}; the proposal's findings say why",
                                            joined({wanted.begin(), wanted.end()})));
  if (all.empty() && !word.ring)
    throw std::invalid_argument("nothing is left to confirm but what differs: name it by --only REFERENCE");
  return all;
}

TomlAssignments assignments_of(const ProposalFile& file, const Proposal& p, const Word& word) {
  TomlAssignments keys{
      {"nominal_um", toml_number(p.nominal_um)},
      {"nominal_source", toml_text(fmt::format("{} golden board{}, confirmed by {} {}", file.boards.size(),
                                               file.boards.size() == 1 ? "" : "s", word.by, word.at))},
      {"nominal_confirmed", "true"},
      {"characteristic", toml_text(name_of(p.characteristic))}};
  if (has_quantile(p.characteristic)) keys.emplace_back("quantile", toml_number(p.parameter, 9));
  if (p.characteristic == Characteristic::top_mean)
    keys.emplace_back("top_count", fmt::format("{:.0f}", p.parameter));
  if (p.lower_um) keys.emplace_back("lower_um", toml_number(*p.lower_um));
  if (p.upper_um) keys.emplace_back("upper_um", toml_number(*p.upper_um));
  return keys;
}

void add_body(const ProposalFile& file, const OpenProposal& open, const Word& word, TomlEdit& edit) {
  TomlAssignments keys{{"reference", toml_text(open.what.reference)},
                       {"package", toml_text(open.what.package)},
                       {"centre_mm", toml_pair(open.added->body.centre_mm)},
                       {"body_mm", toml_pair(open.added->body.size_mm)},
                       {"rotation_deg", toml_number(open.added->body.rotation_deg, 1)}};
  for (auto& key : assignments_of(file, open.what, word)) keys.push_back(std::move(key));
  keys.emplace_back("check", "[ { characteristic = \"presence\", lower_permille = 750.0 } ]");
  edit.add_element("component", keys);
}

void set_height(const ProposalFile& file, const Proposal& p, const Word& word, TomlEdit& edit) {
  const config::TomlNode* component = edit.element("component", "reference", p.reference);
  if (!component)
    throw std::invalid_argument(fmt::format("{} is no component of recipe {}", p.reference, file.recipe));
  edit.set(*component, "reference", assignments_of(file, p, word), {"tolerance_um"});
}

void set_ring(const ProposalFile& file, TomlEdit& edit) {
  if (!file.ring) throw std::invalid_argument("--ring: the proposal has no margins of the ring");
  const config::TomlNode* floor = edit.root().find("floor");
  if (!floor) throw std::invalid_argument("--ring: the recipe has no [floor]");
  edit.set(*floor, "outer_margin_mm",
           {{"inner_margin_mm", toml_number(file.ring->inner_mm)},
            {"outer_margin_mm", toml_number(file.ring->outer_mm)}});
}

std::string record_of(const ProposalFile& file, const Word& word,
                      const std::vector<std::string>& references) {
  std::vector<std::string> frames;
  for (const UsedBoard& b : file.boards) frames.push_back(b.frame_sha256);
  return fmt::format("\n[[confirmation]]\nby = {}\nat = {}\nreferences = {}\nframes_sha256 = {}\n",
                     toml_text(word.by), toml_text(word.at), toml_texts(references), toml_texts(frames));
}

bool is_same(const Component& a, const Component& b) {
  if (a.checks.size() != b.checks.size()) return false;
  for (std::size_t i = 0; i < a.checks.size(); ++i)
    if (a.checks[i].lower != b.checks[i].lower || a.checks[i].upper != b.checks[i].upper ||
        a.checks[i].characteristic != b.checks[i].characteristic)
      return false;
  return a.nominal_height_um == b.nominal_height_um && a.nominal_confirmed == b.nominal_confirmed &&
         a.body.centre_mm == b.body.centre_mm && a.body.size_mm == b.body.size_mm;
}

/// An edit that does more or less than was confirmed is a fault of this program, not to be written.
void check_edit(const Recipe& before, const Recipe& after, const std::vector<const Proposal*>& said) {
  std::set<std::string> confirmed;
  for (const Proposal* p : said) {
    confirmed.insert(p->reference);
    const Component* now = component_of(after, p->reference);
    if (!now || !now->nominal_confirmed || std::abs(now->nominal_height_um - p->nominal_um) > 1e-3 ||
        now->checks.front().lower != p->lower_um || now->checks.front().upper != p->upper_um)
      throw std::logic_error(p->reference + ": the edited recipe does not say what was confirmed");
  }
  for (const Component& c : before.components) {
    const Component* now = component_of(after, c.reference);
    if (!now || (!confirmed.contains(c.reference) && !is_same(c, *now)))
      throw std::logic_error(c.reference + ": the edit of the recipe would change it");
  }
}

}  // namespace

Confirmed confirm(const std::string& recipe, const std::string& name, const ProposalFile& file,
                  const Word& word) {
  check_word(recipe, name, file, word);
  const std::vector<std::size_t> taken = chosen(file, word);
  const Recipe before = accepted_recipe(recipe, name);
  Confirmed done{"", file, {}, {}};
  std::vector<const Proposal*> said;
  TomlEdit edit(recipe, name);
  for (const std::size_t i : taken) {
    OpenProposal& open = done.file.proposals[i];
    open.confirmed_by = word.by, open.confirmed_at = word.at;
    if (open.added)
      add_body(file, open, word, edit);
    else
      set_height(file, open.what, word, edit);
    said.push_back(&open.what);
    done.references.push_back(open.what.reference);
  }
  if (word.ring) {
    set_ring(file, edit);
    done.references.emplace_back("floor");
  }
  edit.append(record_of(file, word, done.references));
  done.recipe = edit.text();
  const Recipe after = accepted_recipe(done.recipe, name + " (edited)");
  check_edit(before, after, said);
  done.recipe = with_true_head(done.recipe, after);
  done.file.recipe_sha256 = config::sha256_hex(done.recipe);
  for (const OpenProposal& p : done.file.proposals)
    if (p.confirmed_by.empty()) done.left.push_back(p.what.reference);
  return done;
}

}  // namespace datum::teach
