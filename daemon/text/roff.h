// A manual page in the macros of man(7).
#pragma once

#include <string>

namespace datum {

class Roff {
 public:
  /// A part of a page, without its head.
  Roff() = default;
  /// "DATUMCTL", 1, "datumctl 0.1.0", "datumd manual": head and foot of the page. It has no date, so that equal versions
  /// give equal pages.
  Roff(const std::string& title, int number, const std::string& source, const std::string& manual);

  Roff& section(const std::string& title);     // "OPTIONS"
  Roff& subsection(const std::string& title);  // "datumctl show"
  /// Plain text; each line end begins a line.
  Roff& paragraph(const std::string& text);
  /// An item: a bold tag, `more` unchanged, and its indented text.
  Roff& item(const std::string& tag, const std::string& more, const std::string& text);
  /// A further line of the last item.
  Roff& more(const std::string& text);
  /// Lines unchanged, as of a terminal.
  Roff& example(const std::string& lines);

  const std::string& text() const { return text_; }

 private:
  void part();

  std::string text_;
  bool begun_ = true;  // a section without content so far
};

/// Plain text as roff input: escapes backslashes, hyphens of options, and requests at the beginning of a line.
std::string roff_escaped(const std::string& text);

}  // namespace datum
