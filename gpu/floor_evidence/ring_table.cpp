#include "gpu/floor_evidence/ring_table.h"

#include <algorithm>
#include <limits>
#include <stdexcept>
#include <string>
#include <tuple>

namespace datum {
namespace {

std::int32_t group_floor(std::int32_t col) { return col & -group_px; }

/// The groups that one run covers.
void add_run(const PixelRun& run, std::uint32_t side, std::int32_t pitch, std::vector<PixelGroup>* groups) {
  for (std::int32_t col = group_floor(run.col); col < run.col + run.length; col += group_px) {
    const std::int32_t from = std::max(run.col - col, 0), to = std::min(run.col + run.length - col, group_px);
    const std::uint32_t pixels = ((1u << to) - 1) & ~((1u << from) - 1);
    PixelGroup g;
    g.at = static_cast<std::uint32_t>((std::int64_t{run.row} * pitch + col) / group_px);
    g.row = run.row;
    g.col = col;
    g.pixels = pixels | (side & 1 ? pixels << 8 : 0) | (side & 2 ? pixels << 16 : 0);
    groups->push_back(g);
  }
}

/// Groups by rows, then columns, each once.
std::vector<PixelGroup> groups_of(const BoardPlan& plan, std::uint32_t index, std::int32_t pitch) {
  const SitePlan& site = plan.sites[index];
  std::vector<PixelGroup> all, once;
  for (std::uint32_t i = site.ring_run; i < site.ring_run + site.ring_runs; ++i)
    add_run(plan.runs[i], plan.run_side[i], pitch, &all);
  std::sort(all.begin(), all.end(), [](const PixelGroup& a, const PixelGroup& b) { return a.at < b.at; });
  for (const PixelGroup& g : all) {
    if (once.empty() || once.back().at != g.at) {
      once.push_back(g);
      continue;
    }
    if (once.back().pixels & g.pixels & 0xFF)
      throw std::invalid_argument(std::string("ring of site ") + std::to_string(index) +
                                  ": runs overlap in row " + std::to_string(g.row));
    once.back().pixels |= g.pixels;
  }
  return once;
}

}  // namespace

RingTable ring_table(const BoardPlan& plan, std::int32_t pitch) {
  if (std::int64_t{plan.rows} * pitch / group_px >= std::int64_t{1} << 32)
    throw std::invalid_argument(std::string("ring table: a frame of ") + std::to_string(plan.rows) +
                                " rows of " + std::to_string(pitch) + " counts is too large");
  RingTable table;
  for (std::uint32_t i = 0; i < plan.site_count; ++i) {
    const std::vector<PixelGroup> groups = groups_of(plan, i, pitch);
    const std::uint32_t count = static_cast<std::uint32_t>(groups.size());
    const std::uint32_t tiles = std::max<std::uint32_t>(1, (count + tile_groups - 1) / tile_groups);
    for (std::uint32_t t = 0; t < tiles; ++t) {
      const std::uint32_t from = t * tile_groups;
      table.tiles.push_back(
          {i, static_cast<std::uint32_t>(table.groups.size()) + from, std::min(tile_groups, count - from)});
    }
    table.groups.insert(table.groups.end(), groups.begin(), groups.end());
  }
  return table;
}

}  // namespace datum
