// Place of an edge by votes of the pixels beside it: it lies where most are on their right side.
//
// Pixels are points: one row of them places a sharp edge within half a pixel either way. Many rows, whose pixels lie at different
// distances from it, place it finer than any interpolation between two pixels does, and spikes and missing pixels, which a mean
// follows, are a minority on either side.
#pragma once

#include <array>
#include <cstdint>
#include <optional>

namespace datum {

class EdgeVotes {
 public:
  /// Positions are along the edge's outward normal; those beyond `reach_mm` of `about_mm` do not count.
  EdgeVotes(double about_mm, double reach_mm);
  void above(double at_mm) { add(at_mm, 1); }   // this place is the body's
  void below(double at_mm) { add(at_mm, -1); }  // this one is not
  struct Edge {
    double at_mm;
    double unresolved_mm;  // from the first to the last of the places with as many votes
  };
  /// The place with the most votes of bodies before and of others behind it; the middle of all such places. None: on a side
  /// of it no more than a share of `least` of all votes are for it, or less than a share of `agreement` of that side's.
  std::optional<Edge> edge(double least, double agreement) const;

 private:
  static constexpr int bins = 128;
  void add(double at_mm, int vote) {
    const double i = (at_mm - from_mm_) * per_mm_;
    if (i >= 0 && i < bins) (vote > 0 ? up_ : down_)[std::size_t(i)] += 1;
  }
  double from_mm_, per_mm_;
  std::array<std::int32_t, bins> up_{}, down_{};
};

}  // namespace datum
