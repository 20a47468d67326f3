// MMEMory: transfer of recipe files to and from a host.
#include <fmt/format.h>

#include <memory>
#include <optional>

#include "daemon/scpi/scpi_answer.h"
#include "daemon/scpi/scpi_commands.h"

namespace datum::scpi {
namespace {

RecipeFiles& files(Call& call) { return call.instrument().recipe_files(); }

void upload(Call& call) {
  if (call[1].text.empty()) throw Error(illegal_parameter_value, "an empty block is no recipe");
  const auto stored = std::make_shared<Session::Later>();
  stored->answers = false;
  files(call).write(call[0].text, call[1].text, call[2].text, [stored](const std::optional<Error>& refused) {
    stored->done = true;
    if (!refused) return;
    stored->error_number = refused->number();
    stored->errors.emplace_back(refused->what());
  });
  call.session.wait_for(stored);
}

}  // namespace

std::vector<Command> memory_commands() {
  using Kind = Parameter::Kind;
  const Parameter name{Kind::string, "name"}, text{Kind::block, "recipe"}, sha256{Kind::string, "sha256"};
  return {
      {"MMEMory:DATA",
       upload,
       {name, text, sha256},
       "store a recipe (the bytes of its TOML file) under the name that it carries, in the place of an older "
       "one; its "
       "hash in hex, because a digit that a line has flipped makes a valid recipe with another limit. It is "
       "checked "
       "as a whole first; not while it is chosen and armed; afterwards it must be chosen again",
       Access::configures},
      {"MMEMory:DATA?",
       [](Call& c) { c.session.answer(block(files(c).read(c[0].text))); },
       {name},
       "bytes of a recipe's file as a definite block"},
      {"MMEMory:DELete",
       [](Call& c) { files(c).remove(c[0].text); },
       {name},
       "remove a recipe's file; not while it is chosen",
       Access::configures},
  };
}

}  // namespace datum::scpi
