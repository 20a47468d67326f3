// RecipeFiles: what the command protocol asks of the folder of recipes. The daemon implements it; the codec knows no
// more.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>

#include "daemon/instrument/scpi_error.h"

namespace datum {

/// What hosts may fill the folder to: a file more, or bytes more, are refused.
struct RecipeQuota {
  std::size_t files = 200;
  std::uint64_t bytes = 16 << 20;
};

class RecipeFiles {
 public:
  virtual ~RecipeFiles() = default;

  /// The file's text. -256 no such recipe.
  virtual std::string read(const std::string& name) const = 0;
  /// Checks the text as a whole, then puts it durably in the place of the recipe of this name, or beside the others.
  /// After a power cut either the old one or the new one is there. Refused, and nothing changed: -230 the text is not
  /// that of `sha256`; -224 it is no recipe (the first problem with line and column), or one of another name; -221 it
  /// is chosen and the cell is armed; -257 the name can't be a file's; -254 beyond the quota; -258, -254, -250 the folder. A recipe that was
  /// chosen is chosen no longer.
  /// `done` is called when that has ended, at once or later from the loop, and then instrument_changed() on every endpoint:
  /// neither the text's parser nor the disk holds the loop up.
  using WriteDone = std::function<void(const std::optional<scpi::Error>& refused)>;
  virtual void write(const std::string& name, const std::string& text, const std::string& sha256,
                     WriteDone done) = 0;
  /// -256 no such recipe; -221 it is chosen; -258, -250 the folder.
  virtual void remove(const std::string& name) = 0;
};

}  // namespace datum
