// A refusal with its exact message.
#pragma once

#include <gtest/gtest.h>

#include <string>

#include "drivers/frame/frame_error.h"

namespace datum::testing {

template <class Call>
void expect_refusal(Call&& call, const std::string& message) {
  try {
    call();
    ADD_FAILURE() << "not refused; expected: " << message;
  } catch (const FrameError& e) {
    EXPECT_EQ(std::string(e.what()), message);
  }
}

}  // namespace datum::testing
