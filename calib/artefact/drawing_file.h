// The drawing of an angled-slot artefact as a TOML file: config/artefacts/*.toml.
#pragma once

#include <filesystem>

#include "calib/artefact/drawing.h"

namespace datum {

/// Throws config::ConfigError: unknown or missing key, a number out of range, an area that is empty, outside
/// the plate, off its face, or that overlaps another face's.
ArtefactDrawing load_artefact_drawing(const std::filesystem::path& file);

}  // namespace datum
