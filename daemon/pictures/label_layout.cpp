#include "daemon/pictures/label_layout.h"

#include <algorithm>
#include <cmath>
#include <numbers>

namespace datum {
namespace {

constexpr double gap = 4;       // between a label and what it stands beside
constexpr int directions = 24;  // of places away from the part
constexpr double step_px = 14, farthest_px = 420;

/// Liang and Barsky: whether a line enters a box.
bool crosses(const std::vector<PagePoint>& line, const PageBox& box) {
  if (line.size() < 2) return false;
  const PagePoint p = line[0], d{line[1].x - p.x, line[1].y - p.y};
  double from = 0, to = 1;
  const auto clip = [&](double along, double low, double high) {
    if (along == 0) return low <= 0 && high >= 0;
    from = std::max(from, std::min(low / along, high / along));
    to = std::min(to, std::max(low / along, high / along));
    return from < to;
  };
  return clip(d.x, box.x - p.x, box.right() - p.x) && clip(d.y, box.y - p.y, box.bottom() - p.y);
}

PagePoint nearest(const PageBox& box, PagePoint p) {
  return {std::clamp(p.x, box.x, box.right()), std::clamp(p.y, box.y, box.bottom())};
}

bool same(const PageBox& a, const PageBox& b) {
  return a.x == b.x && a.y == b.y && a.width == b.width && a.height == b.height;
}

class Placer {
 public:
  Placer(const std::vector<PageBox>& bodies, const PageBox& page) : bodies_(bodies), page_(page) {}

  std::optional<PlacedLabel> place(const Label& label) {
    std::optional<PlacedLabel> found;
    for (std::size_t k = 0; k < label.shapes.size() && !found; ++k) found = beside(label, k);
    for (std::size_t k = 0; k < label.shapes.size() && !found && label.important; ++k) found = away(label, k);
    if (found) taken_.push_back(*found);
    return found;
  }

 private:
  /// Touching the part: inside it, above, below, right, left, and at its corners.
  std::optional<PlacedLabel> beside(const Label& label, std::size_t shape) const {
    const PageBox& p = label.part;
    const double w = label.shapes[shape].width, h = label.shapes[shape].height, x = p.middle().x - w / 2,
                 y = p.middle().y - h / 2;
    std::vector<PageBox> tried;
    const double above = p.y - h - gap, below = p.bottom() + gap;
    for (const double left : {x, p.x, p.right() - w, p.middle().x, p.middle().x - w}) {
      tried.push_back({left, above, w, h});
      tried.push_back({left, below, w, h});
    }
    tried.push_back({p.right() + gap, y, w, h});
    tried.push_back({p.x - gap - w, y, w, h});
    for (const PageBox& box : tried)
      if (is_free(box, nullptr)) return PlacedLabel{box, shape, {}};
    const PageBox own{x, y, w, h};
    if (label.inside && own.grown(gap).within(p) && is_free(own, &p)) return PlacedLabel{own, shape, {}};
    return std::nullopt;
  }

  /// The place whose line is shortest and crosses the fewest bodies; never another label.
  std::optional<PlacedLabel> away(const Label& label, std::size_t shape) const {
    std::optional<PlacedLabel> best;
    double least = 1e300;
    const auto [w, h] = label.shapes[shape];
    for (double r = 2 * step_px; r <= farthest_px; r += step_px) {
      if (r > least) break;  // a longer line is worse however free it is
      for (int k = 0; k < directions; ++k) {
        const double angle = 2 * std::numbers::pi * k / directions;
        // along an ellipse, since labels are wide
        const PagePoint at{label.part.middle().x + (r + w / 2) * std::cos(angle),
                           label.part.middle().y + (r + h / 2) * std::sin(angle)};
        const PageBox box{at.x - w / 2, at.y - h / 2, w, h};
        if (!is_free(box, nullptr)) continue;
        const PagePoint end = nearest(label.part, box.middle());
        const std::vector<PagePoint> line{nearest(box, end), end};
        double cost = std::hypot(line[0].x - end.x, line[0].y - end.y);
        bool through = false;
        for (const PlacedLabel& t : taken_) through = through || crosses(line, t.box.grown(2));
        if (through) continue;
        for (const PageBox& body : bodies_) cost += !same(body, label.part) && crosses(line, body) ? 40 : 0;
        if (cost >= least) continue;
        least = cost;
        best = PlacedLabel{box, shape, line};
      }
    }
    return best;
  }

  bool is_free(const PageBox& box, const PageBox* own) const {
    if (!box.within(page_)) return false;
    for (const PageBox& body : bodies_)
      if (body.overlaps(box) && !(own && same(body, *own))) return false;
    for (const PlacedLabel& t : taken_)
      if (t.box.grown(1).overlaps(box) || crosses(t.leader, box.grown(2))) return false;
    return true;
  }

  const std::vector<PageBox>& bodies_;
  PageBox page_;
  std::vector<PlacedLabel> taken_;
};

}  // namespace

std::vector<std::optional<PlacedLabel>> place_labels(const std::vector<Label>& labels,
                                                     const std::vector<PageBox>& bodies,
                                                     const PageBox& page) {
  std::vector<std::optional<PlacedLabel>> places(labels.size());
  Placer placer(bodies, page);
  for (const bool important : {true, false})
    for (std::size_t i = 0; i < labels.size(); ++i)
      if (labels[i].important == important) places[i] = placer.place(labels[i]);
  return places;
}

}  // namespace datum
