// Design files of every format.
#pragma once

#include <filesystem>

#include "daemon/design/centroid.h"
#include "daemon/design/design.h"

namespace datum::design {

struct ReadDesign {
  Design design;
  std::string sha256;  // of the file; of a folder: of its files, by path
};

/// The format by the content: a folder or an archive (ODB++), XML (IPC-2581), "(kicad_pcb" (KiCad), else a centroid table.
/// Throws DesignError.
ReadDesign load_design(const std::filesystem::path& path, const CentroidOptions& options = {});

}  // namespace datum::design
