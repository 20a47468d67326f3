// Touches of a machine's probe as a file: CSV with a head line, one touch a line.
#pragma once

#include <Eigen/Core>
#include <string>
#include <vector>

namespace datum {

struct ListedTouch {
  std::vector<std::string> labels;  // in the order that was asked for
  Eigen::Vector3d tip_mm;           // centre of the tip, as the scales read it
};

/// Columns x_mm, y_mm, z_mm and those of `labels`, each once, in any order; '#' begins a comment. `text` is of `file`. Throws
/// std::invalid_argument with file, line, fault and allowed content.
std::vector<ListedTouch> read_touches(const std::string& text, const std::string& file,
                                      const std::vector<std::string>& labels);

/// The text of a regular file of at most 16 MiB. Throws FrameError.
std::string text_of_file(const std::string& file);

}  // namespace datum
