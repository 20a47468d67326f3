#include "daemon/text/roff.h"

#include <fmt/format.h>

namespace datum {
namespace {

std::string argument(const std::string& text) {
  std::string quoted;
  for (const char c : roff_escaped(text)) quoted += c == '"' ? "\\(dq" : std::string(1, c);
  return '"' + quoted + '"';
}

std::string lines_of(const std::string& text) {
  std::string out = roff_escaped(text);
  if (out.empty() || out.back() != '\n') out += '\n';
  return out;
}

}  // namespace

std::string roff_escaped(const std::string& text) {
  std::string out;
  bool at_start = true;
  for (const char c : text) {
    if (at_start && (c == '.' || c == '\'')) out += "\\&";
    if (c == '\\') {
      out += "\\e";
    } else if (c == '-') {
      out += "\\-";
    } else if (c == '\'') {
      out += "\\(aq";
    } else if (c == '`') {
      out += "\\(ga";
    } else if (c == '^') {
      out += "\\(ha";
    } else if (c == '~') {
      out += "\\(ti";
    } else {
      out += c;
    }
    at_start = c == '\n';
  }
  return out;
}

Roff::Roff(const std::string& title, int number, const std::string& source, const std::string& manual) {
  text_ = fmt::format(".TH {} {} \"\" {} {}\n.nh\n.ad l\n", argument(title), number, argument(source),
                      argument(manual));
}

Roff& Roff::section(const std::string& title) {
  text_ += ".SH " + argument(title) + "\n";
  begun_ = true;
  return *this;
}

Roff& Roff::subsection(const std::string& title) {
  text_ += ".SS " + argument(title) + "\n";
  begun_ = true;
  return *this;
}

/// Begins a paragraph; a title needs no break after it.
void Roff::part() {
  if (!begun_) text_ += ".PP\n";
  begun_ = false;
}

Roff& Roff::paragraph(const std::string& text) {
  part();
  for (std::size_t from = 0, to = 0; from < text.size(); from = to + 1) {
    to = std::min(text.find('\n', from), text.size());
    text_ += (from ? ".br\n" : "") + lines_of(text.substr(from, to - from));
  }
  return *this;
}

Roff& Roff::item(const std::string& tag, const std::string& more, const std::string& text) {
  begun_ = false;
  text_ += ".TP\n\\fB" + roff_escaped(tag) + "\\fR" + (more.empty() ? "" : " " + roff_escaped(more)) + "\n" +
           lines_of(text);
  return *this;
}

Roff& Roff::more(const std::string& text) {
  text_ += ".br\n" + lines_of(text);
  return *this;
}

Roff& Roff::example(const std::string& lines) {
  part();
  text_ += ".RS 4\n.nf\n" + lines_of(lines) + ".fi\n.RE\n";
  return *this;
}

}  // namespace datum
