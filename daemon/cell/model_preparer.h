// ModelPreparer: makes the model of a surface recipe ready when the cell is armed with it, beside the loop, so that the first part
// does not wait for it: read and verified, with all that depends on it alone, and sent to the GPU.
#pragma once

#include <condition_variable>
#include <memory>
#include <mutex>
#include <thread>

#include "daemon/hosts/command_link.h"
#include "daemon/inspection/surface/surface_model.h"
#include "gpu/area_share/area_sharer.h"
#include "gpu/model_distance/distance_finder.h"
#include "gpu/surface_match/facet_matcher.h"

namespace datum {

/// Who measures with a model. Each may be null.
struct ModelUsers {
  DistanceFinder* finder = nullptr;
  FacetMatcher* matcher = nullptr;
  AreaSharer* sharer = nullptr;
};

class ModelPreparer {
 public:
  /// `users` outlive this. `log` is called on this one's thread.
  ModelPreparer(std::shared_ptr<SurfaceModels> models, const ModelUsers& users, unsigned threads,
                LogSink log);
  /// Waits for the end of the one that is being made ready.
  ~ModelPreparer();
  ModelPreparer(const ModelPreparer&) = delete;
  ModelPreparer& operator=(const ModelPreparer&) = delete;

  /// Does not wait; of several that wait the last is made ready. Nothing for a recipe of boards. A refused model is logged: the
  /// part will be INVALID.
  void prepare(std::shared_ptr<const Recipe> recipe);

 private:
  void work();
  void make_ready(const Recipe& recipe);

  const std::shared_ptr<SurfaceModels> models_;
  const ModelUsers users_;
  const unsigned threads_;
  const LogSink log_;
  std::mutex mutex_;
  std::condition_variable wake_;
  std::shared_ptr<const Recipe> wanted_;
  bool stopping_ = false;
  std::thread thread_;  // from the first surface recipe on
};

}  // namespace datum
