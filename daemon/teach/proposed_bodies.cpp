#include "daemon/teach/proposed_bodies.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <numbers>

namespace datum::teach {
namespace {

double rounded(double mm) { return std::round(mm * 100) / 100; }

bool is_same(const BareRegion& a, const BareRegion& b) {
  return (a.rect.centre_mm - b.rect.centre_mm).norm() <
         std::min(a.rect.size_mm.minCoeff(), b.rect.size_mm.minCoeff()) / 2;
}

const BareRegion* find(const std::vector<BareRegion>& all, const BareRegion& like) {
  for (const BareRegion& one : all)
    if (is_same(one, like)) return &one;
  return nullptr;
}

/// Over the boards; the direction is the first one's, and so are the lengths where another one's rectangle lies otherwise.
BareRegion mean_of(const std::vector<const BareRegion*>& seen) {
  BareRegion mean = *seen.front();
  double n = 1;
  for (std::size_t i = 1; i < seen.size(); ++i) {
    if (seen[i]->rect.rotation_deg != mean.rect.rotation_deg) continue;
    ++n;
    mean.rect.centre_mm += (seen[i]->rect.centre_mm - mean.rect.centre_mm) / n;
    mean.rect.size_mm += (seen[i]->rect.size_mm - mean.rect.size_mm) / n;
    mean.height_um += (seen[i]->height_um - mean.height_um) / n;
  }
  for (Eigen::Vector2d* v : {&mean.rect.centre_mm, &mean.rect.size_mm})
    *v = {rounded(v->x()), rounded(v->y())};
  mean.height_um = std::round(mean.height_um);
  return mean;
}

const KnownPart* part_in(const BareRegion& region, const std::vector<KnownPart>& known) {
  const double turn = region.rect.rotation_deg * std::numbers::pi / 180;
  for (const KnownPart& part : known) {
    const Eigen::Vector2d off = part.at_mm - region.rect.centre_mm;
    const Eigen::Vector2d own(std::cos(turn) * off.x() + std::sin(turn) * off.y(),
                              -std::sin(turn) * off.x() + std::cos(turn) * off.y());
    if ((own.cwiseAbs() - region.rect.size_mm / 2).maxCoeff() <= 0) return &part;
  }
  return nullptr;
}

std::string text_of(const BareRegion& r) {
  return fmt::format(
      "stands at [{:.2f}, {:.2f}] mm, {:.2f} x {:.2f} mm turned by {:g} degrees, {:.0f} um high, and is no "
      "component of the recipe",
      r.rect.centre_mm.x(), r.rect.centre_mm.y(), r.rect.size_mm.x(), r.rect.size_mm.y(), r.rect.rotation_deg,
      r.height_um);
}

}  // namespace

FoundBodies common_bodies(const std::vector<std::vector<BareRegion>>& boards,
                          const std::vector<KnownPart>& known) {
  FoundBodies found;
  std::vector<BareRegion> looked;
  for (const auto& on_board : boards)
    for (const BareRegion& region : on_board) {
      if (find(looked, region)) continue;
      looked.push_back(region);
      std::vector<const BareRegion*> seen;
      Finding finding{"", Difference::unknown, {}, ""};
      for (std::size_t b = 0; b < boards.size(); ++b)
        if (const BareRegion* one = find(boards[b], region)) seen.push_back(one), finding.boards.push_back(b);
      FoundBody body{"NEW" + std::to_string(looked.size()), "unknown", mean_of(seen), ""};
      if (const KnownPart* part = part_in(body.region, known)) {
        body.reference = part->reference, body.package = part->package;
        body.about = "of the design; " + part->why;
      }
      finding.reference = body.reference;
      finding.text = text_of(body.region) + (body.about.empty() ? "" : "; " + body.about);
      if (seen.size() == boards.size()) found.all.push_back(std::move(body));
      found.findings.push_back(std::move(finding));
    }
  return found;
}

Recipe with_bodies(const Recipe& recipe, const std::vector<FoundBody>& bodies) {
  Recipe trial = recipe;
  trial.sha256 += "/bodies";  // another plan
  for (const FoundBody& body : bodies) {
    Component c;
    c.reference = body.reference;
    c.package = body.package;
    c.body = body.region.rect;
    c.nominal_height_um = body.region.height_um;
    c.nominal_source = "seen";
    c.nominal_confirmed = false;
    Check check;
    const double tolerance = std::max(50.0, c.nominal_height_um / 10);
    check.lower = c.nominal_height_um - tolerance;
    check.upper = c.nominal_height_um + tolerance;
    check.nominal = c.nominal_height_um;
    c.checks = {check};
    trial.components.push_back(std::move(c));
  }
  return trial;
}

}  // namespace datum::teach
