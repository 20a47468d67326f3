#include "daemon/inspection/surface/surface_compare.h"

#include <algorithm>
#include <atomic>
#include <cmath>
#include <future>
#include <stdexcept>

#include "daemon/inspection/surface/beside.h"
#include "daemon/inspection/surface/in_runs.h"
#include "daemon/inspection/surface/surface_cover.h"
#include "daemon/inspection/surface/surface_patches.h"
#include "daemon/inspection/surface/surface_rays.h"
#include "gpu/surface_compare/surface_compare_math.h"

namespace datum {
namespace {

constexpr std::size_t most_points = std::size_t{1} << 28;

static_assert(static_cast<int>(PixelClass::ok) == 0, "ShotHeights::classes");

ShotHeights heights_of(const SurfaceShot& shot) {
  const HeightFrame& f = *shot.frame;
  ShotHeights h;
  h.z = {f.z.scale_mm, f.z.offset_mm};
  h.edge_mm = shot.edge_mm;
  h.type = static_cast<CountType>(f.counts.index());
  std::visit([&](const auto& counts) { h.counts = counts.data(); }, f.counts);
  h.classes = reinterpret_cast<const std::uint8_t*>(f.classes.data());
  return h;
}

constexpr std::size_t band = 8;  // rows of a run

/// Every pixel with a height, in the order of rows and columns. `first`: of the rows' points.
void add_points(const ShotRays& rays, const ShotHeights& heights, const std::uint32_t* first,
                std::uint16_t number, unsigned threads, ComparedSurface& out) {
  SnapshotGrid& grid = out.grids.emplace_back();
  grid.rows = rays.rows;
  grid.cols = rays.cols;
  grid.point.resize(rays.pixels());
  out.map.points.resize(first[rays.rows]);
  const auto place = [&](std::size_t from, std::size_t to) {
    std::size_t point = first[from], i = from * static_cast<std::size_t>(rays.cols);
    for (std::size_t row = from; row < to; ++row) {
      for (int col = 0; col < rays.cols; ++col, ++i) {
        grid.point[i] = no_point;
        if (heights.classes[i] != 0) continue;
        out.map.points[point] = compare::point_of(rays, static_cast<int>(row), col,
                                                  compare::at(heights.z, compare::count_at(heights, i)));
        grid.point[i] = static_cast<std::uint32_t>(point++);
      }
    }
  };
  in_runs(
      threads, static_cast<std::size_t>(rays.rows),
      [&](std::size_t, std::size_t from, std::size_t to) { place(from, to); }, band);
  out.map.snapshot.resize(out.map.points.size(), number);
}

DistanceSettings distance_settings(const SurfaceSettings& settings, double search_mm) {
  DistanceSettings d;
  d.search = static_cast<float>(search_mm);
  d.sharp_cosine = static_cast<float>(std::cos(settings.edge_deg * M_PI / 180));
  return d;
}

struct FacetsOfModel {
  const SurfaceModel* model;
  const float* corner(std::uint32_t i) const { return model->triangles->corner[i][0].data(); }
  const float* normal(std::uint32_t i) const { return model->sides[i].normal.data(); }
  const float* normal(std::uint32_t i, Place place) const {
    return model->triangles->normal[i][static_cast<std::size_t>(place)].data();
  }
};

void make_room(const SurfaceModel& model, std::size_t points, ComparedSurface& out) {
  out.map.region_of_facet = model.region_of_facet;
  out.face_region.resize(points);
  out.judged_region.resize(points);
  out.beyond_region.resize(points);
  out.is_beyond.resize(points);
  out.deviation.resize(points);
  out.map.region.resize(points);
}

/// What lists of their own have of a judged point.
void note(const PointJudgement& j, std::size_t i, ComparedSurface& out) {
  const bool face = j.judgement == Judgement::face, beyond = j.judgement == Judgement::beyond;
  out.map.region[i] = j.region;
  out.face_region[i] = face ? j.charged : no_region;
  out.judged_region[i] = face || j.judgement == Judgement::edge ? j.charged : no_region;
  out.is_beyond[i] = beyond;
  out.beyond_region[i] = beyond ? j.charged : no_region;
  out.deviation[i] = out.map.distances[i].distance;
}

/// Numbers of points that are no evidence.
struct Excluded {
  std::atomic<std::uint64_t> beyond = 0, explained = 0;
};

/// A row's facets are in the cache while its points are put on their patches.
void judge_snapshot(const SurfaceModel& model, const CompareSettings& settings, const compare::ShotView& shot,
                    const SnapshotGrid& grid, unsigned threads, PointsOnPatches* on_patches,
                    Excluded& excluded, ComparedSurface& out) {
  const compare::PixelJudge<FacetsOfModel> judge(shot, {&model}, settings);
  const auto region_of = [&](std::uint32_t facet) { return model.sides[facet].region; };
  const auto judge_row = [&](std::size_t r, std::uint64_t& beyond, std::uint64_t& explained) {
    constexpr std::size_t ahead = 12;
    std::size_t first = 0, behind = 0;  // points of the row
    for (int col = 0; col < grid.cols; ++col) {
      const std::uint32_t i =
          grid.point[r * static_cast<std::size_t>(grid.cols) + static_cast<std::size_t>(col)];
      if (i == no_point) continue;
      if (behind == 0) first = i;
      behind = i + 1;
      if (i + ahead < out.map.distances.size())
        __builtin_prefetch(area::soon(model.sides, out.map.distances[i + ahead].facet));
      const compare::JudgedPixel pixel =
          judge.judge(static_cast<int>(r), col, out.map.points[i], out.map.distances[i]);
      const PointJudgement j = compare::keep(pixel, region_of, &out.map.distances[i]);
      note(j, i, out);
      beyond += j.judgement == Judgement::beyond;
      explained += j.judgement == Judgement::explained;
    }
    if (on_patches) on_patches->add(out.map, first, behind);
  };
  // Rows side by side meet the same patches, and facets of the same pages.
  in_runs(
      threads, static_cast<std::size_t>(grid.rows),
      [&](std::size_t, std::size_t from, std::size_t to) {
        std::uint64_t beyond = 0, explained = 0;
        for (std::size_t r = from; r < to; ++r) judge_row(r, beyond, explained);
        excluded.beyond += beyond;
        excluded.explained += explained;
      },
      band);
}

}  // namespace

PartView part_view(const TriangleModel& model, std::span<const SurfaceShot> shots, unsigned threads) {
  std::size_t pixels = 0;
  for (const SurfaceShot& shot : shots) pixels += shot.frame->size();
  if (pixels > most_points) throw std::invalid_argument("the snapshots have more than 2^28 pixels together");
  PartView part;
  for (const SurfaceShot& shot : shots) {
    part.rays.push_back(place_of(model, shot));
    part.heights.push_back(heights_of(shot));
  }
  part.first = first_points(part.rays.data(), part.heights.data(), shots.size(), threads);
  return part;
}

ComparedSurface surface_of(const SurfaceModel& model) {
  ComparedSurface out;
  out.map.model = model.triangles;
  out.map.regions = model.regions;
  return out;
}

void place_points(const PartView& part, unsigned threads, ComparedSurface& out) {
  const std::uint32_t* first = part.first.data();
  for (std::size_t s = 0; s < part.rays.size(); first += part.rays[s++].rows)
    add_points(part.rays[s], part.heights[s], first, static_cast<std::uint16_t>(s), threads, out);
}

CompareSettings compare_settings(const SurfaceSettings& settings) {
  return {distance_settings(settings, settings.search_mm), settings.search_mm,
          std::cos(settings.max_view_deg * M_PI / 180)};
}

std::future<void> find_distances(ComparedSurface& surface, const SurfaceModel& model,
                                 const SurfaceSettings& settings, DistanceFinder& finder, bool beside) {
  SurfaceMap& map = surface.map;
  return std::async(beside ? std::launch::async : std::launch::deferred, [&] {
    map.distances.resize(map.points.size());
    finder.find({model.triangles, model.search}, map.points.data(), map.points.size(),
                compare_settings(settings).distance, map.distances.data());
  });
}

void compare_with_model(ComparedSurface& out, const SurfaceModel& model, const SurfaceSettings& settings,
                        std::span<const SurfaceShot> shots, std::future<void> found, unsigned threads,
                        PointsOnPatches* on_patches) {
  make_room(model, out.map.points.size(), out);
  const CompareSettings how = compare_settings(settings);
  Excluded excluded;
  for (std::size_t k = 0; k < shots.size(); ++k) {
    const std::shared_ptr<const SurfaceRays> rays = model.rays->of(*model.triangles, shots[k], k, threads);
    if (k == 0) found.get();
    const compare::ShotView view{rays->view(), heights_of(shots[k]), rays->planes(),
                                 static_cast<std::uint32_t>(model.triangles->corner.size())};
    judge_snapshot(model, how, view, out.grids[k], threads, on_patches, excluded, out);
  }
  if (found.valid()) found.get();
  out.beyond = excluded.beyond;
  out.explained = excluded.explained;
}

SurfaceComparison::SurfaceComparison(SurfaceComparer& comparer, std::shared_ptr<const SurfaceModel> model,
                                     const SurfaceSettings& settings, std::span<const SurfaceShot> shots,
                                     PartView part, const FacetsToSum& sums, unsigned threads,
                                     ComparedSurface& surface)
    : model_(std::move(model)), part_(std::move(part)) {
  done_ = std::async(std::launch::async, [this, &comparer, &settings, shots, sums, threads, &surface] {
    struct Released {  // whoever waits, where nothing was sent
      std::promise<void>* sent;
      ~Released() {
        try {
          sent->set_value();
        } catch (const std::future_error&) {  // it was
        }
      }
    } const released{&sent_};
    return compare(comparer, settings, shots, sums, threads, surface);
  });
}

ComparedPoints SurfaceComparison::room(ComparedSurface& surface) {
  const std::size_t points = part_.points();
  make_room(*model_, points, surface);
  surface.map.distances.resize(points);
  surface.map.area_mm2.resize(points);
  judgements_.resize(points);
  for (const auto& lists : model_->areas->reaches) marks_.emplace_back(lists->area_mm2.size());
  ComparedPoints out;
  out.distances = surface.map.distances.data();
  out.judgements = judgements_.data();
  out.areas.area_mm2 = surface.map.area_mm2.data();
  for (std::size_t k = 0; k < marks_.size(); ++k) out.areas.marks[k] = marks_[k].data();
  return out;
}

bool SurfaceComparison::compare(SurfaceComparer& comparer, const SurfaceSettings& settings,
                                std::span<const SurfaceShot> shots, const FacetsToSum& sums, unsigned threads,
                                ComparedSurface& surface) {
  PartToCompare part;
  part.sums = sums;
  for (std::size_t k = 0; k < shots.size(); ++k) {
    const std::shared_ptr<const SurfaceRays> rays =
        model_->rays->of(*model_->triangles, shots[k], k, threads);
    part_.rays[k] = rays->view();
    part.kept.push_back(rays);
  }
  part.shots = part_.shots();
  // beside the exchange: half a millisecond of one thread for 400,000 points
  const auto sent = [&] {
    made_ = beside(threads > 1, [&] { return room(surface); });
    sent_.set_value();
  };
  Excluded excluded;
  const auto taken = [&](std::size_t from, std::size_t to) {
    std::uint64_t beyond = 0, explained = 0;
    for (std::size_t i = from; i < to; ++i) {
      note(judgements_[i], i, surface);
      beyond += judgements_[i].judgement == Judgement::beyond;
      explained += judgements_[i].judgement == Judgement::explained;
    }
    excluded.beyond += beyond;
    excluded.explained += explained;
  };
  if (!comparer.compare({{model_->triangles, model_->search}, model_->areas}, part,
                        compare_settings(settings), {sent, [&] { return made_.get(); }, taken})) {
    if (made_.valid()) made_.wait();  // whoever compares instead makes room in the same lists
    return false;
  }
  surface.beyond = excluded.beyond;
  surface.explained = excluded.explained;
  return true;
}

}  // namespace datum
