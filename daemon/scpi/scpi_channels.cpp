#include "daemon/scpi/scpi_channels.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>

#include "daemon/instrument/scpi_error.h"
#include "daemon/scpi/scpi_characters.h"

namespace datum::scpi {
namespace {

bool is_list_space(char c) { return static_cast<unsigned char>(c) <= ' '; }

class ListReader {
 public:
  explicit ListReader(std::string_view text) : rest_(text) {}

  std::vector<ChannelRange> list() {
    std::vector<ChannelRange> out;
    if (!take('@')) refuse("a channel list begins with (@");
    do {
      ChannelRange range;
      range.first = range.last = channel();
      if (take(':')) range.last = channel();
      out.push_back(std::move(range));
    } while (take(','));
    if (!rest_.empty()) refuse(fmt::format("'{}' in a channel list", rest_.substr(0, 20)));
    return out;
  }

 private:
  [[noreturn]] static void refuse(const std::string& what) { throw Error(invalid_expression, what); }
  void skip_blanks() {
    while (!rest_.empty() && is_list_space(rest_.front())) rest_.remove_prefix(1);
  }
  bool take(char c) {
    skip_blanks();
    if (rest_.empty() || rest_.front() != c) return false;
    rest_.remove_prefix(1);
    skip_blanks();
    return true;
  }
  Channel channel() {
    skip_blanks();
    if (rest_.empty()) refuse("a channel list ends too early");
    if (rest_.front() == '"' || rest_.front() == '\'') return {0, quoted()};
    const auto end = std::find_if_not(rest_.begin(), rest_.end(), is_of_word);
    const std::string word(rest_.begin(), end);
    if (word.empty()) refuse(fmt::format("'{}' where a channel must begin", rest_.substr(0, 20)));
    rest_.remove_prefix(word.size());
    skip_blanks();
    return is_digit(word.front()) ? Channel{number(word), ""} : Channel{0, word};
  }
  static std::uint64_t number(const std::string& word) {
    std::uint64_t n = 0;
    const auto [end, error] = std::from_chars(word.data(), word.data() + word.size(), n);
    if (error != std::errc() || end != word.data() + word.size())
      refuse(fmt::format("'{}' is neither a number nor a name; a name like this stands in quotes", word));
    return n;
  }
  std::string quoted() {
    const char quote = rest_.front();
    std::string name;
    for (std::size_t i = 1; i < rest_.size(); ++i) {
      if (rest_[i] != quote) {
        name += rest_[i];
      } else if (i + 1 < rest_.size() && rest_[i + 1] == quote) {
        name += rest_[++i];
      } else {
        rest_.remove_prefix(i + 1);
        skip_blanks();
        if (name.empty()) refuse("an empty name in a channel list");
        return name;
      }
    }
    refuse("a quote that is not closed in a channel list");
  }

  std::string_view rest_;
};

std::size_t index_of(const Channel& channel, const std::vector<std::string>& names) {
  if (channel.name.empty()) {
    if (channel.number >= 1 && channel.number <= names.size())
      return static_cast<std::size_t>(channel.number) - 1;
    throw Error(data_out_of_range, fmt::format("component {}; 1 to {}", channel.number, names.size()));
  }
  const auto at = std::find(names.begin(), names.end(), channel.name);
  if (at == names.end())
    throw Error(illegal_parameter_value, fmt::format("no component '{}'", channel.name.substr(0, 64)));
  return static_cast<std::size_t>(at - names.begin());
}

}  // namespace

std::vector<ChannelRange> read_channels(std::string_view text) { return ListReader(text).list(); }

std::vector<std::size_t> resolve(const std::vector<ChannelRange>& list,
                                 const std::vector<std::string>& names) {
  std::vector<std::size_t> out;
  for (const ChannelRange& range : list) {
    const std::size_t first = index_of(range.first, names), last = index_of(range.last, names);
    const std::size_t count = (first < last ? last - first : first - last) + 1;
    if (out.size() + count > most_channels)
      throw Error(too_much_data, fmt::format("at most {} components in a list", most_channels));
    for (std::size_t i = 0; i < count; ++i) out.push_back(first < last ? first + i : first - i);
  }
  return out;
}

}  // namespace datum::scpi
