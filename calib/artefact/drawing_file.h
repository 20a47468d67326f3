// The drawing of an angled-slot artefact as a TOML file: config/artefacts/*.toml.
#pragma once

#include <filesystem>

#include "calib/artefact/drawing.h"

namespace datum {

/// Throws config::ConfigError for an unknown or missing key, a number out of range, or an area that is empty,
/// outside the plate, off its face, or overlaps another face's area.
ArtefactDrawing load_artefact_drawing(const std::filesystem::path& file);

}  // namespace datum
