#include "daemon/report/calibration_section.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <numbers>

#include "calib/drift.h"
#include "config/utc_time.h"
#include "daemon/report/plot.h"

namespace datum {
namespace {

constexpr std::size_t most_calibrations = 60, most_events = 500, most_problems = 50;
constexpr double um = 1e3, degrees = 180 / std::numbers::pi, mdeg = 1e3 * degrees;
constexpr const char* axes[] = {"x", "y", "z"};

double root(double variance) { return std::sqrt(std::max(variance, 0.0)); }
double u_turn_mdeg(const Calibration& c, int axis) { return root(c.covariance(axis, axis)) * mdeg; }
double u_shift_um(const Calibration& c, int axis) { return root(c.covariance(3 + axis, 3 + axis)) * um; }

/// Why it must not be used; empty where it may.
std::string why_not(const CalibrationStore& store, const Calibration& c, std::int64_t now_utc_s) {
  try {
    store.choose(c.id, c.sensor_serial);
  } catch (const CalibrationError& error) {
    return error.what();
  }
  return refusal(c, c.sensor_serial, now_utc_s);
}

const JournalEntry* accepted(const CalibrationStore& store, const Calibration& c) {
  const JournalEntry* entry = store.journal().acceptance_of(c.id);
  return entry && entry->sensor_serial == c.sensor_serial ? entry : nullptr;
}

std::string acceptance_text(const CalibrationStore& store, const Calibration& c) {
  if (!store.journal_problem().empty())
    return "Who accepted it is not known: the journal is not valid. " + store.journal_problem();
  const JournalEntry* entry = accepted(store, c);
  if (!entry) return "Nobody has accepted it.";
  std::string text = fmt::format("Accepted by {} at {} (UTC), entry {} of the journal: {}.",
                                 entry->operator_name, entry->utc, entry->number, entry->note);
  if (entry->sha256 != c.sha256) text += " Its content was another one then, SHA-256 " + entry->sha256 + ".";
  return text;
}

std::string facts_table(const Calibration& c, const std::string& id) {
  NumberTable facts(id + "_facts", "What the file states.", {"", "value"});
  const auto fact = [&](const char* name, const std::string& text) { facts.row(name).text(text); };
  fact("sensor", c.sensor_serial);
  fact("made (UTC)", c.date);
  fact("by", c.operator_name);
  fact("method", name_of(c.method));
  fact("expires (UTC)", iso8601_from_utc(c.expires_utc_s));
  fact("software", c.software);
  fact("artefact", c.artefact_serial.empty() ? "not stated" : c.artefact_serial);
  if (!c.artefact_serial.empty()) fact("drawing, SHA-256", c.drawing_sha256);
  if (c.temperature) {
    facts.row("temperature, degC").number(c.temperature->measured_degc, 17);
    facts.row("valid from, degC").number(c.temperature->min_degc, 17);
    facts.row("valid to, degC").number(c.temperature->max_degc, 17);
  } else {
    fact("temperature", "none is demanded");
  }
  if (c.head) {
    fact("position of the head", c.head->name);
    for (std::size_t i = 0; i < 3; ++i)
      facts.row(fmt::format("angle {} of the head, degrees", "ABC"[i])).number(c.head->angles_deg[i], 17);
    facts.row("tolerance of the angles, degrees").number(c.head->tolerance_deg, 17);
    facts.row("standard uncertainty of the head's turn, mdeg").number(c.head->u_turn_mdeg, 17);
    facts.row("standard uncertainty of the head's shift, um").number(c.head->u_shift_um, 17);
  }
  fact("SHA-256", c.sha256);
  fact("file", c.file.string());
  return facts.html();
}

std::string residuals(const Calibration& c, const std::string& id) {
  std::string html = heading(3, "Residuals, um");
  if (!c.residuals.empty()) {
    Reach reach;
    reach.take(0);
    reach.take(c.residual_rms_um);
    for (const FeatureResidual& r : c.residuals) reach.take(r.rms_um);
    Plot plot("Residuals", "Root mean square of the residuals of each feature. Dotted: of all.", reach.axis(),
              c.residuals.size());
    plot.centre(c.residual_rms_um, "all");
    for (std::size_t i = 0; i < c.residuals.size(); ++i) {
      const double place = static_cast<double>(i);
      plot.bar(place - 0.3, place + 0.3, c.residuals[i].rms_um);
      plot.label(place, c.residuals[i].feature);
    }
    html += plot.html();
  } else {
    html += paragraph("The file states them of no feature.");
  }
  NumberTable table(id + "_residuals", "Root mean square of the residuals.",
                    {"feature", "rms, um", "points"});
  for (const FeatureResidual& r : c.residuals)
    table.row(r.feature).number(r.rms_um).text(std::to_string(r.points));
  table.row("all").number(c.residual_rms_um).text("");
  return html + table.html();
}

std::string pose(const Calibration& c, const std::string& id) {
  const Eigen::Vector3d shift = c.machine_from_sensor.translation_mm(),
                        turn = vector_from_rotation(c.machine_from_sensor.rotation()) * degrees;
  NumberTable table(id + "_u",
                    "Shift of the sensor's origin and rotation vector along machine axes, with expanded "
                    "uncertainties U, k = 2.",
                    {"axis", "shift, mm", "U, um", "turn, degrees", "U, mdeg"});
  for (int i = 0; i < 3; ++i)
    table.row(axes[i])
        .number(shift[i], 9)
        .number(2 * u_shift_um(c, i), 3)
        .number(turn[i], 9)
        .number(2 * u_turn_mdeg(c, i), 3);
  NumberTable matrix(id + "_matrix", "Machine from sensor; the last column in mm.",
                     {"row", "1", "2", "3", "4"});
  for (int i = 0; i < 4; ++i) {
    matrix.row(std::to_string(i + 1));
    for (int j = 0; j < 4; ++j) matrix.number(c.machine_from_sensor.matrix()(i, j), 12);
  }
  constexpr const char* names[] = {"turn x", "turn y", "turn z", "shift x", "shift y", "shift z"};
  NumberTable covariance(id + "_covariance", "Covariance, of rad and mm.",
                         {"", "turn x", "turn y", "turn z", "shift x", "shift y", "shift z"});
  for (int i = 0; i < 6; ++i) {
    covariance.row(names[i]);
    for (int j = 0; j < 6; ++j) covariance.number(c.covariance(i, j), 5);
  }
  return heading(3, "Transform and uncertainty") + table.html() + matrix.html() + covariance.html();
}

std::string stage(const Calibration& c, const std::string& id) {
  NumberTable table(id + "_stage", "The stage. Standard uncertainties u; 0: not stated.",
                    {"axis", "at the calibration, mm", "scale, ppm", "u, ppm", "u of a reading, um"});
  NumberTable square(id + "_squareness", "Squareness of the axes.", {"axes", "rad", "u, rad"});
  constexpr const char* pairs[] = {"x, y", "x, z", "y, z"};
  for (int i = 0; i < 3; ++i) {
    table.row(axes[i])
        .number(c.stage.q_cal_mm[i], 9)
        .number(c.scale_ppm[i])
        .number(c.stage_u.scale_ppm[i])
        .number(c.stage_u.position_um[i]);
    square.row(pairs[i]).number(c.squareness_rad[i]).number(c.stage_u.squareness_rad[i]);
  }
  return heading(3, "Stage") + table.html() + square.html();
}

std::string state_of(const CalibrationStore& store, const Calibration& c) {
  if (!store.journal_problem().empty()) return "not known";
  if (!accepted(store, c)) return "never accepted";
  const auto current = store.journal().current("machine", journal_from(c), c.sensor_serial);
  if (current && current->calibration == c.id) return current->drifted ? "drifted" : "current";
  const auto& entries = store.journal().entries();
  const auto last = std::find_if(entries.rbegin(), entries.rend(), [&](const JournalEntry& e) {
    return e.calibration == c.id && e.sensor_serial == c.sensor_serial;
  });
  return last->event == JournalEvent::withdraw ? "withdrawn" : "replaced";
}

/// Of a chart whose places have the numbers of a table's rows.
void label_numbers(Plot& plot, std::size_t n) {
  const std::size_t step = 1 + n / 20;
  for (std::size_t i = 0; i < n; i += step) plot.label(static_cast<double>(i), std::to_string(i + 1));
}

std::string moved_chart(const std::vector<std::optional<Drift>>& moved) {
  Reach reach;
  reach.take(0);
  for (const auto& d : moved)
    if (d)
      for (const double sign : {-2.0, 2.0}) reach.take(d->shift_um.norm() + sign * d->u_shift_um);
  Plot plot("Shift since the calibration before",
            "Points: length of the shift of the sensor's origin since the calibration before, in um. Lines: "
            "its expanded uncertainty, k = 2.",
            reach.axis(), moved.size());
  label_numbers(plot, moved.size());
  for (std::size_t i = 0; i < moved.size(); ++i) {
    if (!moved[i]) continue;
    const double place = static_cast<double>(i), shift = moved[i]->shift_um.norm(),
                 u = 2 * moved[i]->u_shift_um;
    plot.whisker(place, shift - u, shift + u);
    plot.dot(place, shift);
  }
  return heading(3, "Shift since the calibration before, um") + plot.html();
}

std::string rms_chart(const std::vector<const Calibration*>& all) {
  Reach reach;
  reach.take(0);
  for (const Calibration* c : all) reach.take(c->residual_rms_um);
  Plot plot("Residuals of the calibrations", "Root mean square of all residuals of each calibration, in um.",
            reach.axis(), all.size());
  label_numbers(plot, all.size());
  std::vector<std::optional<double>> values;
  for (const Calibration* c : all) {
    plot.dot(static_cast<double>(values.size()), c->residual_rms_um);
    values.emplace_back(c->residual_rms_um);
  }
  plot.line(values);
  return heading(3, "Residuals of the calibrations, um") + plot.html();
}

std::string events_table(const CalibrationStore& store, const std::string& sensor_serial,
                         const std::string& from, const std::string& id) {
  std::vector<const JournalEntry*> events;
  for (const JournalEntry& e : store.journal().entries())
    if (e.sensor_serial == sensor_serial && e.from == from) events.push_back(&e);
  const std::size_t left_out = events.size() - std::min(events.size(), most_events);
  NumberTable table(id + "_events",
                    fmt::format("Events of the journal, whose lines are chained by their SHA-256.{}",
                                left_out > 0 ? fmt::format(" {} older ones are left out.", left_out) : ""),
                    {"entry", "at (UTC)", "event", "calibration", "SHA-256", "by", "note"});
  for (std::size_t i = left_out; i < events.size(); ++i) {
    const JournalEntry& e = *events[i];
    table.row(std::to_string(e.number)).text(e.utc).text(name_of(e.event)).text(e.calibration).text(e.sha256);
    table.text(e.operator_name).text(e.note);
  }
  return heading(3, "Who did what") +
         (events.empty() ? paragraph("The journal has no event of it.") : table.html());
}

}  // namespace

std::string calibration_section(const CalibrationStore& store, const Calibration& c, std::int64_t now_utc_s,
                                const std::string& id) {
  std::string html = heading(2, "Calibration " + c.id);
  const std::string why = why_not(store, c, now_utc_s), now = iso8601_from_utc(now_utc_s);
  const std::string temperatures =
      c.temperature ? fmt::format(", from {} to {} degC", c.temperature->min_degc, c.temperature->max_degc)
                    : "";
  html += paragraph(why.empty() ? fmt::format("It may be used at {} (UTC){}.", now, temperatures)
                                : fmt::format("It must not be used at {} (UTC): {}.", now, why),
                    id + "_state");
  html += paragraph(acceptance_text(store, c), id + "_accepted");
  return html + facts_table(c, id) + pose(c, id) + residuals(c, id) + stage(c, id);
}

std::string calibration_history(const CalibrationStore& store, const std::string& sensor_serial,
                                const std::string& from, const std::string& id) {
  std::vector<const Calibration*> all;
  for (const Calibration& c : store.all())
    if (c.sensor_serial == sensor_serial && journal_from(c) == from) all.push_back(&c);
  std::sort(all.begin(), all.end(), [](const Calibration* a, const Calibration* b) {
    return a->made_utc_s != b->made_utc_s ? a->made_utc_s < b->made_utc_s : a->id < b->id;
  });
  const std::size_t left_out = all.size() - std::min(all.size(), most_calibrations);
  all.erase(all.begin(), all.begin() + static_cast<std::ptrdiff_t>(left_out));

  NumberTable list(id + "_calibrations",
                   fmt::format("Calibrations in the order in which they were made.{}",
                               left_out > 0 ? fmt::format(" {} older ones are left out.", left_out) : ""),
                   {"number", "calibration", "made (UTC)", "by", "method", "expires (UTC)", "accepted (UTC)",
                    "accepted by", "state"});
  NumberTable values(
      id + "_values",
      "U: expanded uncertainty, k = 2, the largest along an axis. Shift and turn: of the "
      "sensor's origin since the calibration before, both at one position of the stage, with U.",
      {"number", "rms, um", "U of the shift, um", "U of the turn, mdeg", "shift, um", "U, um", "turn, mdeg",
       "U, mdeg"});
  std::vector<std::optional<Drift>> moved;
  for (std::size_t i = 0; i < all.size(); ++i) {
    const Calibration& c = *all[i];
    const JournalEntry* entry = accepted(store, c);
    const std::string number = std::to_string(i + 1);
    list.row(number).text(c.id).text(c.date).text(c.operator_name).text(name_of(c.method));
    list.text(iso8601_from_utc(c.expires_utc_s)).text(entry ? entry->utc : "-");
    list.text(entry ? entry->operator_name : "-").text(state_of(store, c));
    std::optional<Drift> since;
    if (i > 0)
      since = drift_of({c.machine_from_sensor, c.covariance},
                       HtmEstimate<Machine, Sensor>{all[i - 1]->at(c.stage.q_cal_mm), all[i - 1]->covariance},
                       Eigen::Vector3d::Zero(), {});
    const auto of = [&](double value) { return since ? std::optional(value) : std::nullopt; };
    const Drift d = since.value_or(Drift{});
    values.row(number)
        .number(c.residual_rms_um)
        .number(2 * std::max({u_shift_um(c, 0), u_shift_um(c, 1), u_shift_um(c, 2)}), 3)
        .number(2 * std::max({u_turn_mdeg(c, 0), u_turn_mdeg(c, 1), u_turn_mdeg(c, 2)}), 3)
        .number(of(d.shift_um.norm()), 5)
        .number(of(2 * d.u_shift_um), 3)
        .number(of(d.turn_mdeg.norm()), 5)
        .number(of(2 * d.u_turn_mdeg), 3);
    moved.push_back(since);
  }
  const std::string where =
      from.starts_with("sensor/") ? ", position " + from.substr(7) + " of its head" : "";
  std::string html = heading(2, "History of sensor " + sensor_serial + where) + list.html() + values.html();
  if (all.size() > 1) html += rms_chart(all) + moved_chart(moved);
  return html + events_table(store, sensor_serial, from, id);
}

std::string calibration_problems(const CalibrationStore& store) {
  const auto& problems = store.problems();
  if (problems.empty()) return "";
  std::string html = heading(2, "Refused in the folder");
  for (std::size_t i = 0; i < std::min(problems.size(), most_problems); ++i) html += paragraph(problems[i]);
  if (problems.size() > most_problems)
    html += paragraph(fmt::format("{} more are not listed.", problems.size() - most_problems));
  return html;
}

}  // namespace datum
