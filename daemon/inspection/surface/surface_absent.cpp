// What a first demo says in place of a comparison with a model, which it leaves out (DATUM_SURFACES).
#include "daemon/inspection/surface/begun_surface.h"
#include "drivers/model/model_error.h"
#include "gpu/core/backend.h"

namespace datum {
namespace {

constexpr const char* absent =
    "a first demo compares no parts with models; ./datum demo --surface, test or install builds it";

}  // namespace

SurfaceInspection inspect_surface(std::span<const SurfaceFrame> frames, const InspectionInputs& in,
                                  SurfaceModels&, const Backend&) {
  return {refused_surface(frames, in, Reason::model, absent)};
}

SurfaceModel load_surface_model(const Recipe&, unsigned, const ModelParser*) { throw ModelError(absent); }

std::shared_ptr<const SurfaceModel> SurfaceModels::of(const Recipe&, unsigned) { throw ModelError(absent); }

std::size_t SurfaceModel::bytes() const { return 0; }

FacetsWanted facets_wanted(const Recipe&) { return {}; }

}  // namespace datum
