// Named defects of the virtual sensor's command line.
#include <charconv>
#include <cmath>
#include <optional>
#include <stdexcept>

#include "tests/virtual_cell/twin_board.h"

namespace datum {
namespace {

constexpr double default_lift_um = 120;
constexpr double default_level_um = 35;
constexpr double occluded_reach_mm = 2.5;  // distance around the body within which the view is blocked

TwinBody& find(TwinBoard& board, const std::string& reference) {
  std::string known;
  for (TwinBody& body : board.bodies) {
    if (body.reference == reference) return body;
    known += (known.empty() ? "" : ", ") + body.reference;
  }
  throw std::invalid_argument("defect: no component '" + reference + "' on this board; one of: " + known);
}

double parse_um(const std::string& text, const std::string& defect) {
  double value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc{} || end != text.data() + text.size() || !std::isfinite(value) || value < 0)
    throw std::invalid_argument("defect '" + defect + "': '" + text +
                                "' is no height; a number of um, 0 or more");
  return value;
}

/// Raises the end at +x of the body's own axes by `um`, keeping the other end: the centre rises by half of
/// it.
void lift(TwinBody& body, double um) {
  body.height_um += um / 2;
  body.slope_x += um * 1e-3 / body.outline.size_mm.x();
}

/// Hides the ring on the -x, +x and +y sides; the remaining side does not determine a floor.
void occlude(TwinBoard& board, const TwinRect& body) {
  const double angle = body.rotation_deg * 0.017453292519943295;
  const Eigen::Vector2d ex(std::cos(angle), std::sin(angle)), ey(-ex.y(), ex.x());
  const Eigen::Vector2d half = body.size_mm / 2;
  const double r = occluded_reach_mm;
  const auto hide = [&](double cx, double cy, double sx, double sy) {
    board.occlusions.push_back({body.centre_mm + cx * ex + cy * ey, {sx, sy}, body.rotation_deg});
  };
  const double tall = 2 * (half.y() + r);
  hide(-half.x() - r / 2, 0, r, tall);
  hide(half.x() + r / 2, 0, r, tall);
  hide(0, half.y() + r / 2, 2 * (half.x() + r), r);
}

/// Adds another level of the board, or a ramp to it, beside the body's +x end.
void add_level(TwinBoard& board, const TwinRect& body, double um, bool ramp) {
  const double angle = body.rotation_deg * 0.017453292519943295;
  const Eigen::Vector2d ex(std::cos(angle), std::sin(angle));
  const double r = occluded_reach_mm;
  TwinPatch patch;
  patch.outline = {
      body.centre_mm + (body.size_mm.x() + r) / 2 * ex, {r, body.size_mm.y() + 2 * r}, body.rotation_deg};
  patch.height_um = um;
  patch.ramp = ramp;
  board.patches.push_back(patch);
}

/// Bodies of one board of a panel; its mark is one of them.
template <class Change>
void change_board(TwinBoard& board, const std::string& name, const Change& change) {
  for (const TwinPlace& place : board.places) {
    if (place.name != name) continue;
    for (TwinBody& body : board.bodies)
      if (body.reference.ends_with("@" + name) && !body.reference.starts_with("bad_mark@"))
        change(body, place.outline);
    return;
  }
  throw std::invalid_argument("defect: no board '" + name + "' on this panel");
}

/// Half a turn about the board's middle, with the pads.
void turn_board(TwinBoard& board, const std::string& name) {
  change_board(board, name, [&](TwinBody& body, const TwinRect& outline) {
    body.outline.centre_mm = 2 * outline.centre_mm - body.outline.centre_mm;
    body.outline.rotation_deg += 180;
  });
}

}  // namespace

void apply_defect(TwinBoard& board, const std::string& defect) {
  if (defect == "good") return;
  const auto equals = defect.find('=');
  const std::string kind = defect.substr(0, equals);
  const std::string rest = equals == std::string::npos ? "" : defect.substr(equals + 1);
  const auto colon = rest.find(':');
  const std::string reference = rest.substr(0, colon);
  const std::optional<std::string> number =
      colon == std::string::npos ? std::nullopt : std::optional(rest.substr(colon + 1));
  if (kind == "lifted") {
    const double um = number ? parse_um(*number, defect) : default_lift_um;
    lift(find(board, reference), um);
  } else if (kind == "height" && number) {
    const double um = parse_um(*number, defect);
    find(board, reference).height_um = um;
  } else if (kind == "level" || kind == "ramp") {
    const double um = number ? parse_um(*number, defect) : default_level_um;
    add_level(board, find(board, reference).outline, um, kind == "ramp");
  } else if (kind == "dark" && !number) {
    board.darks.push_back({find(board, reference).outline, 0, 0.8});
  } else if (kind == "bare" && !number) {
    change_board(board, reference, [](TwinBody& body, const TwinRect&) { body.missing = true; });
  } else if (kind == "turned" && !number) {
    turn_board(board, reference);
  } else if (kind == "moved" && number) {
    const double mm = parse_um(*number, defect) * 1e-3;
    change_board(board, reference,
                 [&](TwinBody& body, const TwinRect&) { body.outline.centre_mm.x() += mm; });
  } else if (kind == "marked" && !number) {
    find(board, "bad_mark@" + reference).missing = false;
  } else if (kind == "missing" && !number) {
    find(board, reference).missing = true;
  } else if (kind == "occluded" && !number) {
    occlude(board, find(board, reference).outline);
  } else {
    throw std::invalid_argument("defect '" + defect +
                                "' is not known; one of: good, lifted=REF[:um], missing=REF, height=REF:um, "
                                "occluded=REF, level=REF[:um], ramp=REF[:um], dark=REF");
  }
}

}  // namespace datum
