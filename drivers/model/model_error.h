// Error of a model file's input: place, fault and remedy.
#pragma once

#include <stdexcept>
#include <string>

#include "drivers/frame/bounded_text.h"

namespace datum {

class ModelError : public std::runtime_error {
 public:
  explicit ModelError(const std::string& what) : std::runtime_error(bounded_text(what)) {}
};

}  // namespace datum
