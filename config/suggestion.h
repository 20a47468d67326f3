// "Did you mean": the known word that is most similar to a misspelt one.
#pragma once

#include <functional>
#include <set>
#include <string>
#include <string_view>

namespace datum::config {

using Words = std::set<std::string, std::less<>>;

/// The most similar known word, letter case apart: at most a third of its letters inserted, deleted, replaced or exchanged
/// with their neighbour (Damerau 1964, optimal string alignment). A word without its last part ("body" for "body_mm") is
/// similar too. Empty: none is, or several are equally.
std::string nearest(std::string_view word, const Words& known);

/// " (did you mean 'X'?)", or nothing.
std::string did_you_mean(std::string_view word, const Words& known);

/// "one of: a, b", or `none`.
std::string one_of(const Words& known, const std::string& none);

}  // namespace datum::config
