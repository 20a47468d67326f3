// A manual page in the macros of man(7): text in, what man(1) reads out.
#pragma once

#include <string>

namespace datum {

class Roff {
 public:
  /// A part of a page, without its head.
  Roff() = default;
  /// "DATUMCTL", 1, "datumctl 0.1.0", "datumd manual": the page's head and foot. No date: the page is that of its
  /// version, whenever it was made.
  Roff(const std::string& title, int number, const std::string& source, const std::string& manual);

  Roff& section(const std::string& title);     // "OPTIONS"
  Roff& subsection(const std::string& title);  // "datumctl show"
  /// Plain text; a line of its own for each line end.
  Roff& paragraph(const std::string& text);
  /// A tag in bold, `more` behind it as it stands, and what it means, indented.
  Roff& item(const std::string& tag, const std::string& more, const std::string& text);
  /// A further line of the item before.
  Roff& more(const std::string& text);
  /// Lines as they stand, as of a terminal.
  Roff& example(const std::string& lines);

  const std::string& text() const { return text_; }

 private:
  void part();

  std::string text_;
  bool begun_ = true;  // a section, and nothing in it yet
};

/// Plain text as roff input: backslashes, hyphens of options, and what would be a request at a line's beginning.
std::string roff_escaped(const std::string& text);

}  // namespace datum
