// Escaping, and the rules by which no template can do without it.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <filesystem>
#include <fstream>
#include <iterator>

#include "daemon/report/page_template.h"
#include "daemon/report/page_text.h"

namespace datum {
namespace page_text_test {
namespace {

namespace fs = std::filesystem;
using ::testing::HasSubstr;

const fs::path templates = fs::path(DATUM_SOURCE_DIR) / "daemon/report/templates";

std::string slurp(const fs::path& file) {
  std::ifstream in(file, std::ios::binary);
  return {std::istreambuf_iterator<char>(in), {}};
}

}  // namespace

TEST(PageText, MarkupBecomesReferences) {
  EXPECT_EQ(escaped("<b a='1' c=\"2\">&"), "&lt;b a=&#39;1&#39; c=&quot;2&quot;&gt;&amp;");
  EXPECT_EQ(escaped("{{x}} {{{y}}}"), "{{x}} {{{y}}}");  // never read as a template again
}

TEST(PageText, WhatXmlRefusesBecomesAReplacementCharacter) {
  const std::string r = "\xEF\xBF\xBD";
  EXPECT_EQ(escaped(std::string("a\0b\x1b[2J\x7f", 8)), "a" + r + "b" + r + "[2J" + r);
  EXPECT_EQ(escaped("\t\n\r"), "\t\n\r");
  EXPECT_EQ(escaped("\xC3\xA9\xE2\x82\xAC\xF0\x9F\x98\x80"), "\xC3\xA9\xE2\x82\xAC\xF0\x9F\x98\x80");
  EXPECT_EQ(escaped("\xC0\xAF"), r + r);  // an overlong slash
  EXPECT_EQ(escaped("\xED\xA0\x80"), r);  // half of a surrogate pair
  EXPECT_EQ(escaped("\xEF\xBF\xBE|\xEF\xBF\xBF"), r + "|" + r);
  EXPECT_EQ(escaped("\xE2\x82"), r + r);                  // cut
  EXPECT_EQ(escaped("\xF4\x90\x80\x80"), r + r + r + r);  // beyond U+10FFFF
  EXPECT_EQ(escaped("SN\xE2\x80\xAE"
                    "123"),
            "SN" + r + "123");  // would be read backwards
}

TEST(PageText, PartsOfAUrlAreEncodedByByte) {
  EXPECT_EQ(url_part("a b&c=\"<>/..%\xC3\xA9"), "a%20b%26c%3D%22%3C%3E%2F..%25%C3%A9");
}

TEST(PageText, NumbersKeepTheDigitsOfTheirUncertainty) {
  EXPECT_EQ(rounded_by(1203.45678, 0.123), "1203.46");
  EXPECT_EQ(rounded_by(1203.45678, 12.3), "1203");
  EXPECT_EQ(rounded_by(0.000123456, 0), "0.000123456");
  EXPECT_EQ(rounded_by(std::nullopt, 1), "-");
  EXPECT_EQ(rounded_by(std::nan(""), 1), "-");
  EXPECT_EQ(all_digits(0.1 + 0.2), "0.30000000000000004");
  EXPECT_EQ(all_digits(std::nan("")), "-");
  EXPECT_EQ(percent_of(0, 0), "-");
  EXPECT_EQ(percent_of(1, 3), "33.3 %");
}

TEST(PageTemplates, CanInsertNothingRaw) {
  std::size_t found = 0;
  for (const auto& entry : fs::directory_iterator(templates)) {
    if (entry.path().extension() != ".mustache") continue;
    ++found;
    const std::string text = slurp(entry.path());
    for (const char* raw : {"{{{", "{{&", "{{ &", "{{=", "<script", "javascript:", " style=", " onclick",
                            " onload", " onerror"})
      EXPECT_EQ(text.find(raw), std::string::npos) << entry.path() << ": " << raw;
    // An attribute that holds a tag is quoted.
    for (std::size_t at = text.find("={{"); at != text.npos; at = text.find("={{", at + 1))
      ADD_FAILURE() << entry.path() << ": an attribute without quotes: " << text.substr(at, 30);
  }
  EXPECT_GE(found, 4u);
}

TEST(PageTemplates, TheStyleSurvivesEscaping) {
  EXPECT_EQ(escaped(page_style()), page_style());
  EXPECT_EQ(page_style(), slurp(templates / "style.css"));
  EXPECT_THAT(whole_page({"t", true, 0, "f"}, ""), HasSubstr(page_style()));
}

TEST(PageTemplates, APageOfItsOwnLoadsNothing) {
  const std::string page = whole_page({"</title><b>", true, 0, "a&b"}, "");
  EXPECT_THAT(page, HasSubstr("content=\"default-src 'none'; style-src 'unsafe-inline'; img-src data:\""));
  EXPECT_THAT(page, HasSubstr("<title>&lt;/title&gt;&lt;b&gt;</title>"));
  EXPECT_EQ(page.find("<link"), page.npos);
  EXPECT_EQ(page.find("href="), page.npos);
  EXPECT_EQ(page.find("http-equiv=\"refresh\""), page.npos);
  EXPECT_THAT(whole_page({"t", false, 5, ""}, ""), HasSubstr("http-equiv=\"refresh\" content=\"5\""));
}

TEST(PageTemplates, AnUnknownOneIsNamed) { EXPECT_THROW(render("nothing", {}), std::logic_error); }

}  // namespace page_text_test
}  // namespace datum
