// The files of an ODB++ job: a folder, or a .tgz, .tar or .zip of one.
#pragma once

#include <filesystem>
#include <map>
#include <string>
#include <string_view>

namespace datum::design {

/// Limits of a job. Real ones have 54 to 289 files and expand five to seven times.
struct OdbLimits {
  std::size_t files = 100'000;
  std::size_t bytes = std::size_t{256} << 20;  // unpacked, of the files that are read
  std::size_t ratio = 200;                     // unpacked over packed, above a mebibyte
};

/// Files by their path below the job's root, in lower case without ".z": "steps/pcb/layers/comp_+_top/components".
using OdbFiles = std::map<std::string, std::string>;

/// Reads what a design needs of it. Throws DesignError: no job, an entry that leaves the archive (absolute, "..", a link), more
/// than the limits, a damaged archive.
OdbFiles load_odb_files(const std::filesystem::path& path, const OdbLimits& limits = {});
/// The same of an archive in memory; `name` is its name in messages.
OdbFiles odb_files_from_bytes(std::string_view bytes, const std::string& name, const OdbLimits& limits = {});

}  // namespace datum::design
