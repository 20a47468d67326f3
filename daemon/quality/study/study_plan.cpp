#include "daemon/quality/study/study_plan.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <set>
#include <tuple>

#include "gpu/core/philox.h"

namespace datum::quality {
namespace {

constexpr std::size_t most_runs = 10'000;
constexpr std::array kinds{StudyKind::crossed,   StudyKind::nested,    StudyKind::type1,    StudyKind::bias,
                           StudyKind::linearity, StudyKind::stability, StudyKind::attribute};

void demand_names(const std::vector<std::string>& names, const char* what) {
  std::set<std::string> seen;
  for (const std::string& name : names) {
    if (name.empty() || name.size() > 100 || std::any_of(name.begin(), name.end(), [](char c) {
          return static_cast<unsigned char>(c) < ' ' || c == 127;
        }))
      throw StudyRefused(fmt::format("{}: a name has 1 to 100 bytes without control characters", what));
    if (!seen.insert(name).second) throw StudyRefused(fmt::format("{}: '{}' stands there twice", what, name));
  }
}

void demand_crossed(const StudyPlan& p) {
  if (p.parts.size() < 2 || (p.operators.size() > 1 && p.trials < 2))
    throw StudyRefused(
        "a study needs two parts, and two trials where it has operators; ten parts, three operators and two "
        "trials say more");
  if (p.operators.size() == 1 && p.trials < 2) throw StudyRefused("a study of one operator needs two trials");
}

void demand_nested(const StudyPlan& p) {
  if (p.operators.size() < 2 || p.trials < 2 || p.parts.size() % p.operators.size() != 0 ||
      p.parts.size() / p.operators.size() < 2)
    throw StudyRefused(fmt::format(
        "a nested study needs two operators, two trials, and two parts or more of each operator: {} parts "
        "for {} operators; the first ones in the list are the first operator's",
        p.parts.size(), p.operators.size()));
}

void demand_master(const StudyPlan& p, int least_trials) {
  if (p.parts.size() != 1 || p.operators.size() != 1 || p.trials < least_trials)
    throw StudyRefused(fmt::format("a {} study needs one part, one operator, and {} trials or more",
                                   name_of(p.kind), least_trials));
  if (p.references.empty())
    throw StudyRefused(
        fmt::format("a {} study needs the certified value: --references FILE", name_of(p.kind)));
}

void demand_linearity(const StudyPlan& p) {
  if (p.operators.size() != 1 || p.trials < 2)
    throw StudyRefused("a linearity study needs one operator, and two trials or more");
  std::set<std::pair<std::int64_t, int>> values;
  for (const CertifiedValue& c : p.references)
    if (c.value) values.emplace(c.value->count, c.value->digits);
  if (values.size() < 3)
    throw StudyRefused(
        "a linearity study needs three different certified values or more, five are wanted: --references "
        "FILE");
}

void demand_stability(const StudyPlan& p) {
  constexpr std::size_t least_subgroups = 10;
  if (p.parts.size() != 1 || p.operators.size() < least_subgroups || p.order != RunOrder::listed)
    throw StudyRefused(
        fmt::format("a stability study needs one part, and {} subgroups or more, 20 are wanted: "
                    "--subgroups N; they are measured as they are listed",
                    least_subgroups));
}

void demand_attribute(const StudyPlan& p) {
  if (p.parts.size() < 2 || p.trials < 2)
    throw StudyRefused("an attribute study needs two parts and two trials; 50 parts say more");
}

void demand_kind(const StudyPlan& p) {
  constexpr int of_type1 = 25, of_bias = 10;
  switch (p.kind) {
    case StudyKind::crossed:
      return demand_crossed(p);
    case StudyKind::nested:
      return demand_nested(p);
    case StudyKind::type1:
      return demand_master(p, of_type1);
    case StudyKind::bias:
      return demand_master(p, of_bias);
    case StudyKind::linearity:
      return demand_linearity(p);
    case StudyKind::stability:
      return demand_stability(p);
    case StudyKind::attribute:
      return demand_attribute(p);
  }
}

/// A right decision is of what the study rates.
void demand_rated(const CertifiedValue& c, Rated rated) {
  const Rated of = c.component.empty()        ? Rated::board
                   : c.characteristic.empty() ? Rated::component
                                              : Rated::characteristic;
  if (of != rated)
    throw StudyRefused(fmt::format(
        "the right decisions are of each {0}, the study rates each {1}: --rates {0}, or a table of {1}s",
        name_of(of), name_of(rated)));
}

void demand_references(const StudyPlan& p) {
  if (p.rated != Rated::characteristic && p.kind != StudyKind::attribute)
    throw StudyRefused(
        fmt::format("a {} study is of values: it rates no {}", name_of(p.kind), name_of(p.rated)));
  std::set<std::tuple<std::string, std::string, std::string>> seen;
  for (const CertifiedValue& c : p.references) {
    if (std::find(p.parts.begin(), p.parts.end(), c.part) == p.parts.end())
      throw StudyRefused(fmt::format("certified value of part '{}', which is no part of the study", c.part));
    if (!seen.emplace(c.part, c.component, c.characteristic).second)
      throw StudyRefused(fmt::format("part '{}', component '{}', {}: certified twice", c.part, c.component,
                                     c.characteristic));
    if ((p.kind == StudyKind::attribute) == c.decision.empty())
      throw StudyRefused(
          p.kind == StudyKind::attribute
              ? "an attribute study has decisions in place of certified values: column decision"
              : "decisions are of an attribute study: column reference_um");
    if (p.kind == StudyKind::attribute) demand_rated(c, p.rated);
  }
  if (!p.references.empty() && (p.kind == StudyKind::crossed || p.kind == StudyKind::nested))
    throw StudyRefused(fmt::format("a {} study has no certified values", name_of(p.kind)));
}

std::uint64_t random_key(std::uint64_t seed, std::uint32_t kind, std::uint32_t a, std::uint32_t b) {
  const PhiloxBlock block = philox({{kind, a, b, 0}}, seed);
  return (static_cast<std::uint64_t>(block.word[0]) << 32) | block.word[1];
}

}  // namespace

const char* name_of(StudyKind kind) {
  switch (kind) {
    case StudyKind::crossed:
      return "crossed";
    case StudyKind::nested:
      return "nested";
    case StudyKind::type1:
      return "type1";
    case StudyKind::bias:
      return "bias";
    case StudyKind::linearity:
      return "linearity";
    case StudyKind::stability:
      return "stability";
    case StudyKind::attribute:
      break;
  }
  return "attribute";
}

std::optional<StudyKind> study_kind_of(const std::string& name) {
  const auto found =
      std::find_if(kinds.begin(), kinds.end(), [&](StudyKind kind) { return name == name_of(kind); });
  return found == kinds.end() ? std::nullopt : std::optional(*found);
}

const char* name_of(Rated rated) {
  return rated == Rated::board ? "board" : rated == Rated::component ? "component" : "characteristic";
}

std::optional<Rated> rated_of(const std::string& name) {
  for (const Rated rated : {Rated::characteristic, Rated::component, Rated::board})
    if (name == name_of(rated)) return rated;
  return std::nullopt;
}

const char* name_of(RunOrder order) {
  return order == RunOrder::full ? "full" : order == RunOrder::operators ? "operators" : "listed";
}

bool is_study_id(const std::string& id) {
  return !id.empty() && id.size() <= 64 && id[0] != '.' && std::all_of(id.begin(), id.end(), [](char c) {
    return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '-' ||
           c == '_' || c == '.';
  });
}

void demand_plan(const StudyPlan& p) {
  if (!is_study_id(p.id))
    throw StudyRefused("a study's id has 1 to 64 of A-Z a-z 0-9 . _ -, and does not begin with a point");
  demand_names(p.parts, "parts");
  demand_names(p.operators, "operators");
  if (p.parts.empty() || p.operators.empty() || p.trials < 1)
    throw StudyRefused("a study needs parts, operators and trials");
  if ((p.order == RunOrder::listed) != (p.kind == StudyKind::stability))
    throw StudyRefused("order 'listed' is that of a stability study, and of no other");
  demand_kind(p);
  demand_references(p);
  if (p.parts.size() * p.operators.size() * static_cast<std::size_t>(p.trials) > most_runs)
    throw StudyRefused(fmt::format("more than {} runs", most_runs));
  if (p.by.empty()) throw StudyRefused("who starts the study: --by NAME");
}

const CertifiedValue* StudyPlan::reference_of(const std::string& part, const std::string& component,
                                              const std::string& characteristic) const {
  const auto found = std::find_if(references.begin(), references.end(), [&](const CertifiedValue& c) {
    return c.part == part && c.component == component && c.characteristic == characteristic;
  });
  return found == references.end() ? nullptr : &*found;
}

std::vector<PlannedRun> StudyPlan::runs() const {
  struct Keyed {
    std::tuple<std::uint64_t, std::uint64_t, std::uint64_t> key;
    PlannedRun run;
  };
  std::vector<Keyed> keyed;
  const std::size_t own_parts = kind == StudyKind::nested ? parts.size() / operators.size() : parts.size();
  for (int trial = 1; trial <= trials; ++trial) {
    for (std::size_t j = 0; j < operators.size(); ++j) {
      for (std::size_t i = 0; i < own_parts; ++i) {
        const std::size_t part = kind == StudyKind::nested ? j * own_parts + i : i;
        const auto index = static_cast<std::uint32_t>(keyed.size()), t = static_cast<std::uint32_t>(trial);
        const std::uint64_t own = random_key(seed, 1, index, 0);
        const std::uint64_t of_operator = random_key(seed, 2, t, static_cast<std::uint32_t>(j));
        keyed.push_back({order == RunOrder::full     ? std::tuple{std::uint64_t{0}, own, std::uint64_t{0}}
                         : order == RunOrder::listed ? std::tuple{std::uint64_t{j}, std::uint64_t{t}, own}
                                                     : std::tuple{std::uint64_t{t}, of_operator, own},
                         {parts[part], operators[j], trial}});
      }
    }
  }
  std::stable_sort(keyed.begin(), keyed.end(), [](const Keyed& a, const Keyed& b) { return a.key < b.key; });
  std::vector<PlannedRun> sorted;
  for (Keyed& k : keyed) sorted.push_back(std::move(k.run));
  return sorted;
}

}  // namespace datum::quality
