#include "tests/daemon/scpi/conformance/transcript.h"

#include <fmt/format.h>

#include <algorithm>
#include <fstream>
#include <regex>
#include <sstream>
#include <stdexcept>

#include "tests/daemon/scpi/conformance/cell_event.h"
#include "tests/daemon/scpi/scpi_host.h"

namespace datum::testing {
namespace {

using Kind = TranscriptLine::Kind;

struct Mark {
  Kind kind;
  const char* text;
};
constexpr Mark marks[] = {
    {Kind::sent_without_end, ">> "}, {Kind::sent, "> "}, {Kind::answer, "< "}, {Kind::event, "! "}};

std::vector<std::string> lines_of(const std::string& text) {
  std::vector<std::string> lines;
  std::istringstream in(text);
  for (std::string line; std::getline(in, line);) lines.push_back(line);
  return lines;
}

TranscriptLine line_of(const std::string& text) {
  for (const Mark& mark : marks)
    if (text.rfind(mark.text, 0) == 0) return {mark.kind, text.substr(std::string(mark.text).size())};
  if (text.empty() || text[0] == '#') return {Kind::words, text};
  throw std::runtime_error("'" + text + "' begins with no mark; # > >> < !");
}

}  // namespace

std::vector<TranscriptLine> read_transcript(const std::filesystem::path& file) {
  std::ifstream in(file, std::ios::binary);
  if (!in) throw std::runtime_error(file.string() + " can't be read");
  std::vector<TranscriptLine> out;
  for (std::string line; std::getline(in, line);) {
    try {
      out.push_back(line_of(line));
    } catch (const std::runtime_error& wrong) {
      throw std::runtime_error(fmt::format("{}:{}: {}", file.string(), out.size() + 1, wrong.what()));
    }
  }
  return out;
}

std::string to_text(const std::vector<TranscriptLine>& lines) {
  std::string out;
  for (const TranscriptLine& line : lines) {
    const auto* mark =
        std::find_if(std::begin(marks), std::end(marks), [&](const Mark& m) { return m.kind == line.kind; });
    out += (mark == std::end(marks) ? "" : mark->text) + line.text + "\n";
  }
  return out;
}

std::string escaped(const std::string& bytes) {
  std::string out;
  for (const char c : bytes) {
    const auto byte = static_cast<unsigned char>(c);
    if (c == '\\')
      out += "\\\\";
    else if (c == '\n')
      out += "\\n";
    else if (byte < 32 || byte > 126)
      out += fmt::format("\\x{:02X}", byte);
    else
      out += c;
  }
  return out;
}

std::string unescaped(const std::string& text) {
  std::string out;
  for (std::size_t i = 0; i < text.size(); ++i) {
    if (text[i] != '\\') {
      out += text[i];
      continue;
    }
    const char c = ++i < text.size() ? text[i] : ' ';
    if (c == 'n' || c == 'r' || c == 't' || c == '\\') {
      out += c == 'n' ? '\n' : c == 'r' ? '\r' : c == 't' ? '\t' : '\\';
    } else if (c == 'x' && i + 2 < text.size()) {
      out += static_cast<char>(std::stoi(text.substr(i + 1, 2), nullptr, 16));
      i += 2;
    } else if (const auto end = text.find(')', i); c == '(' && end != std::string::npos && end > i + 2) {
      out += std::string(std::stoul(text.substr(i + 1, end - i - 2)), text[end - 1]);
      i = end;
    } else {
      throw std::runtime_error("'" + text + "': no escape behind a backslash; see transcript.h");
    }
  }
  return out;
}

std::vector<TranscriptLine> played(const std::vector<TranscriptLine>& lines) {
  ScpiHost host;
  std::vector<TranscriptLine> out;
  for (const TranscriptLine& line : lines) {
    if (line.kind == Kind::answer) continue;
    out.push_back(line);
    if (line.kind == Kind::words) continue;
    if (line.kind == Kind::event)
      happen(host, line.text);
    else
      host.session.receive(unescaped(line.text) + (line.kind == Kind::sent ? "\n" : ""));
    for (std::string answer : host.session.take_answers()) {
      answer.pop_back();  // its LF
      out.push_back({Kind::answer, escaped(answer)});
    }
  }
  return out;
}

std::size_t exchanges(const std::vector<TranscriptLine>& lines) {
  return static_cast<std::size_t>(
      std::count_if(lines.begin(), lines.end(), [](const auto& l) { return l.kind == Kind::sent; }));
}

std::set<int> errors_told(const std::vector<TranscriptLine>& lines) {
  static const std::regex error("(^|[;,])(-[1-9][0-9]{2}),\"");
  std::set<int> numbers;
  for (const TranscriptLine& line : lines)
    if (line.kind == Kind::answer)
      for (std::sregex_iterator i(line.text.begin(), line.text.end(), error), end; i != end; ++i)
        numbers.insert(std::stoi((*i)[2]));
  return numbers;
}

std::vector<std::filesystem::path> transcripts() {
  std::vector<std::filesystem::path> files;
  for (const auto& entry :
       std::filesystem::directory_iterator(DATUM_SOURCE_DIR "/tests/daemon/scpi/conformance"))
    if (entry.path().extension() == ".txt") files.push_back(entry.path());
  std::sort(files.begin(), files.end());
  return files;
}

std::string difference(const std::string& written, const std::string& is) {
  if (written == is) return "";
  const auto a = lines_of(written), b = lines_of(is);
  // Longest common subsequence, from the end.
  std::vector<std::vector<std::size_t>> common(a.size() + 1, std::vector<std::size_t>(b.size() + 1));
  for (std::size_t i = a.size(); i-- > 0;)
    for (std::size_t j = b.size(); j-- > 0;)
      common[i][j] = a[i] == b[j] ? common[i + 1][j + 1] + 1 : std::max(common[i + 1][j], common[i][j + 1]);
  std::string out;
  std::size_t i = 0, j = 0;
  while (i < a.size() || j < b.size()) {
    if (i < a.size() && j < b.size() && a[i] == b[j]) {
      if (a[i].rfind("> ", 0) == 0 || a[i].rfind("! ", 0) == 0) out += "  " + a[i] + "\n";
      ++i, ++j;
    } else if (i < a.size() && (j == b.size() || common[i + 1][j] >= common[i][j + 1])) {
      out += "- " + a[i++] + "\n";
    } else {
      out += "+ " + b[j++] + "\n";
    }
  }
  return out;
}

}  // namespace datum::testing
