// Bad input of a model's file: says where, what, and what to do.
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
