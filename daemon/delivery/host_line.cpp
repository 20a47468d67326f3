#include "daemon/delivery/host_line.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <stdexcept>

namespace datum {
namespace {

struct Form {
  std::string_view word;
  HostLine::Kind kind;
  std::size_t fields;
};
constexpr std::array<Form, 4> forms{{{"RESUME", HostLine::Kind::resume, 3},
                                     {"ACK", HostLine::Kind::acknowledge, 2},
                                     {"NAK", HostLine::Kind::reject, 2},
                                     {"STOP", HostLine::Kind::stop, 1}}};

}  // namespace

bool is_host_line(std::string_view line) {
  return std::any_of(forms.begin(), forms.end(), [&](const Form& form) {
    return line.size() > form.word.size() && line.substr(0, form.word.size()) == form.word &&
           line[form.word.size()] == (form.fields == 1 ? '*' : ',');
  });
}

HostLine parse_host_line(std::string_view line) {
  if (!line.empty() && line.back() == '\r') line.remove_suffix(1);
  const CheckedLine checked = checked_line(line);
  const auto& fields = checked.fields;
  const auto form =
      std::find_if(forms.begin(), forms.end(), [&](const Form& f) { return f.word == fields[0]; });
  if (form == forms.end() || fields.size() != form->fields)
    throw std::runtime_error(
        fmt::format("'{}' is none of RESUME,<store id>,<sequence>  ACK,<sequence>  "
                    "NAK,<sequence>  STOP",
                    line));
  HostLine said;
  said.kind = form->kind;
  said.check = checked.check;
  if (form->fields == 3) said.store_id = std::string(fields[1]);
  if (form->fields > 1) said.sequence = number_in_line(fields.back(), "sequence");
  return said;
}

}  // namespace datum
