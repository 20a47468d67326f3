// Transcripts of hosts and datumd, written to be read:
//
//   # words for the reader; so is an empty line
//   > *IDN?                what a host sends; LF is added
//   >> *ID                 the same without LF
//   < datum,datumd,...     one line of the answer, without its LF
//   ! a board is measured  what happens in the cell (cell_event.h)
//
// \n, \r, \t, \\ and \xHH stand for bytes, \(300x) for 300 times x. What is expected is all that is answered, in this order and nothing more.
#pragma once

#include <filesystem>
#include <set>
#include <string>
#include <vector>

namespace datum::testing {

struct TranscriptLine {
  enum class Kind { words, sent, sent_without_end, answer, event } kind = Kind::words;
  std::string text;  // of words the whole line, of the others what stands behind the mark, still escaped
};

/// Throws std::runtime_error naming file and line where a line has no mark.
std::vector<TranscriptLine> read_transcript(const std::filesystem::path& file);
std::string to_text(const std::vector<TranscriptLine>& lines);

std::string escaped(const std::string& bytes);
/// Throws std::runtime_error for what stands behind a backslash and is none of the above.
std::string unescaped(const std::string& text);

/// The same conversation as a new cell and its session hold it: words, what is sent and what happens as given, answers
/// as they come.
std::vector<TranscriptLine> played(const std::vector<TranscriptLine>& lines);

/// Things sent in it.
std::size_t exchanges(const std::vector<TranscriptLine>& lines);
/// Numbers of the errors that its answers tell: `-113,"Undefined header...`.
std::set<int> errors_told(const std::vector<TranscriptLine>& lines);

/// All files of tests/daemon/scpi/conformance, sorted by name.
std::vector<std::filesystem::path> transcripts();

/// What differs, line by line: "  same", "- as written", "+ as it is". Empty where nothing does.
std::string difference(const std::string& written, const std::string& is);

}  // namespace datum::testing
