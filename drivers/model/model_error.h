// Bad input of a model's file: says where, what, and what to do.
#pragma once

#include <stdexcept>
#include <string>

namespace datum {

class ModelError : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

}  // namespace datum
