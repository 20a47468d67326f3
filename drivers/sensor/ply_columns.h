// Vertices of a PLY file as columns of numbers, without a grid.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "drivers/sensor/file_bytes.h"

namespace datum {

/// The properties of a vertex with these names, as far as the file has them; all of one length. PLY 1.0: ascii or binary of
/// either byte order, the element vertex first. Throws FrameError naming `name`: a size that does not match, list properties
/// of a vertex.
std::map<std::string, std::vector<double>> read_ply_columns(ByteView file, const std::string& name,
                                                            const std::vector<std::string>& wanted);

}  // namespace datum
