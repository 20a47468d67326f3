#include "calib/calibration_journal.h"

#include <nlohmann/json.hpp>

#include "config/toml_reader.h"

namespace datum {

namespace {

using nlohmann::ordered_json;

constexpr JournalEvent events[] = {JournalEvent::accept, JournalEvent::withdraw, JournalEvent::drift,
                                   JournalEvent::verified};

/// The content that a line's hash covers.
ordered_json body_of(const JournalEntry& e) {
  return {{"n", e.number},
          {"utc", e.utc},
          {"event", name_of(e.event)},
          {"to", e.to},
          {"from", e.from},
          {"sensor_serial", e.sensor_serial},
          {"calibration", e.calibration},
          {"sha256", e.sha256},
          {"operator", e.operator_name},
          {"note", e.note},
          {"previous", e.previous}};
}

std::string text_of(const ordered_json& json) {
  return json.dump(-1, ' ', false, ordered_json::error_handler_t::replace);
}

std::string hash_of(const JournalEntry& e) { return config::sha256_hex(text_of(body_of(e))); }

std::string line_of(const JournalEntry& e) {
  ordered_json line = body_of(e);
  line["hash"] = e.hash;
  return text_of(line);
}

JournalEvent event_of(const std::string& name) {
  for (const JournalEvent event : events)
    if (name == name_of(event)) return event;
  throw CalibrationError("the event '" + name + "' is not known");
}

JournalEntry entry_of(const std::string& line) {
  const auto json = ordered_json::parse(line);
  JournalEntry e;
  e.number = json.at("n").get<std::uint64_t>();
  e.utc = json.at("utc").get<std::string>();
  e.event = event_of(json.at("event").get<std::string>());
  e.to = json.at("to").get<std::string>();
  e.from = json.at("from").get<std::string>();
  e.sensor_serial = json.at("sensor_serial").get<std::string>();
  e.calibration = json.at("calibration").get<std::string>();
  e.sha256 = json.at("sha256").get<std::string>();
  e.operator_name = json.at("operator").get<std::string>();
  e.note = json.at("note").get<std::string>();
  e.previous = json.at("previous").get<std::string>();
  e.hash = json.at("hash").get<std::string>();
  return e;
}

/// Why the line is not a valid successor of the one before; empty: it is.
std::string why_wrong(const std::string& line, const JournalEntry& e, const JournalEntry* before) {
  if (line_of(e) != line || hash_of(e) != e.hash) return "it was changed after it was written";
  if (e.number != (before ? before->number + 1 : 1) || e.previous != (before ? before->hash : ""))
    return "a line before it was taken out, moved or changed";
  return "";
}

}  // namespace

const char* name_of(JournalEvent event) {
  switch (event) {
    case JournalEvent::accept:
      return "accept";
    case JournalEvent::withdraw:
      return "withdraw";
    case JournalEvent::drift:
      return "drift";
    case JournalEvent::verified:
      return "verified";
  }
  return "?";
}

CalibrationJournal::CalibrationJournal(std::string_view text, const std::string& name) {
  for (std::size_t end = 0; (end = text.find('\n', whole_bytes_)) != std::string_view::npos;
       whole_bytes_ = end + 1) {
    const std::string line(text.substr(whole_bytes_, end - whole_bytes_));
    std::string why;
    JournalEntry entry;
    try {
      entry = entry_of(line);
      why = why_wrong(line, entry, entries_.empty() ? nullptr : &entries_.back());
    } catch (const nlohmann::json::exception&) {
      why = "it is no line of a journal";
    } catch (const CalibrationError& error) {
      why = error.what();
    }
    if (!why.empty()) {
      throw CalibrationError(
          name + ":" + std::to_string(entries_.size() + 1) + ": " + why +
          "; no calibration of this folder is used: put the journal's backup back, or move "
          "it away and accept a calibration again");
    }
    entries_.push_back(std::move(entry));
  }
}

std::optional<CurrentCalibration> CalibrationJournal::current(const std::string& to, const std::string& from,
                                                              const std::string& sensor_serial) const {
  std::optional<CurrentCalibration> now;
  for (const JournalEntry& e : entries_) {
    if (e.to != to || e.from != from || e.sensor_serial != sensor_serial) continue;
    if (e.event == JournalEvent::accept) now = CurrentCalibration{e.calibration, e.sha256, e.utc, false, ""};
    if (!now || now->calibration != e.calibration) continue;
    if (e.event == JournalEvent::withdraw) now.reset();
    if (e.event != JournalEvent::drift && e.event != JournalEvent::verified) continue;
    now->drifted = e.event == JournalEvent::drift;
    now->note = e.note;
  }
  return now;
}

const JournalEntry* CalibrationJournal::acceptance_of(const std::string& calibration) const {
  const JournalEntry* found = nullptr;
  for (const JournalEntry& e : entries_)
    if (e.event == JournalEvent::accept && e.calibration == calibration) found = &e;
  return found;
}

std::string CalibrationJournal::append(JournalEntry entry) {
  entry.number = entries_.empty() ? 1 : entries_.back().number + 1;
  entry.previous = entries_.empty() ? "" : entries_.back().hash;
  entry.hash = hash_of(entry);
  std::string line = line_of(entry) + "\n";
  whole_bytes_ += line.size();
  entries_.push_back(std::move(entry));
  return line;
}

}  // namespace datum
