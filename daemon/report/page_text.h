// Text and numbers of a page: escaping for HTML and SVG, and the digits of a stored number.
#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace datum {

/// UTF-8 text for HTML and SVG, as content or in a quoted attribute: & < > " ' as references. What XML 1.0 does not allow, control
/// characters and broken UTF-8, becomes U+FFFD, as do the marks that reverse the direction of text (U+202A to U+202E, U+2066 to
/// U+2069): a serial number that holds one would be shown as another one.
std::string escaped(const std::string& text);

/// A part of a URL's query, percent-encoded by byte (RFC 3986): only letters, digits, - . _ ~ stay.
std::string url_part(std::string_view text);

/// All digits of a number, as the stored JSON has them; "-" for none and for a number that is not finite.
std::string all_digits(std::optional<double> value);

/// A number for people: `value` rounded so that its expanded uncertainty keeps two digits (GUM 7.2.6); six significant digits
/// without an uncertainty; "-" for none.
std::string rounded_by(std::optional<double> value, double expanded_uncertainty);

/// A share in percent with one decimal, "96.5 %"; "-" of nothing.
std::string percent_of(std::size_t part, std::size_t whole);

/// A coordinate of a chart, in SVG's user units with one decimal.
std::string coordinate(double x);

}  // namespace datum
