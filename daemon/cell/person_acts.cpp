#include "daemon/cell/person_acts.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "config/toml_reader.h"
#include "config/utc_time.h"
#include "daemon/store/studied_results.h"
#include "daemon/system/event_loop.h"

namespace datum {
namespace {

namespace fs = std::filesystem;

constexpr MonotonicNs least_between_ns = 1'000'000'000;
constexpr MonotonicNs while_running_ns = 5'000'000'000;
constexpr std::size_t most_references = 32;  // named in a statement

fs::path studies_beside(const fs::path& store) { return store.parent_path() / "studies"; }

ActRecord start_of(const KeptStudy& s) {
  return {ActKind::study_start,
          s.id,
          s.by,
          s.at,
          fmt::format("recipe {} {}, {} runs, behind result {}", s.recipe, s.recipe_sha256, s.runs, s.after),
          s.plan_sha256,
          ""};
}

ActRecord end_of(const KeptStudy& s) {
  return {
      ActKind::study_end, s.id, s.by, s.at, fmt::format("{} results, {} to {}", s.results, s.first, s.last),
      s.sha256,           ""};
}

ActRecord confirmed(const Recipe& recipe, const Confirmation& c) {
  std::vector<std::string> named = c.references;
  named.resize(std::min(named.size(), most_references));
  std::string detail = fmt::format("{}", fmt::join(named, ", "));
  if (named.size() < c.references.size())
    detail += fmt::format(" and {} more", c.references.size() - named.size());
  detail += fmt::format("; from {} frames; recipe {}", c.frames_sha256.size(), recipe.sha256);
  // The values, not the file: later changes of the recipe leave them as they are.
  const std::string values = fmt::format("{}\n{}\n{}\n{}\n{}", recipe.name, c.by, c.at,
                                         fmt::join(c.references, "\n"), fmt::join(c.frames_sha256, "\n"));
  return {ActKind::recipe_confirmed, recipe.name, c.by, c.at, detail, config::sha256_hex(values), ""};
}

}  // namespace

void PersonActs::after_round(MonotonicNs now) {
  if (!deps_.watcher || looking_ || now < not_before_ns_) return;
  std::error_code none;
  const auto changed = fs::last_write_time(studies_beside(deps_.store_file), none);
  if (looked_ && changed == studies_changed_ && recipes_.lock() == deps_.basis.recipes() &&
      !(running_ && now >= again_ns_))
    return;
  studies_changed_ = changed;
  recipes_ = deps_.basis.recipes();
  looked_ = true;
  not_before_ns_ = now + least_between_ns;
  again_ns_ = now + while_running_ns;
  look();
}

void PersonActs::look() {
  looking_ = true;
  const auto found = std::make_shared<Found>();
  const auto known = std::make_shared<std::set<std::string>>();
  deps_.watcher->submit_fallible(
      [found, known, before = known_, recipes = deps_.basis.recipes(), store = deps_.store_file] {
        *known = before ? *before : known_acts(store);
        const auto add = [&](ActRecord act) {
          if (known->insert(act.key()).second) found->acts.push_back(std::move(act));
        };
        for (const KeptStudy& study :
             kept_studies(studies_beside(store), ResultStore::read_only(store).id())) {
          add(start_of(study));
          if (study.complete) add(end_of(study));
          found->running |= !study.complete;
        }
        for (const std::string& name : recipes->names())
          for (const Confirmation& c : recipes->find(name)->confirmations)
            add(confirmed(*recipes->find(name), c));
      },
      [this, found, known](const std::string& failed) {
        looking_ = false;
        if (!failed.empty() && failed != fault_)
          deps_.events.log(4,
                           "studies and confirmations can't be looked through: " + failed + "; tried again");
        fault_ = failed;
        if (!failed.empty()) {
          looked_ = false;
          not_before_ns_ = EventLoop::now() + while_running_ns;
          return;
        }
        known_ = known;
        this->found(*found);
      });
}

void PersonActs::found(const Found& found) {
  running_ = found.running;
  const std::string utc = iso8601_from_utc(deps_.utc_ns() / 1'000'000'000);
  for (ActRecord act : found.acts) {
    act.utc = utc;
    deps_.actions.state(to_statement(act));
    deps_.events.log(5, words_of(act));
  }
}

}  // namespace datum
