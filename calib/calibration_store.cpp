#include "calib/calibration_store.h"

#include <algorithm>
#include <fstream>
#include <map>
#include <set>
#include <sstream>

#include "config/toml_reader.h"

namespace datum {

CalibrationStore::CalibrationStore(const std::filesystem::path& folder, const config::TomlParser* parser)
    : folder_(folder) {
  std::vector<std::filesystem::path> files;
  try {
    for (const auto& entry : std::filesystem::directory_iterator(folder)) {
      if (entry.path().extension() == ".toml") files.push_back(entry.path());
    }
  } catch (const std::filesystem::filesystem_error& error) {
    throw CalibrationError(folder.string() + ": the folder of calibrations cannot be read (" +
                           error.code().message() + "); check the path and its permissions");
  }
  std::sort(files.begin(), files.end());
  std::map<std::string, std::filesystem::path> seen;
  for (const auto& file : files) {
    try {
      all_.push_back(load_calibration(file, parser));
      const auto [first, is_new] = seen.emplace(all_.back().id, file);
      if (!is_new) {
        problems_.push_back(file.string() + ": id: '" + all_.back().id + "' is also the id of " +
                            first->second.string() + "; allowed: an id of its own for each calibration");
      }
    } catch (const config::ConfigError& error) {
      problems_.push_back(error.what());
    }
  }
  read_journal();
}

void CalibrationStore::read_journal() {
  std::ifstream in(journal_file(), std::ios::binary);
  std::error_code ignored;
  if (!in && !std::filesystem::exists(journal_file(), ignored)) return;
  std::ostringstream text;
  if (in && in.peek() != std::ifstream::traits_type::eof()) text << in.rdbuf();
  try {
    if (!in.is_open() || in.bad() || text.bad())
      throw CalibrationError(journal_file().string() + ": cannot be read; check its permissions");
    journal_ = CalibrationJournal(text.str(), journal_file().string());
  } catch (const CalibrationError& error) {
    journal_problem_ = error.what();
    problems_.push_back(error.what());
  }
}

namespace {

std::string drifted(const CurrentCalibration& current) {
  return "calibration '" + current.calibration + "' has drifted (" + current.note +
         "): calibrate again, or verify it again once the cause is removed";
}

/// Demands that the file is the accepted one.
void check_accepted(const Calibration& c, const JournalEntry* accepted) {
  if (!accepted || accepted->sha256 == c.sha256) return;
  throw CalibrationError(
      c.file.string() + " is not the calibration '" + c.id + "' that " + accepted->operator_name +
      " accepted at " + accepted->utc +
      ": its content was changed and sealed again; put the accepted file back, or accept this "
      "one (datumctl calibrate accept " +
      c.id + ")");
}

}  // namespace

std::string journal_from(const Calibration& c) { return c.head ? "sensor/" + c.head->name : "sensor"; }

/// Of `wanted` = "current" the one without a head; where there is none, that of the head's position that was accepted last.
const Calibration& CalibrationStore::choose(const std::string& wanted,
                                            const std::string& sensor_serial) const {
  if (!journal_problem_.empty()) throw CalibrationError(journal_problem_);
  std::string from = "sensor";
  if (wanted != "current") {
    for (const Calibration& c : all_)
      if (c.id == wanted) from = journal_from(c);
  } else if (!journal_.current("machine", from, sensor_serial)) {
    for (const JournalEntry& e : journal_.entries())
      if (e.event == JournalEvent::accept && e.sensor_serial == sensor_serial &&
          journal_.current("machine", e.from, sensor_serial))
        from = e.from;
  }
  return chosen(wanted, from, sensor_serial);
}

std::vector<Calibration> CalibrationStore::heads(const std::string& sensor_serial,
                                                 std::vector<std::string>& refused) const {
  std::set<std::string> positions;
  for (const JournalEntry& e : journal_.entries())
    if (e.sensor_serial == sensor_serial && e.from.starts_with("sensor/")) positions.insert(e.from);
  std::vector<Calibration> found;
  for (const std::string& from : positions) {
    try {
      if (journal_.current("machine", from, sensor_serial))
        found.push_back(chosen("current", from, sensor_serial));
    } catch (const CalibrationError& error) {
      refused.push_back("head's position " + from.substr(7) + ": " + error.what());
    }
  }
  return found;
}

const Calibration& CalibrationStore::chosen(const std::string& wanted, const std::string& from,
                                            const std::string& sensor_serial) const {
  const auto current = journal_.current("machine", from, sensor_serial);
  if (wanted == "current" && !current) {
    throw CalibrationError(
        "no calibration of sensor " + sensor_serial + " is current in " + folder_.string() +
        ": calibrate (datumctl calibrate start ...), or accept one that is there (datumctl "
        "calibrate accept ID)");
  }
  const std::string id = wanted == "current" ? current->calibration : wanted;
  if (current && current->calibration != id) {
    throw CalibrationError("calibration '" + id + "' is not the current one of sensor " + sensor_serial +
                           ", '" + current->calibration + "' is, since " + current->since +
                           ": set inspection.calibration = \"current\", or accept it (datumctl calibrate "
                           "accept " +
                           id + ")");
  }
  const JournalEntry* accepted = journal_.acceptance_of(id);
  if (accepted && accepted->sensor_serial == sensor_serial && !current) {
    throw CalibrationError("calibration '" + id +
                           "' was withdrawn: calibrate, or accept it again (datumctl "
                           "calibrate accept " +
                           id + ")");
  }
  const Calibration& c = find(id);
  check_accepted(c, accepted);
  if (wanted == "current" && journal_from(c) != from)
    throw CalibrationError(c.file.string() + " is not of " + from + ", for which the journal names it");
  if (current && current->drifted) throw CalibrationError(drifted(*current));
  return c;
}

const Calibration& CalibrationStore::find(const std::string& id) const {
  const Calibration* found = nullptr;
  std::string known;
  for (const Calibration& c : all_) {
    known += (known.empty() ? "" : ", ") + c.id;
    if (c.id != id) continue;
    if (found) {
      throw CalibrationError("calibration '" + id + "' is in both " + found->file.string() + " and " +
                             c.file.string() + "; remove one of them, or give it an id of its own");
    }
    found = &c;
  }
  if (!found) {
    std::string why = "calibration '" + id + "' is not in " + folder_.string() + "; there is " +
                      (known.empty() ? "none" : known);
    for (const std::string& problem : problems_) why += "; refused: " + problem;
    throw CalibrationError(why);
  }
  return *found;
}

}  // namespace datum
