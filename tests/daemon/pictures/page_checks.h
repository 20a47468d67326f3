// What tests read of a page: its texts, and the bytes of its file.
#pragma once

#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>

#include "daemon/pictures/page.h"

namespace datum::testing {

inline std::string bytes_of(const std::filesystem::path& file) {
  std::ifstream in(file, std::ios::binary);
  return {std::istreambuf_iterator<char>(in), {}};
}

inline std::string all_text(const Page& page) {
  std::string text;
  for (const Page::Text& t : page.texts()) text += t.text + "\n";
  return text;
}

/// No two texts overlap, and each lies on its page.
inline void expect_readable(const Page& page) {
  const auto& texts = page.texts();
  for (std::size_t i = 0; i < texts.size(); ++i) {
    EXPECT_TRUE(texts[i].box.within(page.box())) << texts[i].text;
    for (std::size_t k = 0; k < i; ++k)
      EXPECT_FALSE(texts[i].box.grown(-0.5).overlaps(texts[k].box.grown(-0.5)))
          << texts[i].text << " | " << texts[k].text;
  }
}

}  // namespace datum::testing
