// Texts of an ODB++ job: lines of words, structures in braces, outlines, symbols.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "daemon/design/design.h"

namespace datum::design::odb {

/// One line: its words before the first ';', and the attributes behind it ("0=1,1=0.0630" as a map; a bare key has no value).
struct Line {
  int number = 0;
  std::vector<std::string_view> words;
  std::map<std::string, std::string> attributes;
};

/// A file of lines; borrows its text.
class Lines {
 public:
  Lines(std::string_view text, std::string name) : text_(text), name_(std::move(name)) {}
  /// The next line with words; none: the end. Lines of comments ('#') are skipped.
  std::optional<Line> next();
  [[noreturn]] void refuse(const Line& line, const std::string& what) const;
  double number(const Line& line, std::size_t word) const;
  int integer(const Line& line, std::size_t word) const;
  const std::string& name() const { return name_; }

 private:
  std::string_view text_;
  std::string name_;
  int line_ = 0;
};

/// mm of the file's UNITS line, which stands among its first lines; `fallback` where there is none.
double mm_per_unit(std::string_view text, double fallback);

/// STEP { KEY=VALUE ... } of a matrix or stephdr.
struct Structure {
  std::string kind;
  std::map<std::string, std::string> keys;  // upper case
  std::string get(const std::string& key) const;
};
std::vector<Structure> structures_in(std::string_view text);

/// Islands and holes of a contour (OB OS OC OE), or of RC, CR, SQ, CT. False: the line begins no outline.
bool read_outline(Lines& lines, const Line& first, double mm, std::vector<Polygon>& rings);

/// A standard symbol as a box: r, s, rect, oval, di, oct, donut_r ...; `unit_mm` of its numbers (um or mil).
struct Symbol {
  Point size = Point::Zero();
  bool round = false;
};
std::optional<Symbol> symbol_of(std::string_view name, double unit_mm);

}  // namespace datum::design::odb
