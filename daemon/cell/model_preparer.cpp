#include "daemon/cell/model_preparer.h"

#include <fmt/format.h>

#include <utility>

#include "daemon/inspection/surface/facet_map.h"

namespace datum {

ModelPreparer::ModelPreparer(std::shared_ptr<SurfaceModels> models, const ModelUsers& users, unsigned threads,
                             LogSink log)
    : models_(std::move(models)), users_(users), threads_(threads), log_(std::move(log)) {}

ModelPreparer::~ModelPreparer() {
  {
    const std::lock_guard lock(mutex_);
    stopping_ = true;
  }
  wake_.notify_all();
  if (thread_.joinable()) thread_.join();
}

void ModelPreparer::prepare(std::shared_ptr<const Recipe> recipe) {
  if (!recipe || !recipe->surface) return;
  const std::lock_guard lock(mutex_);
  wanted_ = std::move(recipe);
  if (!thread_.joinable()) thread_ = std::thread([this] { work(); });
  wake_.notify_all();
}

void ModelPreparer::work() {
  std::unique_lock lock(mutex_);
  for (;;) {
    wake_.wait(lock, [this] { return stopping_ || wanted_; });
    if (stopping_) return;
    const std::shared_ptr<const Recipe> recipe = std::exchange(wanted_, nullptr);
    lock.unlock();
    try {
      make_ready(*recipe);
    } catch (const std::exception& e) {
      log_(4, fmt::format("recipe {}: its model is not ready, parts will be INVALID: {}", recipe->name,
                          e.what()));
    }
    lock.lock();
  }
}

void ModelPreparer::make_ready(const Recipe& recipe) {
  const std::shared_ptr<const SurfaceModel> model = models_->of(recipe, cpu_backend(threads_).threads);
  if (users_.finder) users_.finder->prepare({model->triangles, model->search});
  const FacetsWanted wanted = facets_wanted(recipe);
  if (users_.matcher && (wanted.by_points || wanted.by_surface))
    users_.matcher->prepare(model->pieces->facets);
  if (users_.sharer && model->areas) users_.sharer->prepare(model->areas);
  log_(6, fmt::format("recipe {}: model of {} facets ready, {} MiB with its patches", recipe.name,
                      model->facets, (model->bytes() >> 20) + 1));
}

}  // namespace datum
