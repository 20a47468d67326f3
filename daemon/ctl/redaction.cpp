#include "daemon/ctl/redaction.h"

#include <arpa/inet.h>

#include <algorithm>
#include <cctype>
#include <cstdint>

namespace datum {
namespace {

constexpr std::size_t shortest_word = 4;
constexpr std::string_view secret_words[] = {"password", "passwd",     "passphrase",  "secret",
                                             "token",    "credential", "private_key", "api_key",
                                             "apikey",   "psk",        "community",   "bearer"};
constexpr std::string_view home = "/home/";

std::string lower(std::string_view text) {
  std::string out(text);
  std::transform(out.begin(), out.end(), out.begin(), [](unsigned char c) { return std::tolower(c); });
  return out;
}

bool in_word(char c) {
  return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '.' || c == ':' || c == '_' || c == '-';
}

/// Loopback, any, broadcast and masks reveal nothing about a plant.
bool says_nothing(std::uint32_t host) {
  const std::uint32_t inverse = ~host;
  const bool mask = (inverse & (inverse + 1)) == 0;  // ones, then zeros
  return host >> 24 == 127 || host == 0 || mask;
}

enum class Address { none, harmless, of_a_plant };
Address kind_of_address(const std::string& text) {
  in_addr v4{};
  if (inet_pton(AF_INET, text.c_str(), &v4) == 1)
    return says_nothing(ntohl(v4.s_addr)) ? Address::harmless : Address::of_a_plant;
  in6_addr v6{};
  if (std::count(text.begin(), text.end(), ':') < 2 || inet_pton(AF_INET6, text.c_str(), &v6) != 1)
    return Address::none;
  return IN6_IS_ADDR_LOOPBACK(&v6) || IN6_IS_ADDR_UNSPECIFIED(&v6) ? Address::harmless : Address::of_a_plant;
}

/// Six pairs of hexadecimal digits with colons.
bool is_mac(std::string_view text) {
  if (text.size() != 17) return false;
  for (std::size_t i = 0; i < text.size(); ++i)
    if (i % 3 == 2 ? text[i] != ':' : std::isxdigit(static_cast<unsigned char>(text[i])) == 0) return false;
  return true;
}

/// The name before '=' or ':' of an assignment, without quotes; empty: no assignment.
std::string_view key_of(std::string_view line, std::size_t& value) {
  const std::size_t at = line.find_first_of("=:");
  if (at == line.npos) return {};
  value = at + 1;
  std::string_view key = line.substr(0, at);
  const auto dull = [](char c) { return c == ' ' || c == '\t' || c == '"' || c == '#' || c == '\''; };
  while (!key.empty() && dull(key.front())) key.remove_prefix(1);
  while (!key.empty() && dull(key.back())) key.remove_suffix(1);
  return key.find(' ') == key.npos ? key : std::string_view();
}

bool is_digit(char c) { return std::isdigit(static_cast<unsigned char>(c)) != 0; }
bool is_letter(char c) { return std::isalpha(static_cast<unsigned char>(c)) != 0; }

/// True: the word at `at` is not part of a longer one.
bool stands_alone(std::string_view text, std::size_t at, std::size_t size) {
  const std::string_view word = text.substr(at, size);
  const bool letters = std::all_of(word.begin(), word.end(), is_letter);
  const auto joined = [&](char inner, char outer) {
    return (is_digit(inner) && is_digit(outer)) || (letters && is_letter(outer));
  };
  std::size_t before = at;
  if (is_digit(word.front()))
    while (before > 0 && text[before - 1] == '0') --before;
  if (before > 0 && joined(word.front(), text[before - 1])) return false;
  return at + size == text.size() || !joined(word.back(), text[at + size]);
}

}  // namespace

Redaction::Redaction(std::string computer) : computer_(std::move(computer)) {
  if (computer_ != "localhost") hide("computer", computer_);
}

bool Redaction::is_secret(std::string_view key) {
  const std::string name = lower(key);
  return std::any_of(std::begin(secret_words), std::end(secret_words),
                     [&](std::string_view word) { return name.find(word) != name.npos; });
}

void Redaction::hide(const std::string& kind, const std::string& word) {
  if (word.size() >= shortest_word) hidden_.emplace(word, kind);
}

void Redaction::hide_inside(const std::string& kind, const std::string& word) {
  if (word.size() < shortest_word) return;
  Hidden hidden{lower(word), word, kind};
  std::vector<Hidden>& alike = inside_[hidden.word.substr(0, shortest_word)];
  const auto same = [&](const Hidden& h) { return h.word == hidden.word; };
  if (std::any_of(alike.begin(), alike.end(), same)) return;
  const auto longer = [&](const Hidden& h) { return h.word.size() > hidden.word.size(); };
  alike.insert(std::partition_point(alike.begin(), alike.end(), longer), std::move(hidden));
}

const Redaction::Hidden* Redaction::hidden_at(std::string_view text, std::size_t at) const {
  const auto alike = inside_.find(std::string(text.substr(at, shortest_word)));
  if (alike == inside_.end()) return nullptr;
  for (const Hidden& h : alike->second)
    if (text.substr(at, h.word.size()) == h.word && stands_alone(text, at, h.word.size())) return &h;
  return nullptr;
}

std::string Redaction::without_hidden(std::string_view text) {
  if (inside_.empty()) return std::string(text);
  const std::string small = lower(text);
  std::string out;
  for (std::size_t i = 0; i < text.size();) {
    const Hidden* hidden = hidden_at(small, i);
    out += hidden ? stand_in(hidden->kind, hidden->shown) : std::string(1, text[i]);
    i += hidden ? hidden->word.size() : 1;
  }
  return out;
}

std::string Redaction::stand_in(const std::string& kind, const std::string& word) {
  ++counts_[kind];
  const auto [found, is_new] = stand_ins_.try_emplace(kind + " " + word);
  if (is_new) found->second = kind + "-" + std::to_string(++numbers_[kind]);
  return found->second;
}

/// A port may follow an address, and punctuation a word.
std::string Redaction::word(std::string_view token) {
  if (token.empty()) return {};
  if (const auto found = hidden_.find(token); found != hidden_.end())
    return stand_in(found->second, found->first);
  if (is_mac(token)) return stand_in("mac", lower(token));
  const std::string text(token);
  const Address kind = kind_of_address(text);
  if (kind == Address::of_a_plant) return stand_in("address", text);
  if (kind == Address::harmless) return text;
  if (token.back() == '.' || token.back() == ':')
    return word(token.substr(0, token.size() - 1)) + token.back();
  const std::size_t colon = token.rfind(':');
  if (colon != token.npos && std::count(token.begin(), token.end(), ':') == 1)
    return word(token.substr(0, colon)) + ":" + word(token.substr(colon + 1));
  return text;
}

std::string Redaction::line(std::string_view whole) {
  const std::string cleared = without_hidden(whole);
  const std::string_view text = cleared;
  std::size_t value = 0;
  if (const std::string_view key = key_of(text, value); is_secret(key)) {
    ++counts_["secret"];
    return std::string(text.substr(0, value)) + " (left out)";
  }
  std::string out;
  for (std::size_t i = 0; i < text.size();) {
    if (text.substr(i, home.size()) == home) {
      const std::size_t from = i + home.size();
      std::size_t to = from;
      while (to < text.size() && in_word(text[to]) && text[to] != ':') ++to;
      out += home;
      if (to > from) out += stand_in("user", std::string(text.substr(from, to - from)));
      i = to;
      continue;
    }
    std::size_t to = i;
    while (to < text.size() && in_word(text[to])) ++to;
    out += word(text.substr(i, to - i));
    if (to < text.size()) out += text[to++];
    // A path is tested from each of its slashes.
    if (to > i && to - 1 < text.size() && text[to - 1] == '/' && text.substr(to - 1, home.size()) == home) {
      out.pop_back();
      --to;
    }
    i = to;
  }
  return out;
}

std::string Redaction::clean(std::string_view text) {
  std::string out;
  out.reserve(text.size());
  while (!text.empty()) {
    const std::size_t end = text.find('\n');
    out += line(text.substr(0, end));
    if (end == text.npos) break;
    out += '\n';
    text.remove_prefix(end + 1);
  }
  return out;
}

}  // namespace datum
