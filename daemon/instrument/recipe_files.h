// RecipeFiles: the interface of the command protocol to the folder of recipes. The daemon implements it.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>

#include "daemon/instrument/scpi_error.h"

namespace datum {

/// Limits of the folder for uploads; files or bytes beyond are refused.
struct RecipeQuota {
  std::size_t files = 200;
  std::uint64_t bytes = 16 << 20;
};

class RecipeFiles {
 public:
  virtual ~RecipeFiles() = default;

  /// Returns the text of the file. -256 no such recipe.
  virtual std::string read(const std::string& name) const = 0;
  /// Checks the text completely, then replaces or adds the recipe durably; after a power cut the old or the new file
  /// exists. A refusal changes nothing: -230 the text does not match `sha256`; -224 no valid recipe (first problem with
  /// line and column) or another name; -221 it is chosen and the cell is armed; -257 invalid file name; -254 quota; -258,
  /// -254, -250 errors of the folder. A chosen recipe is deselected. `done` is called at the end, at once or later from
  /// the loop; instrument_changed() follows on every endpoint. Neither the parser nor the disk blocks the loop.
  using WriteDone = std::function<void(const std::optional<scpi::Error>& refused)>;
  virtual void write(const std::string& name, const std::string& text, const std::string& sha256,
                     WriteDone done) = 0;
  /// -256 no such recipe; -221 it is chosen; -258, -250 errors of the folder.
  virtual void remove(const std::string& name) = 0;
};

}  // namespace datum
