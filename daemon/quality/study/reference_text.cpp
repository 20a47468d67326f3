#include "daemon/quality/study/reference_text.h"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <cmath>

#include "daemon/text/table.h"

namespace datum::quality {
namespace {

using Json = nlohmann::ordered_json;

std::string shown(const std::optional<double>& value) {
  return value ? fmt::format("{:.6f}", *value) : "not resolvable";
}
Json told(const std::optional<double>& value) { return value ? Json(*value) : Json(nullptr); }

std::string share_text(const char* name, const Share& s) {
  if (s.n == 0) return "";
  return fmt::format("  {} {} of {}: {:.4f} ({:.6f} ... {:.6f})\n", name, s.k, s.n,
                     static_cast<double>(s.k) / static_cast<double>(s.n), s.bounds.first, s.bounds.second);
}

Json share_json(const Share& s) {
  return {{"k", s.k}, {"n", s.n}, {"lower", s.bounds.first}, {"upper", s.bounds.second}};
}

Json kappa_json(const Kappa& k) {
  return {{"agreement", k.agreement}, {"by_chance", k.by_chance}, {"kappa", told(k.kappa)}};
}

}  // namespace

Told tell(const Type1& r, const Type1Settings& o, const std::string& unit, double wanted, double confidence) {
  const bool capable = r.cg && *r.cg >= wanted && *r.cgk >= wanted;
  const bool biased = r.p && *r.p < 1 - confidence;
  Told told_{fmt::format("type 1 study: n {}, mean {:.6f} {}, s {:.6f}, reference {}, bias {:.6f}\nCg {}, "
                         "Cgk {} (K {:g} %, L {:g}, T {}; {:.2f} "
                         "wanted)\nbias: t {}, p {} ({:g} % confidence)\n",
                         r.n, r.mean, unit, r.s, o.reference, r.bias, shown(r.cg), shown(r.cgk), o.percent,
                         o.sigmas, o.tolerance, wanted, shown(r.t), shown(r.p), 100 * confidence),
             {{"kind", "type1"},
              {"confidence", confidence},
              {"unit", unit},
              {"n", r.n},
              {"mean", r.mean},
              {"s", r.s},
              {"reference", o.reference},
              {"bias", r.bias},
              {"tolerance", o.tolerance},
              {"percent", o.percent},
              {"sigmas", o.sigmas},
              {"wanted", wanted},
              {"cg", told(r.cg)},
              {"cgk", told(r.cgk)},
              {"t", told(r.t)},
              {"p", told(r.p)}}};
  told_.text += fmt::format("{}{}\n",
                            !r.cg     ? "readings are equal: not resolvable"
                            : capable ? "capable"
                                      : "not capable",
                            biased ? ", and significantly biased" : "");
  if (r.resolution_percent)
    told_.text += fmt::format("resolution {:.3f} % of T (at most 5 wanted)\n", *r.resolution_percent);
  if (r.n < 50) told_.text += fmt::format("! {} readings: 50 are wanted\n", r.n);
  return told_;
}

Told tell(const Bias& r, double reference, double u_reference, double confidence, const std::string& unit) {
  const bool zero = r.interval.lower <= 0 && r.interval.upper >= 0;
  return {
      fmt::format("bias study: n {}, mean {:.6f} {}, s {:.6f}, reference {} (u {})\nbias {:.6f}, {:g} %: "
                  "{:.6f} ... {:.6f}, t {}, p {}\n"
                  "u of the bias with the master's {:.6f}: {:.3f} of it\n{}\n",
                  r.n, r.mean, unit, r.s, reference, u_reference, r.bias, 100 * confidence, r.interval.lower,
                  r.interval.upper, shown(r.t), shown(r.p), r.u, r.normalised,
                  zero ? "no bias is shown: the interval holds 0" : "biased: the interval does not hold 0"),
      {{"kind", "bias"},
       {"unit", unit},
       {"n", r.n},
       {"mean", r.mean},
       {"s", r.s},
       {"reference", reference},
       {"u_reference", u_reference},
       {"bias", r.bias},
       {"confidence", confidence},
       {"interval", {r.interval.lower, r.interval.upper}},
       {"t", told(r.t)},
       {"p", told(r.p)},
       {"u", r.u},
       {"normalised", r.normalised}}};
}

Told tell(const Linearity& r, double confidence, const std::string& unit) {
  Told out{fmt::format("linearity study: n {}, bias = {:.9g} + {:.9g} reference; s {:.6f} {}, R2 {:.6f}\nt "
                       "of slope {}, of intercept {}; limit "
                       "{:.6f} ({:g} %)\n",
                       r.n, r.intercept, r.slope, r.s, unit, r.r2, shown(r.t_slope), shown(r.t_intercept),
                       r.t_limit, 100 * confidence),
           {{"kind", "linearity"},
            {"unit", unit},
            {"n", r.n},
            {"slope", r.slope},
            {"intercept", r.intercept},
            {"s", r.s},
            {"r2", r.r2},
            {"t_slope", told(r.t_slope)},
            {"t_intercept", told(r.t_intercept)},
            {"t_limit", r.t_limit},
            {"confidence", confidence}}};
  for (const LinearityBand& b : r.bands) {
    out.text += fmt::format("  at {}: {:.6f} +- {:.6f}{}\n", b.reference, b.fitted, b.half_width,
                            b.holds_zero() ? "" : "  off 0");
    out.json["bands"].push_back(
        {{"reference", b.reference}, {"fitted", b.fitted}, {"half_width", b.half_width}});
  }
  out.text +=
      r.kept() ? "linear and without bias within its scatter\n" : "fails: slope or bias is significant\n";
  out.json["kept"] = r.kept();
  return out;
}

/// Of AIAG MSA, 4th edition; shares in percent.
constexpr double wanted_kappa = 0.75, wanted_effective = 90, most_missed = 2, most_false = 5;

/// What is not as wanted, a line each, each with its value.
std::string shortfalls_of(const AttributeStudy& r) {
  std::string text;
  const auto percent = [](const Share& s) {
    return 100 * static_cast<double>(s.k) / static_cast<double>(s.n);
  };
  for (const Appraiser& a : r.appraisers) {
    const auto kappa = r.has_reference ? a.with_reference.kappa : a.with_itself.kappa;
    if (kappa && *kappa < wanted_kappa)
      text += fmt::format("! {}: kappa {} {:.3f}, wanted {} at least\n", a.name,
                          r.has_reference ? "with the reference" : "with itself", *kappa, wanted_kappa);
    if (a.effectiveness.n > 0 && percent(a.effectiveness) < wanted_effective)
      text += fmt::format("! {}: effectiveness {:.1f} %, wanted {} % at least\n", a.name,
                          percent(a.effectiveness), wanted_effective);
    if (a.misses.n > 0 && percent(a.misses) > most_missed)
      text +=
          fmt::format("! {}: missed {:.1f} %, wanted {} % at most\n", a.name, percent(a.misses), most_missed);
    if (a.false_alarms.n > 0 && percent(a.false_alarms) > most_false)
      text += fmt::format("! {}: false alarms {:.1f} %, wanted {} % at most\n", a.name,
                          percent(a.false_alarms), most_false);
  }
  return text;
}

Told tell(const AttributeStudy& r, double confidence) {
  Told out{fmt::format(
               "attribute study: {} parts, {} appraisers, categories {}; shares with their {:g} % interval\n",
               r.parts.size(), r.appraisers.size(), fmt::join(r.categories, " "), 100 * confidence),
           {{"kind", "attribute"},
            {"parts", r.parts.size()},
            {"categories", r.categories},
            {"confidence", confidence}}};
  for (const Appraiser& a : r.appraisers) {
    out.text += fmt::format("{}: kappa with itself {}", a.name, shown(a.with_itself.kappa));
    if (r.has_reference)
      out.text += fmt::format(", with the reference {} (po {:.6f}, pe {:.6f})", shown(a.with_reference.kappa),
                              a.with_reference.agreement, a.with_reference.by_chance);
    out.text += "\n" + share_text(r.has_reference ? "effective" : "agrees with itself", a.effectiveness) +
                share_text("missed (PASS of FAIL)", a.misses) +
                share_text("false alarms (FAIL of PASS)", a.false_alarms);
    Json row{{"name", a.name},
             {"with_itself", kappa_json(a.with_itself)},
             {"effectiveness", share_json(a.effectiveness)},
             {"misses", share_json(a.misses)},
             {"false_alarms", share_json(a.false_alarms)}};
    if (r.has_reference) row["with_reference"] = kappa_json(a.with_reference);
    out.json["appraisers"].push_back(row);
  }
  if (r.between) {
    out.text += fmt::format("between appraisers (Fleiss): {}\n", shown(r.between->kappa));
    out.json["between"] = kappa_json(*r.between);
  }
  if (r.unequal > 0)
    out.text += fmt::format("! {} parts have another number of ratings and are left out of Fleiss' kappa\n",
                            r.unequal);
  out.json["unequal"] = r.unequal;
  out.text += fmt::format(
      "wanted: kappa {} and effectiveness {} % at least, missed {} % and false alarms {} % at most\n",
      wanted_kappa, wanted_effective, most_missed, most_false);
  const std::string shortfalls = shortfalls_of(r);
  out.text += shortfalls.empty() ? "as wanted\n" : shortfalls;
  out.json["wanted"] = {{"kappa", wanted_kappa},
                        {"effectiveness_percent", wanted_effective},
                        {"missed_percent", most_missed},
                        {"false_alarms_percent", most_false}};
  out.json["as_wanted"] = shortfalls.empty();
  return out;
}

}  // namespace datum::quality
