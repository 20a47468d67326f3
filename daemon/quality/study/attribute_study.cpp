#include "daemon/quality/study/attribute_study.h"

#include <algorithm>
#include <set>

namespace datum::quality {
namespace {

using Counts = std::vector<std::uint64_t>;

Kappa kappa_of(double agreement, double by_chance) {
  Kappa k{agreement, by_chance, std::nullopt};
  if (by_chance < 1) k.kappa = (agreement - by_chance) / (1 - by_chance);
  return k;
}

std::uint64_t total_of(const Counts& counts) {
  std::uint64_t n = 0;
  for (const std::uint64_t c : counts) n += c;
  return n;
}

void finish(Share& share, double confidence) {
  if (share.n > 0) share.bounds = clopper_pearson(share.k, share.n, confidence);
}

/// Fleiss' kappa of the parts with the most frequent number of ratings.
Kappa fleiss_of(const std::map<std::string, Counts>& parts, std::uint64_t& unequal) {
  std::map<std::uint64_t, std::size_t> sizes;
  for (const auto& [part, counts] : parts) ++sizes[total_of(counts)];
  const auto most = std::max_element(sizes.begin(), sizes.end(),
                                     [](const auto& a, const auto& b) { return a.second < b.second; });
  std::vector<Counts> subjects;
  for (const auto& [part, counts] : parts) {
    if (total_of(counts) == most->first)
      subjects.push_back(counts);
    else
      ++unequal;
  }
  return fleiss_kappa(subjects);
}

}  // namespace

Kappa cohen_kappa(const std::vector<Counts>& table) {
  double n = 0, same = 0, chance = 0;
  for (const Counts& row : table) n += static_cast<double>(total_of(row));
  if (!(n > 0)) return {};
  for (std::size_t i = 0; i < table.size(); ++i) {
    double column = 0;
    for (const Counts& row : table) column += static_cast<double>(row[i]);
    same += static_cast<double>(table[i][i]);
    chance += column * static_cast<double>(total_of(table[i]));
  }
  return kappa_of(same / n, chance / (n * n));
}

Kappa fleiss_kappa(const std::vector<Counts>& subjects) {
  if (subjects.empty() || total_of(subjects[0]) < 2) return {};
  const double n = static_cast<double>(total_of(subjects[0])), m = static_cast<double>(subjects.size());
  std::vector<double> shares(subjects[0].size());
  double agreement = 0;
  for (const Counts& subject : subjects) {
    double squares = 0;
    for (std::size_t c = 0; c < subject.size(); ++c) {
      const double count = static_cast<double>(subject[c]);
      squares += count * count;
      shares[c] += count / (n * m);
    }
    agreement += (squares - n) / (n * (n - 1) * m);
  }
  double chance = 0;
  for (const double share : shares) chance += share * share;
  return kappa_of(agreement, chance);
}

AttributeStudy attribute_study(const std::vector<Rating>& ratings, double confidence) {
  AttributeStudy study;
  std::set<std::string> categories, parts, names;
  std::map<std::string, std::string> references;
  for (const Rating& r : ratings) {
    categories.insert(r.decision);
    if (!r.reference.empty()) categories.insert(r.reference);
    parts.insert(r.part);
    names.insert(r.appraiser);
    const auto [known, fresh] = references.emplace(r.part, r.reference);
    if (!fresh && known->second != r.reference)
      throw StudyRefused("part '" + r.part + "' has two references, '" + known->second + "' and '" +
                         r.reference + "'");
  }
  if (parts.size() < 2)
    throw StudyRefused("an attribute study needs two parts at least, and thirty to say much");
  const auto known =
      std::count_if(references.begin(), references.end(), [](const auto& r) { return !r.second.empty(); });
  if (known != 0 && known != static_cast<std::ptrdiff_t>(references.size()))
    throw StudyRefused(
        "some parts have a reference and others have none: state all, or leave the column out");
  study.has_reference = known != 0;
  study.categories.assign(categories.begin(), categories.end());
  study.parts.assign(parts.begin(), parts.end());
  const auto index = [&](const std::string& category) {
    return static_cast<std::size_t>(
        std::lower_bound(study.categories.begin(), study.categories.end(), category) -
        study.categories.begin());
  };
  const Counts none(study.categories.size());
  std::map<std::string, Counts> all;
  for (const std::string& name : names) {
    Appraiser a{name, {}, {}, {}, {}, {}};
    std::map<std::string, Counts> own;
    std::vector<Counts> table(none.size(), none);
    for (const Rating& r : ratings) {
      if (r.appraiser != name) continue;
      ++own.try_emplace(r.part, none).first->second[index(r.decision)];
      ++all.try_emplace(r.part, none).first->second[index(r.decision)];
      if (r.reference.empty()) continue;
      ++table[index(r.reference)][index(r.decision)];
      if (r.reference == "FAIL") a.misses = {a.misses.k + (r.decision == "PASS"), a.misses.n + 1, {}};
      if (r.reference == "PASS")
        a.false_alarms = {a.false_alarms.k + (r.decision == "FAIL"), a.false_alarms.n + 1, {}};
    }
    for (const auto& [part, counts] : own) {
      const std::uint64_t n = total_of(counts);
      const bool agreed = study.has_reference ? counts[index(references[part])] == n
                                              : std::find(counts.begin(), counts.end(), n) != counts.end();
      a.effectiveness.k += agreed;
      ++a.effectiveness.n;
    }
    a.with_itself = fleiss_of(own, study.unequal);
    if (study.has_reference) a.with_reference = cohen_kappa(table);
    for (Share* share : {&a.effectiveness, &a.misses, &a.false_alarms}) finish(*share, confidence);
    study.appraisers.push_back(std::move(a));
  }
  if (names.size() > 1) study.between = fleiss_of(all, study.unequal);
  return study;
}

}  // namespace datum::quality
