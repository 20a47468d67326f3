// The text with which a call refuses.
#pragma once

#include <string>

namespace datum::testing {

/// "(accepted)" where `call` throws nothing; any other error passes through.
template <class Error>
std::string refusal_of(const auto& call) {
  try {
    call();
  } catch (const Error& refused) {
    return refused.what();
  }
  return "(accepted)";
}

}  // namespace datum::testing
