#include "daemon/cell/board_orders.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

namespace datum {

void BoardOrders::return_unit(BoardOrder& order) {
  serials_.give_back({{order.unit, order.unit_by, order.unit_read_hex, order.unit_told_ns},
                      order.unit_doubt,
                      order.panel_serials,
                      order.unit_repair});
  order.unit.clear();
  order.unit_by.clear();
  order.unit_read_hex.clear();
  order.unit_doubt.clear();
  order.unit_repair.clear();
  order.panel_serials = {};
}

void BoardOrders::resume(BoardOrder& order) {
  order.unit_stated = !unit().empty() && unit() == order.unit && serials_.doubt().empty();
  if (order.unit_stated) serials_.forget();
}

std::shared_ptr<BoardOrder> BoardOrders::make(MonotonicNs now) {
  const std::shared_ptr<const Recipe>& recipe = deps_.basis.recipe();
  auto order = std::make_shared<BoardOrder>();
  order->number = ++begun_;
  order->recipe = recipe;
  order->recipe_text = deps_.basis.recipe_text();
  order->calibration = recipe->in_machine_coordinates ? deps_.basis.calibration() : nullptr;
  order->head_calibrations = deps_.basis.head_calibrations();
  order->sensor = &deps_.sensor;
  order->measurer = deps_.backend.measurer.get();
  order->finder = deps_.backend.finder.get();
  order->matcher = deps_.backend.matcher.get();
  order->sharer = deps_.backend.sharer.get();
  order->comparer = deps_.backend.comparer.get();
  order->diffuser = deps_.backend.diffuser.get();
  order->inverter = deps_.backend.inverter.get();
  order->correlator = deps_.backend.correlator.get();
  order->codes = deps_.codes;
  order->controller = deps_.controller;
  order->planner = planner_;
  order->threads = deps_.threads;
  order->temperature = deps_.basis.temperature();
  order->temperature_max_age_s = deps_.temperature_max_age_s;
  order->latest_utc_ns = deps_.basis.utc().latest_utc_ns(now);
  BoundSerial bound = serials_.take(now, recipe->sha256);
  order->unit = std::move(bound.serial.text);
  order->unit_told_ns = std::max(bound.serial.told_ns, bound.boards.told_ns);
  order->unit_by = std::move(bound.serial.by);
  order->unit_read_hex = std::move(bound.serial.read_hex);
  order->unit_doubt = std::move(bound.doubt);
  order->unit_repair = std::move(bound.repair);
  order->panel_serials = std::move(bound.boards);
  order->unit_stated = !order->unit.empty();
  order->models = models_;
  return order;
}

std::shared_ptr<BoardOrder> BoardOrders::make_to_read(const ClaimedFrame& claim) const {
  auto order = std::make_shared<BoardOrder>();
  order->claim = claim;
  order->sensor = &deps_.sensor;
  return order;
}

ClaimRecord BoardOrders::record(const BoardOrder* order, bool triggered) const {
  const Recipe& recipe = order ? *order->recipe : *deps_.basis.recipe();
  const StatedBoards& boards = order ? order->panel_serials : serials_.boards();
  return {recipe.name, recipe.sha256, triggered ? "bus" : "on_frame", order ? order->unit : unit(),
          boards.recipe_sha256 == recipe.sha256 ? boards.serials : std::vector<std::string>{}};
}

void BoardOrders::restore(BoardOrder& order, const ClaimedFrame& claim) {
  return_unit(order);
  order.unit_told_ns = 0;
  if (!claim.record || !order.taken.empty()) {
    order.left_over_fault = fmt::format(
        "{} was in work when datumd ended, and for which recipe and unit is not known; let the sensor expose "
        "again",
        claim.name());
    return;
  }
  const ClaimRecord& record = *claim.record;
  order.unit = record.unit;
  order.unit_by = "kept";
  order.panel_serials.serials = record.boards;
  order.panel_serials.recipe_sha256 = record.recipe_sha256;
  const auto& recipes = deps_.basis.recipes();
  const Recipe* own = recipes->find(record.recipe);
  if (own && own->sha256 == record.recipe_sha256) {
    order.recipe = std::shared_ptr<const Recipe>(recipes, own);
    order.recipe_text = recipes->text_of(*own);
  } else {
    Recipe gone;  // its name stands in the result, and nothing is measured by it
    gone.name = record.recipe;
    gone.sha256 = record.recipe_sha256;
    gone.sensor_serial = deps_.sensor.serial;
    order.recipe = std::make_shared<const Recipe>(std::move(gone));
    order.recipe_text = nullptr;  // not the chosen recipe's under this one's hash
    order.left_over_fault = fmt::format(
        "{} was in work when datumd ended, for recipe {} with SHA-256 {}, which is not there any more; bring "
        "it back, or let the sensor expose again",
        claim.name(), record.recipe, record.recipe_sha256);
  }
  order.calibration = order.recipe->in_machine_coordinates ? deps_.basis.calibration() : nullptr;
  if (record.trigger == "bus")
    order.left_over_fault = fmt::format(
        "{} was in work when datumd ended, for a TRIGger; whose exposure it shows is known no longer: "
        "trigger again",
        claim.name());
}

}  // namespace datum
