#include "gpu/area_share/area_share_cpu.h"

#include <algorithm>
#include <atomic>
#include <memory>
#include <vector>

#include "gpu/core/parallel_for.h"

namespace datum {
namespace {

/// Calls work(from, to) for runs of a list.
template <class Work>
void in_runs_of(std::size_t length, unsigned threads, std::size_t count, const Work& work) {
  parallel_for(threads, (count + length - 1) / length,
               [&](std::size_t run, unsigned) { work(run * length, std::min(count, (run + 1) * length)); });
}

constexpr std::size_t point_run = 4096, patch_run = 1024;

/// What a facet's patch is found by, in two steps, each for a point that comes soon.
const void* soon_cut(const PatchLists& lists, std::uint32_t facet) {
  if (facet >= lists.root.size() || lists.root[facet] < 0) return nullptr;
  return area::soon(lists.cuts, static_cast<std::size_t>(lists.root[facet]));
}

/// The points that mark a listed patch: neighbourhood is symmetric.
std::uint32_t marks_of(const PatchLists& lists, const std::uint32_t* own, std::size_t patch) {
  std::uint32_t marks = 0;
  for (std::uint32_t i = lists.first_near[patch]; i < lists.first_near[patch + 1]; ++i)
    marks += own[lists.near[i]];
  return marks;
}

/// The share of a point on a listed patch, from the area that a mark has of each.
double share_on(const PatchLists& lists, const double* of_mark, std::size_t patch) {
  double sum = 0;
  for (std::uint32_t i = lists.first_near[patch]; i < lists.first_near[patch + 1]; ++i)
    sum += of_mark[lists.near[i]];
  return sum;
}

}  // namespace

namespace area {

void put_on_patches(const TriangleModel& model, const CountedPatches* reaches, std::size_t reach_count,
                    const JudgedPoints& points, std::size_t from, std::size_t to, std::uint32_t* of) {
  constexpr std::size_t ahead = 12;
  const std::size_t count = to - from;
  // An atomic addition waits for the loads before it, so they are apart: a model's facets come from far in memory.
  std::vector<std::uint32_t> found(reach_count * count, no_patch);
  for (std::size_t i = from; i < to; ++i) {
    if (i + 2 * ahead < to)
      for (std::size_t k = 0; k < reach_count; ++k)
        __builtin_prefetch(soon(reaches[k].lists->root, points.distances[i + 2 * ahead].facet));
    if (i + ahead < to) {
      const std::uint32_t facet = points.distances[i + ahead].facet;
      __builtin_prefetch(soon(model.normal, facet));
      for (std::size_t k = 0; k < reach_count; ++k) __builtin_prefetch(soon_cut(*reaches[k].lists, facet));
    }
    const ModelDistance& d = points.distances[i];
    if (!is_judged(d)) continue;
    Place3d foot;  // NOLINT(cppcoreguidelines-pro-type-member-init): found where it is asked for
    bool is_found = false;
    for (std::size_t k = 0; k < reach_count; ++k) {
      const std::int32_t root = reaches[k].lists->root[d.facet];
      if (root >= 0 && !is_found) {
        foot = foot_of(place_of(model, d.facet), points.points[i], d);
        is_found = true;
      }
      found[k * count + i - from] = root < 0 ? static_cast<std::uint32_t>(~root)
                                             : patch_below(reaches[k].lists->cuts.data(), root, foot);
    }
  }
  std::copy_n(found.begin(), count, of + from);
  for (std::size_t k = 0; k < reach_count; ++k) {
    const std::uint32_t* const on = found.data() + k * count;
    for (std::size_t j = 0, next = 0; j < count; j = next) {  // neighbours are often on one patch
      for (next = j + 1; next < count && on[next] == on[j];) ++next;
      if (next + ahead < count && on[next + ahead] != no_patch)
        __builtin_prefetch(&reaches[k].own[on[next + ahead]], 1);
      if (on[j] == no_patch) continue;
      std::atomic_ref(reaches[k].own[on[j]])
          .fetch_add(static_cast<std::uint32_t>(next - j), std::memory_order_relaxed);
    }
  }
}

}  // namespace area

void share_areas(const AreaModel& model, const JudgedPoints& points, const Backend& backend,
                 const AreaShares& out) {
  const unsigned threads = backend.threads;
  std::vector<std::vector<std::uint32_t>> own;
  std::vector<area::CountedPatches> reaches;
  for (const auto& lists : model.reaches) {
    own.emplace_back(lists->area_mm2.size());
    reaches.push_back({lists.get(), own.back().data()});
  }
  std::vector<std::uint32_t> of(points.count);
  in_runs_of(point_run, threads, points.count, [&](std::size_t from, std::size_t to) {
    area::put_on_patches(*model.triangles, reaches.data(), reaches.size(), points, from, to, of.data());
  });
  for (std::size_t k = 0; k < reaches.size(); ++k)
    in_runs_of(patch_run, threads, own[k].size(), [&](std::size_t from, std::size_t to) {
      for (std::size_t p = from; p < to; ++p) out.marks[k][p] = marks_of(*reaches[k].lists, own[k].data(), p);
    });
  const PatchLists& first = *model.reaches.front();
  std::vector<double> of_mark(own[0].size()), share(own[0].size());
  in_runs_of(patch_run, threads, of_mark.size(), [&](std::size_t from, std::size_t to) {
    for (std::size_t p = from; p < to; ++p)
      of_mark[p] = area::area_of_mark(first.area_mm2[p], out.marks[0][p]);
  });
  in_runs_of(patch_run, threads, share.size(), [&](std::size_t from, std::size_t to) {
    for (std::size_t p = from; p < to; ++p)
      if (own[0][p] > 0) share[p] = share_on(first, of_mark.data(), p);
  });
  in_runs_of(point_run, threads, points.count, [&](std::size_t from, std::size_t to) {
    for (std::size_t i = from; i < to; ++i) out.area_mm2[i] = of[i] == no_patch ? 0 : share[of[i]];
  });
}

}  // namespace datum
