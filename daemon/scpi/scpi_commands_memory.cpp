// MMEMory: transfer of recipe files to and from a host.
#include <fmt/format.h>

#include <memory>
#include <optional>

#include "daemon/instrument/bundle_files.h"
#include "daemon/scpi/scpi_answer.h"
#include "daemon/scpi/scpi_commands.h"

namespace datum::scpi {
namespace {

RecipeFiles& files(Call& call) { return call.instrument().recipe_files(); }

BundleFiles& bundles(Call& call) {
  BundleFiles* files = call.instrument().bundle_files();
  if (!files) throw Error(hardware_missing, "this cell takes no bundles; [fleet] in datumd.toml");
  return *files;
}

/// The session waits until `begin` has called what it gets.
template <class Begin>
void wait_until_stored(Call& call, const Begin& begin) {
  const auto stored = std::make_shared<Session::Later>();
  stored->answers = false;
  begin([stored](const std::optional<Error>& refused) {
    stored->done = true;
    if (!refused) return;
    stored->error_number = refused->number();
    stored->errors.emplace_back(refused->what());
  });
  call.session.wait_for(stored);
}

void upload(Call& call) {
  if (call[1].text.empty()) throw Error(illegal_parameter_value, "an empty block is no recipe");
  wait_until_stored(call, [&](const RecipeFiles::WriteDone& done) {
    files(call).write(call[0].text, call[1].text, call[2].text, done);
  });
}

void install_bundle(Call& call) {
  BundleOrder order{call[0].text, call[1].text, false, call.session.host(),
                    call.instrument().control().certificate_of(call.session.host())};
  if (call.arguments[2] && !(order.older = call[2].text == "older"))
    throw Error(illegal_parameter_value,
                "'" + call[2].text.substr(0, 40) + "'; allowed: \"older\", or nothing");
  wait_until_stored(call, [&](const BundleFiles::Done& done) { bundles(call).install(order, done); });
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
      {"MMEMory:BUNDle",
       install_bundle,
       {{Kind::string, "file"}, {Kind::string, "person"}, {Kind::string, "older", true}},
       "exchange recipes and calibrations by those of a signed bundle in the spool, all or none, not while "
       "armed; "
       "\"older\": also by a number below the installed one's",
       Access::configures},
      {"MMEMory:BUNDle?",
       [](Call& c) { c.session.answer(bundles(c).installed()); },
       {},
       "name, number, public key of the installed bundle, and the person who had it installed; "
       "\"\",0,\"\",\"\" none"},
  };
}

}  // namespace datum::scpi
