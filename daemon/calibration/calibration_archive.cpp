#include "daemon/calibration/calibration_archive.h"

#include <system_error>

#include "daemon/system/durable_file.h"

namespace datum {

namespace fs = std::filesystem;

namespace {

template <class Write>
void or_refuse(Write write) {
  try {
    write();
  } catch (const std::system_error& error) {
    throw CalibrationError(std::string(error.what()) +
                           "; check the folder's permissions and room, nothing was accepted");
  }
}

}  // namespace

void write_durably(const fs::path& path, const std::string& text) {
  or_refuse([&] { write_file_durably(path, text); });
}

void CalibrationArchive::store(const Calibration& c) const {
  std::error_code why;
  fs::create_directories(folder_, why);
  const fs::path file = folder_ / (c.id + ".toml");
  if (fs::exists(file, why))
    throw CalibrationError(file.string() + " is there already; a calibration gets an id of its own");
  write_durably(file, to_toml(c));
}

void CalibrationArchive::append(const JournalEntry& entry) const {
  const fs::path path = folder_ / "journal";
  or_refuse([&] {
    const GrowingFile file(path);
    CalibrationJournal journal(file.read(), path.string());
    const std::size_t whole = journal.whole_bytes();
    file.append(whole, journal.append(entry));
  });
}

}  // namespace datum
