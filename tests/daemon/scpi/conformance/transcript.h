// Transcripts of exchanges between hosts and datumd, in readable form:
//
//   # text for the reader; an empty line is allowed too
//   > *IDN?                a host's message; LF is added
//   >> *ID                 the same without LF
//   < datum,datumd,...     one line of the answer, without its LF
//   ! a board is measured  an event in the cell (cell_event.h)
//
// \n, \r, \t, \\ and \xHH are bytes, \(300x) is 300 times x. Exactly these answers are expected, in this order.
#pragma once

#include <filesystem>
#include <set>
#include <string>
#include <vector>

namespace datum::testing {

struct TranscriptLine {
  enum class Kind { words, sent, sent_without_end, answer, event } kind = Kind::words;
  std::string text;  // of text the whole line, else the escaped text after the mark
};

/// Throws std::runtime_error that names file and line for a line without a mark.
std::vector<TranscriptLine> read_transcript(const std::filesystem::path& file);
std::string to_text(const std::vector<TranscriptLine>& lines);

std::string escaped(const std::string& bytes);
/// Throws std::runtime_error for an unknown escape sequence.
std::string unescaped(const std::string& text);

/// The same exchange with a new cell and its session: text, messages and events as given, answers as received.
std::vector<TranscriptLine> played(const std::vector<TranscriptLine>& lines);

/// Number of messages.
std::size_t exchanges(const std::vector<TranscriptLine>& lines);
/// Error numbers in its answers: `-113,"Undefined header...`.
std::set<int> errors_told(const std::vector<TranscriptLine>& lines);

/// All files of tests/daemon/scpi/conformance, sorted by name.
std::vector<std::filesystem::path> transcripts();

/// Differences line by line: "  same", "- expected", "+ received". Empty: equal.
std::string difference(const std::string& written, const std::string& is);

}  // namespace datum::testing
