// Models between the two processes.
#pragma once

#include "daemon/parse/parse_output.h"
#include "drivers/model/model_file.h"

namespace datum {

/// `model` outlives the output.
void put_model(ParseOutput& to, const ModelFile& model);
/// Without name and hash, which are datumd's own. Throws FlatError: more than a model may have, no facet, a corner that leads
/// nowhere, a number that is not finite.
ModelFile take_model(ParsedOutput& from);

}  // namespace datum
