#include "calib/calibration_store.h"

#include <algorithm>
#include <map>

#include "config/toml_reader.h"

namespace datum {

CalibrationStore::CalibrationStore(const std::filesystem::path& folder) : folder_(folder) {
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
      all_.push_back(load_calibration(file));
      const auto [first, is_new] = seen.emplace(all_.back().id, file);
      if (!is_new) {
        problems_.push_back(file.string() + ": id: '" + all_.back().id + "' is also the id of " +
                            first->second.string() + "; allowed: an id of its own for each calibration");
      }
    } catch (const config::ConfigError& error) {
      problems_.push_back(error.what());
    }
  }
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
    throw CalibrationError("calibration '" + id + "' is not in " + folder_.string() + "; there is " +
                           (known.empty() ? "none" : known));
  }
  return *found;
}

}  // namespace datum
