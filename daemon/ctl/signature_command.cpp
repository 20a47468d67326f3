// datumctl signature: the newest signed head of the chain of results, for storage elsewhere.
#include <fmt/format.h>

#include <CLI/CLI.hpp>

#include "daemon/ctl/command_line.h"
#include "daemon/ctl/dialogue.h"
#include "daemon/ctl/exit_status.h"

namespace datum {

void add_signature_command(CommandLine& line) {
  auto key = std::make_shared<bool>(false);
  auto* signature =
      line.link_leaf(line.app, "signature",
                     "the newest signed head of the chain of results, for a file that is kept elsewhere: "
                     "'verify results --head' then shows what was changed since",
                     [&line, key] {
                       auto host = connect(line.link);
                       fmt::print("{}", ask_block(host, *key ? "DATA:SIGNature:KEY?" : "DATA:SIGNature?"));
                       return good;
                     });
  signature->add_flag("--key", *key,
                      "the public key that it names instead, in PEM; only another source can confirm that it "
                      "is the signer's");
}

}  // namespace datum
