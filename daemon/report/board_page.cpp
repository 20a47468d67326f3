#include "daemon/report/board_page.h"

#include <fmt/format.h>
#include <openssl/evp.h>

#include <algorithm>
#include <cmath>

#include "daemon/controller/controller_text.h"
#include "daemon/inspection/verdict/plain_reason.h"
#include "daemon/report/chart.h"
#include "daemon/report/page_text.h"
#include "daemon/report/read_result.h"
#include "daemon/store/serial_attempts.h"

namespace datum {
namespace {

// The deviation bar: limits at -100 and 100 of the tolerance, 150 shown on both sides.
constexpr Axis bar_axis{-150, 150, 2, 118};

struct Row {
  const ComponentVerdict* component;
  const CheckVerdict* check;
};

/// Worst first: by decision, then by the share of the tolerance that is used.
std::vector<Row> rows_of(const BoardVerdict& v) {
  std::vector<Row> rows;
  for (const ComponentVerdict& c : v.components)
    for (const CheckVerdict& check : c.checks) rows.push_back({&c, &check});
  const auto used = [](const Row& r) { return std::abs(share_of_tolerance(*r.check).value_or(0)); };
  std::stable_sort(rows.begin(), rows.end(), [&](const Row& a, const Row& b) {
    return a.check->decision != b.check->decision ? a.check->decision > b.check->decision : used(a) > used(b);
  });
  return rows;
}

void set_bar(PageData& row, const CheckVerdict& check) {
  const auto share = share_of_tolerance(check);
  row.set("bar", share.has_value());
  if (!share) return;
  const double at = std::clamp(*share, bar_axis.from, bar_axis.to);
  row.set("x", coordinate(bar_axis.at(at)));
  row.set("x_left", coordinate(bar_axis.at(at) - 4));
  row.set("x_right", coordinate(bar_axis.at(at) + 4));
  row.set("share", fmt::format("{:.0f}", *share));
  row.set("off_left", *share < bar_axis.from);
  row.set("off_right", *share > bar_axis.to);
  row.set("inside", at == *share);
  // With one limit the tolerance is open on the other side.
  const double left = check.check.lower ? -100 : bar_axis.from, right = check.check.upper ? 100 : bar_axis.to;
  row.set("limits_x", coordinate(bar_axis.at(left)));
  row.set("limits_width", coordinate(bar_axis.at(right) - bar_axis.at(left)));
}

std::string reason_text(Reason reason, const std::string& detail) {
  if (reason == Reason::none) return detail;
  return detail.empty() ? name_of(reason) : fmt::format("{}: {}", name_of(reason), detail);
}

std::string what_of(const Check& check) {
  const std::string name = name_of(check.characteristic);
  return check.parameter != 0 ? fmt::format("{} {:g}", name, check.parameter) : name;
}

PageData row_data(const Row& r, const BoardVerdict& v, bool linked) {
  const CheckVerdict& c = *r.check;
  const bool valid = c.decision != Decision::invalid;
  const auto known = [&](double x) { return valid ? std::optional(x) : std::nullopt; };
  const double U = 2 * c.u;
  PageData row = texts({{"reference", r.component->reference},
                        {"package", r.component->package},
                        {"what", what_of(c.check)},
                        {"unit", unit_of(c.check.characteristic)},
                        {"nominal", all_digits(c.check.nominal)},
                        {"lower", all_digits(c.check.lower)},
                        {"upper", all_digits(c.check.upper)},
                        {"value", all_digits(known(c.value))},
                        {"value_shown", rounded_by(known(c.value), U)},
                        {"u", all_digits(known(c.u))},
                        {"U_shown", rounded_by(known(U), U)},
                        {"p", all_digits(known(c.p_conform))},
                        {"p_shown", valid ? fmt::format("{:.4f}", c.p_conform) : "-"},
                        {"reason", reason_text(c.reason, c.detail)}});
  set_decision(row, c.decision);
  set_bar(row, c);
  row.set("linked", linked);
  row.set("link", "/component?recipe=" + url_part(v.recipe) +
                      "&reference=" + url_part(r.component->reference) +
                      "&what=" + url_part(name_of(c.check.characteristic)));
  return row;
}

PageData floor_data(const ComponentVerdict& c) {
  const FloorEvidence& f = c.floor;
  const auto& s = f.side_inliers;
  return texts({{"reference", c.reference},
                {"inliers", std::to_string(f.inliers)},
                {"valid", std::to_string(f.valid)},
                {"pixels", std::to_string(f.pixels)},
                {"ratio", all_digits(f.inlier_ratio)},
                {"ratio_shown", fmt::format("{:.3f}", f.inlier_ratio)},
                {"second", all_digits(f.second_floor)},
                {"second_shown", fmt::format("{:.3f}", f.second_floor)},
                {"rms", all_digits(f.rms_um)},
                {"rms_shown", fmt::format("{:.3f}", f.rms_um)},
                {"sides", fmt::format("{} {} {} {}", s[0], s[1], s[2], s[3])},
                {"tilt", all_digits(f.tilt_deg)},
                {"tilt_shown", fmt::format("{:.3f}", f.tilt_deg)}});
}

PageData made_by(const StoredResult& r, const BoardVerdict& v, const std::string& chain) {
  PageData list = PageData::type::list;
  const auto add = [&](const char* name, const std::string& value, const std::string& hash) {
    if (value.empty() && hash.empty()) return;
    list.push_back(texts({{"name", name}, {"text", value}, {"hash", hash}}));
  };
  add("recipe", v.recipe, v.recipe_sha256);
  add("calibration", v.calibration, v.calibration_sha256);
  add("sensor", v.sensor_serial, v.sensor_profile_sha256);
  if (v.serial) add("serial number", words_of(*v.serial), "");
  add("frame", v.frame_id, v.frame_sha256);
  add("frame from", v.frame_source, "");
  add("code", v.code, "");
  add("backend", v.backend, "");
  add("controller", v.controller ? as_text(*v.controller) : "", "");
  add("store", r.store_id, "");
  add("entry of the chain", "", chain);
  return list;
}

void set_board(PageData& data, const BoardVerdict& v, bool linked) {
  data.set("why", plain_reason(v));
  data.set("detail", reason_text(v.reason, v.detail));
  data.set("has_check", is_artefact(v));
  data.set("check", is_artefact(v) ? v.reference->artefact : "");
  data.set("has_detail", v.reason != Reason::none || !v.detail.empty());
  PageData rows = PageData::type::list, floors = PageData::type::list;
  const auto ordered = rows_of(v);
  for (const Row& r : ordered) rows.push_back(row_data(r, v, linked));
  if (!v.surface)
    for (const ComponentVerdict& c : v.components)
      if (!c.warp && !c.hole && !c.region) floors.push_back(floor_data(c));
  data.set("has_floors", !floors.is_empty_list());
  data.set("has_rows", !ordered.empty());
  data.set("rows", rows);
  data.set("floors", floors);
  data.set("rule",
           v.rule == DecisionRule::simple
               ? std::string("simple acceptance: the value against the limits")
               : fmt::format("PASS where the probability of conformity is at least {:g}, FAIL where it is at "
                             "most {:g}, else INCONCLUSIVE",
                             v.rule_confidence, 1 - v.rule_confidence));
}

}  // namespace

void set_decision(PageData& data, Decision decision) {
  struct Shape {
    const char *css, *symbol;
  };
  constexpr Shape shapes[] = {{"pass", "✓"}, {"inconclusive", "?"}, {"fail", "✗"}, {"invalid", "∅"}};
  const Shape& shape = shapes[static_cast<std::size_t>(decision)];
  data.set("decision", name_of(decision));
  data.set("class", shape.css);
  data.set("symbol", shape.symbol);
}

std::string board_page(const BoardPage& page) {
  const StoredResult& r = page.result;
  PageData data = texts({{"sequence", std::to_string(r.sequence)},
                         {"measured_at", r.measured_at},
                         {"unit", r.unit_id},
                         {"unit_link", "/search?unit=" + url_part(r.unit_id)},
                         {"recipe", r.recipe},
                         {"picture", page.picture}});
  data.set("has_unit", !r.unit_id.empty());
  data.set("has_picture", !page.picture.empty());
  data.set("linked", page.linked);
  set_decision(data, r.decision);
  const ReadResult read = read_result(r);
  data.set("damaged", !read.verdict);
  data.set("fault", read.fault);
  PageData left_out = PageData::type::list;
  for (const std::string& what : read.left_out) left_out.push_back(texts({{"what", what}}));
  data.set("is_partial", !read.left_out.empty());
  data.set("left_out", left_out);
  if (read.verdict) {
    set_board(data, *read.verdict, page.linked);
    data.set("made_by", made_by(r, *read.verdict, page.chain_sha256));
  }
  return render("board", data);
}

std::string png_url(const std::string& bytes) {
  std::string text(4 * ((bytes.size() + 2) / 3) + 1, '\0');
  const int size =
      EVP_EncodeBlock(reinterpret_cast<unsigned char*>(text.data()),
                      reinterpret_cast<const unsigned char*>(bytes.data()), static_cast<int>(bytes.size()));
  text.resize(static_cast<std::size_t>(size));
  return "data:image/png;base64," + text;
}

}  // namespace datum
