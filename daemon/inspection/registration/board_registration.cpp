#include "daemon/inspection/registration/board_registration.h"

#include <algorithm>
#include <cmath>
#include <span>

#include "daemon/inspection/registration/search_pairs.h"
#include "gpu/core/parallel_for.h"

namespace datum {
namespace {

constexpr std::size_t most_fitted = 150,
                      first_fitted = 32;  // bodies of the fit: more gain nothing that a pixel allows
constexpr double first_reach_cells = 1.5;
constexpr int last_reach_px = 8, profiles = 3;
constexpr double near_px = 1.5;
constexpr double settled_px =
    0.5;  // voting rows leave 7.5 % of an edge at either end: half a pixel of a body of seven
constexpr int most_alternatives = 2;
constexpr double least_match = 0.5;  // of the best place's: others are not fitted
constexpr double most_scale_off = 0.06;
constexpr int rows_in_all = 6000, least_rows = 12, most_rows = 200;  // across the edges of all bodies

/// The largest visible bodies, at most so many, whose half is at least `half_mm`.
std::vector<std::size_t> fitted_bodies(const Recipe& recipe, double lowest_mm, double half_mm,
                                       std::size_t most) {
  std::vector<std::size_t> order;
  for (std::size_t i = 0; i < recipe.components.size(); ++i) {
    const Component& c = recipe.components[i];
    if (stands_up(c, lowest_mm) && c.body.size_mm.minCoeff() / 2 >= half_mm) order.push_back(i);
  }
  std::stable_sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) {
    return recipe.components[a].body.size_mm.minCoeff() > recipe.components[b].body.size_mm.minCoeff();
  });
  if (order.size() > most) order.resize(most);
  std::sort(order.begin(), order.end());
  return order;
}

/// Farthest corner's distance.
double distance_mm(const PlaneMotion& a, const PlaneMotion& b, const Eigen::Vector2d& size_mm) {
  const MovedPlane to_a(a), to_b(b);
  double largest = 0;
  for (int k = 0; k < 4; ++k) {
    const Eigen::Vector2d corner(k % 2 ? size_mm.x() : 0, k / 2 ? size_mm.y() : 0);
    largest = std::max(largest, (to_a(corner) - to_b(corner)).norm());
  }
  return largest;
}

/// The search's lattice and what depends on it.
struct Looking {
  std::optional<HeightLattice> lattice;  // none: no look shows the board
  SearchPairs pairs;                     // of its cell
  std::vector<BoardForm> forms;          // borrowed by scenes
  std::vector<EdgeScene> scenes;         // of the looks that show it
  double pixel_mm = 0, first_mm = 0;
  const BoardView& view() const { return scenes.front().view; }  // of the lattice
};

struct Fitting {
  const std::vector<EdgeScene>& scenes;  // of one board
  double pixel_mm, first_mm;
  std::vector<std::size_t> large, all;  // bodies of the first pass, and of the others
  unsigned threads;
  BoardModel model = BoardModel::rigid;

  Fitting(const Looking& at, double lowest_mm, unsigned on_threads)
      : scenes(at.scenes), pixel_mm(at.pixel_mm), first_mm(at.first_mm), threads(on_threads) {
    const Recipe& recipe = scenes.front().recipe;
    large = fitted_bodies(recipe, lowest_mm, first_mm, first_fitted);
    if (large.size() < 8) large = fitted_bodies(recipe, lowest_mm, 0, first_fitted);
    all = fitted_bodies(recipe, lowest_mm, 0, most_fitted);
  }

  /// One pass: edges of the bodies within reach of each motion, and its correction. Pixels vote for those of the first `last` motions.
  void pass(double reach_mm, double near_mm, const std::vector<std::size_t>& bodies, std::size_t last,
            std::span<RegisteredMotion> motions) const {
    std::vector<PlaneMotion> at;
    for (const RegisteredMotion& r : motions) at.push_back(r.motion);
    std::vector<EdgeSettings> settings(motions.size(), {reach_mm, near_mm, profiles, 0});
    for (std::size_t i = 0; i < last; ++i)
      settings[i].rows = std::clamp(rows_in_all / int(4 * bodies.size() + 1), least_rows, most_rows);
    body_edges(scenes, bodies, at, settings, threads, [&](std::size_t i, const BodyEdges& edges) {
      correct(edges, reach_mm, motions[i]);
      const double moved_mm = distance_mm(at[i], motions[i].motion, scenes.front().recipe.board_size_mm);
      motions[i].is_last = i < last && moved_mm <= settled_px * pixel_mm;
    });
  }
  void correct(const BodyEdges& edges, double reach_mm, RegisteredMotion& r) const {
    r.measured = edges.measured;
    r.seen = edges.seen;
    r.fit = fit_motion(edges.pairs, r.motion, reach_mm / 2, pixel_mm / std::sqrt(12.0), model);
    if (r.fit.solved ||
        model == BoardModel::rigid)  // a stretch left open does not say that the edges do not fit
      r.match = double(r.fit.used) / double(std::max<std::size_t>(1, 2 * edges.measured));
    if (r.fit.solved && r.fit.correction.head<2>().norm() <= 2 * reach_mm)
      r.motion = corrected(r.motion, r.fit);
  }
  void stretch(RegisteredMotion& r) const {
    pass(first_mm, near_px * pixel_mm, all, 0, {&r, 1});
    near_fits({&r, 1});
  }
  std::vector<RegisteredMotion> first_fits(std::span<const SearchedPlace> places) const {
    std::vector<RegisteredMotion> fits(places.size());
    for (std::size_t i = 0; i < fits.size(); ++i) fits[i].motion = places[i].motion;
    pass(first_mm, first_mm / 2, large, 0, fits);
    return fits;
  }
  void near_fits(std::span<RegisteredMotion> fits, std::size_t last = 0) const {
    pass(last_reach_px * pixel_mm, near_px * pixel_mm, all, last, fits);
  }
  /// A second time where the first one moved the board so far that rows across its edges lie elsewhere.
  void last_fits(RegisteredMotion& r) const {
    for (int k = 0; k < 2 && !r.is_last; ++k) near_fits({&r, 1}, 1);
  }
  RegisteredMotion from(const SearchedPlace& place, double least) const {
    std::vector<RegisteredMotion> r = first_fits({&place, 1});
    if (r.front().match >= least) near_fits(r);
    return std::move(r.front());
  }
};

/// The fits at the places, one after the other, of which the first ones are made at once: as `from` has them.
class PlaceFits {
 public:
  PlaceFits(const std::vector<SearchedPlace>& places, std::size_t at_once, const Fitting& fitting)
      : places_(places), fitting_(fitting), first_(fitting.first_fits({places.data(), at_once})) {
    // Perhaps a better place's fit makes some of these needless. The first one is the best, as a rule: that is its last fit.
    std::vector<RegisteredMotion> near;
    for (const RegisteredMotion& r : first_)
      if (is_good(r)) near.push_back(r);
    fitting.near_fits(near, std::min<std::size_t>(1, near.size()));
    auto next = near.begin();
    for (const RegisteredMotion& r : first_)
      second_.push_back(is_good(r) ? std::optional(std::move(*next++)) : std::nullopt);
  }
  RegisteredMotion at(std::size_t i, double least) {
    if (i >= first_.size()) return fitting_.from(places_[i], least);
    if (first_[i].match < least) return first_[i];
    if (second_[i]) return *second_[i];
    fitting_.near_fits({&first_[i], 1});
    return first_[i];
  }

 private:
  bool is_good(const RegisteredMotion& r) const { return r.match >= least_match * first_.front().match; }

  const std::vector<SearchedPlace>& places_;
  const Fitting& fitting_;
  std::vector<RegisteredMotion> first_;
  std::vector<std::optional<RegisteredMotion>> second_;  // of first_, where good
};

/// The recipe's limits exclude other places: a board does not lie there by mistake.
bool is_allowed(const PlaneMotion& m, const RegistrationSettings& s, double margin_mm) {
  return m.shift_mm.cwiseAbs().maxCoeff() <= s.max_shift_mm + margin_mm &&
         std::abs(m.rotation_deg) <= 1.01 * s.max_rotation_deg;
}

/// Fits at the places that match best. One beyond the limits counts only where it matches better than all within them: the board
/// lies there.
void fit_places(const std::vector<SearchedPlace>& places, const Fitting& fitting,
                const RegistrationSettings& s, BoardRegistration& r) {
  const Eigen::Vector2d& size_mm = fitting.scenes.front().recipe.board_size_mm;
  int alternatives = 0;
  std::vector<RegisteredMotion> fitted;
  std::size_t best = 0;  // of them
  std::optional<RegisteredMotion> beyond;
  const auto is_far_worse = [&](const SearchedPlace& p) {
    return p.match < least_match * places.front().match;
  };
  const auto promising = std::find_if(places.begin(), places.end(), is_far_worse) - places.begin();
  PlaceFits fits(places, std::min<std::size_t>(std::size_t(promising), most_alternatives + 1), fitting);
  for (std::size_t i = 0; i < places.size(); ++i) {
    if (alternatives > most_alternatives || (alternatives > 0 && is_far_worse(places[i]))) break;
    RegisteredMotion m = fits.at(i, fitted.empty() ? 0 : least_match * fitted[best].match);
    if (is_allowed(m.motion, s, fitting.pixel_mm)) {
      if (fitted.empty() || distance_mm(m.motion, fitted[best].motion, size_mm) > fitting.first_mm)
        ++alternatives;
      fitted.push_back(std::move(m));
      if (fitted.back().match > fitted[best].match) best = fitted.size() - 1;
    } else if (!beyond || m.match > beyond->match) {
      beyond = std::move(m);
    }
  }
  if (beyond && (fitted.empty() || beyond->match > fitted[best].match)) fitted.push_back(std::move(*beyond));
  choose_places(std::move(fitted), fitting.first_mm, size_mm, r);
}

/// The last fit has looked at its bodies; the others are looked at here.
void count_bodies(const Fitting& fitting, double lowest_mm, BoardRegistration& r) {
  const MovedPlane moved(r.best->motion);
  const auto& components = fitting.scenes.front().recipe.components;
  std::vector<std::size_t> others;
  for (std::size_t i = 0; i < components.size(); ++i)
    if (stands_up(components[i], lowest_mm) && !std::binary_search(fitting.all.begin(), fitting.all.end(), i))
      others.push_back(i);
  std::vector<int> seen(others.size(), 0);
  parallel_for(fitting.threads, others.size(), [&](std::size_t k, unsigned) {
    const std::size_t look = deepest_look(fitting.scenes, components[others[k]], moved);
    seen[k] = seen_at(fitting.scenes[look], others[k], moved);
  });
  r.expected =
      r.best->measured + std::size_t(std::count_if(seen.begin(), seen.end(), [](int s) { return s != 0; }));
  r.seen = r.best->seen + std::size_t(std::count(seen.begin(), seen.end(), 1));
}

Looking look_at(const Recipe& recipe, std::span<const BoardLookAt> looks,
                const RegistrationSettings& settings, double margin_mm, unsigned threads) {
  LatticeSettings sampled;
  sampled.margin_mm =
      margin_mm + settings.max_shift_mm +
      recipe.board_size_mm.norm() / 2 * std::min(1.0, settings.max_rotation_deg * 0.0174532925199433);
  sampled.lowest_mm = settings.lowest_mm;
  sampled.cell_mm = search_cell_mm(recipe, settings.lowest_mm, searched_bodies);
  Looking l;
  l.forms.reserve(looks.size());
  std::vector<HeightLattice> lattices;
  std::vector<BoardLookAt> shown;
  const auto find_pairs = [&](double cell_mm) {
    l.pairs = search_pairs(recipe, cell_mm, settings.lowest_mm, searched_bodies);
  };
  for (const BoardLookAt& look : looks) {
    auto lattice = lattice_over(look.view, recipe.board_size_mm, sampled);
    if (!lattice) continue;
    if (looks.size() == 1) find_pairs(lattice->cell_mm);  // other threads are being woken meanwhile
    if (!sample_heights(look.frame, look.view, recipe.board_size_mm, sampled, threads, *lattice)) continue;
    l.scenes.push_back({recipe, look.frame, look.view, l.forms.emplace_back(lattice->form)});
    lattices.push_back(std::move(*lattice));
    shown.push_back(look);
  }
  if (lattices.empty()) return l;
  l.pixel_mm = std::max(l.view().per_col().norm(), l.view().per_row().norm());
  l.lattice = lattices.size() == 1 ? std::move(lattices.front()) : joined(lattices, shown);
  if (looks.size() > 1) find_pairs(l.lattice->cell_mm);
  l.first_mm = std::max(first_reach_cells * l.lattice->cell_mm, last_reach_px * l.pixel_mm);
  return l;
}

SearchSettings range_of(const RegistrationSettings& settings) {
  SearchSettings range;
  range.max_shift_mm = settings.max_shift_mm;
  range.max_rotation_deg = settings.max_rotation_deg;
  range.turns = settings.search_turned ? board_turns : 1;
  return range;
}

BoardRegistration registered(const Recipe& recipe, std::span<const BoardLookAt> looks,
                             const RegistrationSettings& settings, unsigned threads) {
  BoardRegistration r;
  const Looking at = look_at(recipe, looks, settings, 0, threads);
  if (!at.lattice) return r;
  const auto places =
      search_board(at.pairs, recipe.board_size_mm, *at.lattice, at.view(), range_of(settings), threads);
  Fitting fitting(at, settings.lowest_mm, threads);
  fit_places(places, fitting, settings, r);
  if (!r.best) return r;
  if (as_designed(r.best->motion.turn)) fitting.model = settings.model;
  if (fitting.model != BoardModel::rigid) fitting.stretch(*r.best);
  fitting.last_fits(*r.best);
  count_bodies(fitting, settings.lowest_mm, r);
  return r;
}

}  // namespace

void choose_places(std::vector<RegisteredMotion> fitted, double apart_mm, const Eigen::Vector2d& size_mm,
                   BoardRegistration& r) {
  const auto worse = [](const RegisteredMotion& a, const RegisteredMotion& b) { return a.match < b.match; };
  const auto best = std::max_element(fitted.begin(), fitted.end(), worse);
  if (best == fitted.end()) return;
  r.best = std::move(*best);
  std::erase_if(fitted, [&](const RegisteredMotion& m) {
    return distance_mm(m.motion, r.best->motion, size_mm) <= apart_mm;
  });
  const auto second = std::max_element(fitted.begin(), fitted.end(), worse);
  if (second != fitted.end()) r.second = std::move(*second);
}

BoardRegistration register_board(const Recipe& recipe, std::span<const BoardLookAt> looks,
                                 const RegistrationSettings& settings, unsigned threads) {
  BoardRegistration r;
  with_threads_awake(threads, [&] { r = registered(recipe, looks, settings, threads); });
  return r;
}

std::optional<RegisteredMotion> turned_at_a_corner(const Recipe& recipe, std::span<const BoardLookAt> looks,
                                                   const RegistrationSettings& settings, double least_match,
                                                   unsigned threads) {
  const double off_mm = (recipe.board_size_mm.x() - recipe.board_size_mm.y()) / 2;
  if (std::abs(off_mm) <= settings.max_shift_mm) return std::nullopt;
  const Looking at = look_at(recipe, looks, settings, std::abs(off_mm), threads);
  if (!at.lattice) return std::nullopt;
  const Fitting fitting(at, settings.lowest_mm, threads);
  SearchSettings range = range_of(settings);
  range.first_turn = 1;
  range.turn_step = 2;
  range.turns = board_turns / 2;
  std::optional<RegisteredMotion> best;
  for (const Eigen::Vector2d& sides : {Eigen::Vector2d(-1, 1), {1, 1}, {-1, -1}, {1, -1}}) {
    range.about_mm = off_mm * sides;
    const auto places = search_board(at.pairs, recipe.board_size_mm, *at.lattice, at.view(), range, threads);
    if (places.empty()) continue;
    RegisteredMotion m = fitting.from(places.front(), best ? best->match : least_match);
    if (m.match >= least_match && (!best || m.match > best->match)) best = std::move(m);
  }
  return best;
}

std::optional<double> explaining_scale(const Recipe& recipe, std::span<const BoardLookAt> looks,
                                       const RegistrationSettings& settings, double least_match,
                                       unsigned threads) {
  const Looking at = look_at(recipe, looks, settings, 0, threads);
  if (!at.lattice) return std::nullopt;
  const Eigen::Vector2d middle = recipe.board_size_mm / 2;
  const int steps = int(std::ceil(most_scale_off * middle.norm() / at.first_mm));
  double best = least_match;
  std::optional<double> scale;
  for (int k = -steps; k <= steps; ++k) {
    const double by = 1 + most_scale_off * k / steps;
    Recipe scaled = recipe;
    for (Component& c : scaled.components) {
      c.body.centre_mm = middle + by * (c.body.centre_mm - middle);
      c.body.size_mm *= by;
    }
    RegistrationSettings similar = settings;
    similar.model = BoardModel::similarity;
    const BoardRegistration r = register_board(scaled, looks, similar, threads);
    if (!r.best || !r.best->fit.solved || r.best->match <= best) continue;
    best = r.best->match;
    scale = by * (1 + r.best->motion.stretch[0]);
  }
  return scale;
}

}  // namespace datum
