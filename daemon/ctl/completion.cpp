#include "daemon/ctl/completion.h"

#include <CLI/CLI.hpp>
#include <algorithm>
#include <cstdlib>
#include <filesystem>

#include "daemon/ctl/dialogue.h"

namespace datum {
namespace {

bool begins(const std::string& text, const std::string& with) {
  return text.compare(0, with.size(), with) == 0;
}

bool takes_value(const CLI::Option& option) {
  return option.get_expected_max() > 0 && option.get_items_expected_max() > 0;
}

CLI::Option* option_of(const CLI::App& command, const std::string& word) {
  for (CLI::Option* option : const_cast<CLI::App&>(command).get_options())
    if (option->check_name(word)) return option;
  return nullptr;
}

const CLI::App* subcommand_of(const CLI::App& command, const std::string& word) {
  for (const CLI::App* inner : command.get_subcommands({}))
    if (inner->get_name() == word) return inner;
  return nullptr;
}

/// "TEXT:{FAIL,PASS}" as CLI::IsMember writes it.
std::vector<std::string> members_of(const CLI::Option& option) {
  std::vector<std::string> words;
  const std::string type = option.get_type_name();
  const auto from = type.find('{'), to = type.find('}');
  if (from == std::string::npos || to == std::string::npos) return words;
  for (std::size_t at = from + 1; at <= to;) {
    const auto end = std::min(type.find(',', at), to);
    words.push_back(type.substr(at, end - at));
    at = end + 1;
  }
  return words;
}

/// Position in the command tree that a line leads to.
struct Place {
  const CLI::App* command = nullptr;
  const CLI::Option* value_of = nullptr;  // the last word is this option's value
  std::size_t positionals = 0;            // number of positional arguments before it
  LinkOptions link;
};

void keep_link(const std::string& option, const std::string& value, LinkOptions& link) {
  if (option == "--tcp") link.tcp = value;
  if (option == "--serial") link.serial = value;
  if (option == "--baud") link.baud = std::atoi(value.c_str());
}

Place place_of(const CommandLine& line, const std::vector<std::string>& words) {
  Place place;
  place.command = &line.app;
  for (std::size_t i = 1; i + 1 < words.size(); ++i) {
    if (place.value_of) {
      keep_link(place.value_of->get_name(), words[i], place.link);
      place.value_of = nullptr;
    } else if (const CLI::Option* option =
                   words[i][0] == '-' ? option_of(*place.command, words[i]) : nullptr) {
      if (takes_value(*option)) place.value_of = option;
    } else if (const CLI::App* inner = subcommand_of(*place.command, words[i])) {
      place.command = inner;
    } else if (!words[i].empty() && words[i][0] != '-') {
      ++place.positionals;
    }
  }
  return place;
}

const CLI::Option* positional(const CLI::App& command, std::size_t number) {
  for (const CLI::Option* option :
       command.get_options([](const CLI::Option* o) { return o->get_positional(); })) {
    if (number == 0 || option->get_items_expected_max() > 1) return option;
    --number;
  }
  return nullptr;
}

void add_values(const CommandLine& line, const CLI::Option& option, const Place& place, const LiveWords& live,
                Completion& found) {
  for (auto& word : members_of(option)) found.words.push_back(std::move(word));
  const Offer* offer = line.offered(&option);
  if (!offer) return;
  if (*offer == Offer::files) {
    found.files = true;
  } else {
    for (auto& word : live(*offer, place.link)) found.words.push_back(std::move(word));
  }
}

void add_names(const CLI::App& command, const std::string& typed, Completion& found) {
  if (!begins(typed, "-")) {
    for (const CLI::App* inner : command.get_subcommands({}))
      if (!inner->get_group().empty()) found.words.push_back(inner->get_name());
    return;
  }
  for (const CLI::Option* option : command.get_options())
    for (const auto& name : option->get_lnames()) found.words.push_back("--" + name);
}

}  // namespace

std::vector<std::string> shell_words(const std::string& typed) {
  std::vector<std::string> words(1);
  char quote = 0;
  bool begun = false;  // a word has begun, possibly by an empty quote
  for (std::size_t i = 0; i < typed.size(); ++i) {
    const char c = typed[i];
    if (c == '\\' && quote != '\'' && i + 1 < typed.size()) {
      words.back() += typed[++i];
      begun = true;
    } else if (quote ? c == quote : c == '"' || c == '\'') {
      quote = quote ? 0 : c;
      begun = true;
    } else if (!quote && (c == ' ' || c == '\t' || c == '\n')) {
      if (begun) words.emplace_back();
      begun = false;
    } else {
      words.back() += c;
      begun = true;
    }
  }
  return words;
}

Completion complete(const CommandLine& line, const std::string& typed, const LiveWords& live) {
  const auto words = shell_words(typed);
  const Place place = place_of(line, words);
  Completion found;
  if (place.value_of) {
    add_values(line, *place.value_of, place, live, found);
  } else {
    add_names(*place.command, words.back(), found);
    if (!begins(words.back(), "-"))
      if (const auto* option = positional(*place.command, place.positionals))
        add_values(line, *option, place, live, found);
  }
  auto& all = found.words;
  all.erase(std::remove_if(all.begin(), all.end(), [&](const auto& w) { return !begins(w, words.back()); }),
            all.end());
  std::sort(all.begin(), all.end());
  all.erase(std::unique(all.begin(), all.end()), all.end());
  return found;
}

std::vector<std::string> live_text(Offer what, const LinkOptions& link) {
  std::vector<std::string> words;
  if (what == Offer::serial_lines) {
    std::error_code none;
    for (const auto& entry : std::filesystem::directory_iterator("/dev/serial/by-id", none))
      words.push_back(entry.path().string());
    return words;
  }
  constexpr int timeout_ms = 1000;
  LinkOptions quick = link;
  quick.time_out_ms = timeout_ms;
  try {
    auto host = connect(quick);
    if (what == Offer::recipes) return ask(host, "CONFigure:RECipe:CATalog?");
    std::string list = ask_block(host, "SYSTem:HELP:HEADers?");
    for (std::size_t from = 0, to = 0; (to = list.find('\n', from)) != std::string::npos; from = to + 1) {
      const std::string header = list.substr(from, list.find_first_of("/\n", from) - from);
      words.push_back(header.substr(header[0] == ':'));
    }
  } catch (const std::exception&) {  // no daemon: no completions
  }
  return words;
}

std::string completion_script(const std::string& shell) {
  if (shell == "bash")
    return R"sh(# bash completion of datumctl, made by `datumctl completion bash`
_datumctl() {
  local found line=${COMP_LINE:0:COMP_POINT} word=${COMP_WORDS[COMP_CWORD]}
  mapfile -t found < <("${COMP_WORDS[0]}" completion words "$line" 2>/dev/null)
  COMPREPLY=()
  local last=${line##*[[:space:]]} one
  # bash parts words at ':' and '=', which addresses and headers hold: what stands before is there already.
  local before=${last%"$word"}
  [[ $word == [:=] ]] && before=$last
  for one in "${found[@]}"; do
    if [[ $one == ':files' ]]; then
      mapfile -t -O "${#COMPREPLY[@]}" COMPREPLY < <(compgen -f -- "$word")
      compopt -o filenames 2>/dev/null
    else
      COMPREPLY+=("$(printf '%q' "${one#"$before"}")")
    fi
  done
}
complete -F _datumctl datumctl
)sh";
  if (shell == "zsh")
    return R"sh(#compdef datumctl
# zsh completion of datumctl, made by `datumctl completion zsh`
_datumctl() {
  local -a found
  found=("${(@f)$(${words[1]} completion words "${(j: :)words[1,CURRENT]}" 2>/dev/null)}")
  [[ -n ${found[(r):files]} ]] && _files
  found=(${found:#:files})
  (( ${#found} )) && compadd -- $found
}
if [[ ${funcstack[1]} == _datumctl ]]; then _datumctl "$@"; else compdef _datumctl datumctl; fi
)sh";
  return R"sh(# fish completion of datumctl, made by `datumctl completion fish`
function __datumctl_complete
  for word in (datumctl completion words (commandline -cp) 2>/dev/null)
    if test $word = ':files'
      __fish_complete_path (commandline -ct)
    else
      echo $word
    end
  end
end
complete -c datumctl -f -a '(__datumctl_complete)'
)sh";
}

}  // namespace datum
