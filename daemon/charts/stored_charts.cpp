#include "daemon/charts/stored_charts.h"

#include <sys/stat.h>

#include <algorithm>
#include <functional>
#include <set>
#include <unordered_map>

#include "daemon/series/series.h"
#include "daemon/store/result_store.h"
#include "daemon/store/studied_results.h"

namespace datum::quality {

namespace fs = std::filesystem;

/// What tells one state of a file from another.
struct Stamp {
  std::uint64_t inode = 0;
  std::int64_t size = -1, seconds = 0, nanoseconds = 0;  // size -1: there is no file
  bool operator==(const Stamp&) const = default;
};

/// Studies beside the store, as of now.
struct Studies {
  std::set<std::uint64_t> results;
  std::vector<RunningStudy> running;

  bool claims(const StoredResult& row, const BoardVerdict& v) const {
    return results.contains(row.sequence) ||
           std::any_of(running.begin(), running.end(), [&](const RunningStudy& s) {
             return row.sequence > s.after && s.recipe_sha256 == v.recipe_sha256 &&
                    (v.unit_id.empty() ? s.takes_unnamed : s.parts.contains(v.unit_id));
           });
  }
};

namespace {

Stamp stamp_of(const fs::path& file) {
  struct stat s {};
  if (::stat(file.c_str(), &s) != 0) return {};
  return {s.st_ino, s.st_size, s.st_mtim.tv_sec, s.st_mtim.tv_nsec};
}

std::optional<BoardVerdict> verdict_of(const StoredResult& row) {
  try {
    BoardVerdict v = row.verdict();
    points_of(v);  // throws where a value is no number
    return v;
  } catch (const StoreError&) {
    return std::nullopt;
  } catch (const std::invalid_argument&) {
    return std::nullopt;
  }
}

std::vector<ListedHit> listed(const std::vector<ChartHit>& hits) {
  std::vector<ListedHit> list;
  for (const ChartHit& h : hits)
    if (list.size() < most_listed_hits) list.push_back({text_of(h.key), rule_name(h.rule), h.first, h.last});
  return list;
}

}  // namespace

/// A recipe with limits.
struct StoredCharts::Live {
  explicit Live(std::shared_ptr<const FrozenLimits> limits) : watch(std::move(limits)) {}

  ChartWatch watch;
  std::unordered_multimap<std::size_t, std::uint64_t> units;  // results by the hash of their unit
  std::function<bool(const std::string&, const std::string&)> removed_unit;
  std::uint64_t units_up_to = 0;              // results that `units` has
  std::uint64_t taken = 0;                    // the newest result that was taken
  std::uint64_t recorded = 0;                 // hits up to this result are in the store
  std::vector<std::uint64_t> acknowledged{};  // series begin anew behind these results, in their order
  std::size_t next = 0;                       // of them

  void restart_before(std::uint64_t sequence) {
    for (; next < acknowledged.size() && acknowledged[next] < sequence; ++next) watch.restart();
  }
};

struct StoredCharts::Impl {
  explicit Impl(fs::path file) : store_file(std::move(file)) {}

  void open();
  void read_studies();
  void look_at(const std::string& recipe, std::int64_t utc_s, ChartFindings& found);
  void take_up(const std::string& recipe, const std::shared_ptr<const FrozenLimits>& limits,
               std::int64_t utc_s, ChartFindings& found);
  void catch_up(Live& live, bool known, std::int64_t utc_s, ChartFindings& found);
  std::vector<StoredResult> before(const Live& live, std::uint64_t watched);
  void replay_drift(Live& live);
  void add_checkpoints(ChartFindings& found) const;
  bool counts(Live& live, const StoredResult& row, const BoardVerdict& v);
  bool repeats(const Live& live, const StoredResult& row);
  std::vector<ChartHit> take(Live& live, const StoredResult& row);
  void record(Live& live, const StoredResult& row, std::int64_t utc_s, ChartFindings& found);

  fs::path store_file;
  std::optional<ResultStore> store;
  KeptCharts kept;
  std::uint64_t watched = 0;
  std::map<std::string, std::vector<std::uint64_t>> acknowledged;  // results, by recipe
  Studies studies;
  std::map<std::string, Stamp> stamps;
  std::map<std::string, std::unique_ptr<Live>> live;
};

StoredCharts::StoredCharts(fs::path store) : impl_(std::make_unique<Impl>(std::move(store))) {}
StoredCharts::~StoredCharts() = default;

void StoredCharts::Impl::open() {
  if (!store) {
    store.emplace(ResultStore::read_only(store_file));
    kept = kept_charts(store_file);
    watched = kept.charts.empty() ? store->extent().last : kept.watched;  // what came before is caught up
    acknowledged = acknowledged_charts(store_file);
  }
}

void StoredCharts::Impl::read_studies() {
  const fs::path folder = store_file.parent_path() / "studies";
  studies = {studied_results(folder, store->id()), running_studies(folder, store->id())};
}

/// The same unit was measured before, as SeriesBook counts it.
bool StoredCharts::Impl::repeats(const Live& live, const StoredResult& row) {
  if (row.unit_id.empty()) return false;
  if (live.removed_unit(row.recipe, row.unit_id)) return true;
  const auto [begin, end] = live.units.equal_range(std::hash<std::string>()(row.unit_id));
  return std::any_of(begin, end, [&](const auto& known) {
    if (known.second >= row.sequence) return false;
    const auto before = store->get(known.second);
    if (!before || before->unit_id != row.unit_id) return false;
    const auto v = verdict_of(*before);
    return v && !is_artefact(*v) && !studies.claims(*before, *v);
  });
}

bool StoredCharts::Impl::counts(Live& live, const StoredResult& row, const BoardVerdict& v) {
  return !is_artefact(v) && !studies.claims(row, v) && !repeats(live, row);
}

std::vector<ChartHit> StoredCharts::Impl::take(Live& live, const StoredResult& row) {
  const auto v = verdict_of(row);
  if (!v || row.sequence <= live.watch.limits().last) return {};  // phase 1
  live.restart_before(row.sequence);
  live.taken = row.sequence;
  const bool taken = counts(live, row, *v);
  if (!row.unit_id.empty() && row.sequence > live.units_up_to) {
    live.units.emplace(std::hash<std::string>()(row.unit_id), row.sequence);
    live.units_up_to = row.sequence;
  }
  return taken ? live.watch.take(*v) : std::vector<ChartHit>{};
}

void StoredCharts::Impl::record(Live& live, const StoredResult& row, std::int64_t utc_s,
                                ChartFindings& found) {
  const std::vector<ChartHit> hits = take(live, row);
  if (hits.empty() || row.sequence <= live.recorded) return;
  live.recorded = row.sequence;
  const FrozenLimits& limits = live.watch.limits();
  ChartRecord r;
  r.recipe = limits.recipe;
  r.step = ChartStep::hit;
  r.utc_s = utc_s;
  r.limits = limits.id;
  r.limits_sha256 = limits.sha256;
  r.after = row.sequence;
  r.hits = hits.size();
  r.disarms = disarms(limits, hits);
  r.listed = listed(hits);
  found.records.push_back(std::move(r));
}

/// Results of the recipe up to `watched`, as far back as a rule looks; oldest first.
std::vector<StoredResult> StoredCharts::Impl::before(const Live& live, std::uint64_t watched) {
  constexpr std::uint64_t batch = 64;
  ResultFilter filter;
  filter.recipe = live.watch.limits().recipe;
  const std::uint64_t from =
      std::max(live.watch.limits().last, live.acknowledged.empty() ? 0 : live.acknowledged.back());
  std::vector<StoredResult> rows;
  int points = 0;
  for (std::uint64_t last = watched; points < most_rule_points && last > from;) {
    filter.up_to = last;
    const auto more = store->list(filter, batch);
    for (const StoredResult& row : more) {
      if (row.sequence <= from || points == most_rule_points) return {rows.rbegin(), rows.rend()};
      const auto v = verdict_of(row);
      points += v && live.watch.limits().hold_for(*v) && !is_artefact(*v) && !studies.claims(row, *v) &&
                !repeats(live, row);
      rows.push_back(row);
    }
    if (more.size() < batch) break;
    last = more.back().sequence - 1;
  }
  return {rows.rbegin(), rows.rend()};
}

/// EWMA and CUSUM depend on all results: on from the checkpoint, or without one from phase 1.
void StoredCharts::Impl::replay_drift(Live& live) {
  constexpr std::uint64_t batch = 64;
  const FrozenLimits& limits = live.watch.limits();
  ResultFilter filter;
  filter.recipe = limits.recipe;
  filter.after = limits.last;
  filter.up_to = watched;
  const auto c =
      std::find_if(kept.checkpoints.begin(), kept.checkpoints.end(), [&](const ChartCheckpoint& k) {
        return k.recipe == limits.recipe && k.limits_sha256 == limits.sha256 && k.watched <= watched;
      });
  if (c != kept.checkpoints.end()) {
    for (const StoredResult& row : before(live, c->watched)) take(live, row);
    // An acknowledgement behind the newest taken result is still to come.
    live.taken = c->taken;
    live.next = static_cast<std::size_t>(
        std::lower_bound(live.acknowledged.begin(), live.acknowledged.end(), c->taken) -
        live.acknowledged.begin());
    if (live.watch.resume(c->drift)) {
      filter.after = c->watched;
    } else {
      live.next = 0;
      live.watch.restart();
    }
  }
  for (;;) {
    const auto rows = store->list(filter, batch, ResultOrder::oldest_first);
    for (const StoredResult& row : rows) take(live, row);
    if (rows.size() < batch) return;
    filter.after = rows.back().sequence;
  }
}

void StoredCharts::Impl::add_checkpoints(ChartFindings& found) const {
  for (const auto& [recipe, of] : live)
    if (of->watch.drifts())
      found.checkpoints.push_back(
          {recipe, of->watch.limits().sha256, watched, of->taken, of->watch.drift_state()});
}

/// What was watched before datumd ended, or came between phase 1 and the file of its limits.
void StoredCharts::Impl::catch_up(Live& live, bool known, std::int64_t utc_s, ChartFindings& found) {
  constexpr std::uint64_t batch = 64;
  if (known) {
    if (live.watch.drifts()) return replay_drift(live);
    for (const StoredResult& row : before(live, watched)) take(live, row);
    return;
  }
  ResultFilter filter;
  filter.recipe = live.watch.limits().recipe;
  filter.after = live.watch.limits().last;
  filter.up_to = watched;
  for (;;) {
    const auto rows = store->list(filter, batch, ResultOrder::oldest_first);
    for (const StoredResult& row : rows) record(live, row, utc_s, found);
    if (rows.size() < batch) return;
    filter.after = rows.back().sequence;
  }
}

void StoredCharts::Impl::take_up(const std::string& recipe, const std::shared_ptr<const FrozenLimits>& limits,
                                 std::int64_t utc_s, ChartFindings& found) {
  read_studies();
  auto made = std::make_unique<Live>(limits);
  for (const auto& [sequence, unit] : measured_units(store_file, recipe)) {
    made->units.emplace(std::hash<std::string>()(unit), sequence);
    made->units_up_to = std::max(made->units_up_to, sequence);
  }
  made->acknowledged = acknowledged[recipe];
  ResultFilter filter;
  filter.recipe = recipe;
  made->removed_unit = store->removed_series(filter).had_unit;
  const auto chart = std::find_if(kept.charts.begin(), kept.charts.end(),
                                  [&](const KeptChart& c) { return c.recipe == recipe; });
  const bool known =
      chart != kept.charts.end() && chart->limits && chart->limits->limits_sha256 == limits->sha256;
  if (known && chart->hit) made->recorded = chart->hit->after;
  if (!known) {
    ChartRecord r;
    r.recipe = recipe;
    r.step = ChartStep::limits;
    r.utc_s = utc_s;
    r.by = limits->by;
    r.limits = limits->id;
    r.limits_sha256 = limits->sha256;
    r.after = watched;
    found.records.push_back(std::move(r));
  }
  catch_up(*made, known, utc_s, found);
  live[recipe] = std::move(made);
}

void StoredCharts::Impl::look_at(const std::string& recipe, std::int64_t utc_s, ChartFindings& found) {
  const fs::path file = limits_file(store_file, recipe);
  const Stamp now = stamp_of(file);
  if (const auto known = stamps.find(recipe); known != stamps.end() && known->second == now) return;
  stamps[recipe] = now;
  LimitsFound& entry = found.limits[recipe];
  entry = {};
  if (now.size < 0) {
    live.erase(recipe);
    return;
  }
  try {
    auto limits = std::make_shared<const FrozenLimits>(read_limits(file));
    if (limits->recipe != recipe)
      throw LimitsRefused(file.string() + ": limits of recipe '" + limits->recipe + "', not of '" + recipe +
                          "'");
    entry.limits = limits;
    const auto had = live.find(recipe);
    if (had == live.end() || had->second->watch.limits().sha256 != limits->sha256)
      take_up(recipe, limits, utc_s, found);
  } catch (const LimitsRefused& error) {
    entry.fault = error.what();
    live.erase(recipe);
  }
}

ChartFindings StoredCharts::watch(const std::vector<std::string>& recipes, std::uint64_t most,
                                  std::int64_t utc_s) {
  ChartFindings found;
  impl_->open();
  for (const std::string& recipe : recipes) impl_->look_at(recipe, utc_s, found);
  if (impl_->live.empty()) {
    impl_->watched = std::max(impl_->watched, impl_->store->extent().last);
  } else {
    impl_->read_studies();
    ResultFilter filter;
    filter.after = impl_->watched;
    const auto rows = impl_->store->list(filter, most, ResultOrder::oldest_first);
    for (const StoredResult& row : rows) {
      if (const auto live = impl_->live.find(row.recipe); live != impl_->live.end())
        impl_->record(*live->second, row, utc_s, found);
      impl_->watched = row.sequence;
    }
    found.more = rows.size() == most;
  }
  found.watched = impl_->watched;
  impl_->add_checkpoints(found);
  return found;
}

std::uint64_t StoredCharts::restart(const std::string& recipe) {
  if (const auto live = impl_->live.find(recipe); live != impl_->live.end())
    live->second->acknowledged.push_back(impl_->watched);
  impl_->acknowledged[recipe].push_back(impl_->watched);
  return impl_->watched;
}

}  // namespace datum::quality
