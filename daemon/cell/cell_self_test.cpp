#include "daemon/cell/cell_self_test.h"

#include <memory>
#include <utility>

#include "daemon/cell/self_test.h"
#include "daemon/configuration/cell_warnings.h"

namespace datum {

namespace {

void append(std::vector<std::string>& failures, std::vector<std::string> more) {
  for (std::string& failure : more) failures.push_back(std::move(failure));
}

}  // namespace

void CellSelfTest::start(Instrument::SelfTestDone done) {
  const auto failures = std::make_shared<std::vector<std::string>>();
  const auto test = [failures, threads = deps_.threads, measurer = deps_.backend.measurer.get()] {
    *failures = kernel_self_test(cpu_backend(threads));
    append(*failures, board_self_test(*measurer));
  };
  deps_.worker.submit_fallible(test, [this, failures, done = std::move(done)](const std::string& failed) {
    if (!failed.empty()) failures->push_back(failed);
    add_service_faults(*failures);
    done(*failures);
    deps_.events.changed();
  });
}

std::vector<std::string> CellSelfTest::run() {
  std::vector<std::string> failures = kernel_self_test(cpu_backend(deps_.threads));
  // Work in hand has the measurer; it shows by itself whether that works.
  if (!deps_.worker.busy()) append(failures, board_self_test(*deps_.backend.measurer));
  add_service_faults(failures);
  return failures;
}

void CellSelfTest::add_service_faults(std::vector<std::string>& failures) const {
  if (const std::string fault = deps_.backend.fault(); !fault.empty())
    failures.push_back("backend: boards are measured on the CPU: " + fault);
  try {
    deps_.reader.check_present();
    deps_.reader.extent();
  } catch (const std::exception& error) {
    failures.push_back(error.what());
  }
  if (const std::string why = deps_.maintenance.shortage(); !why.empty()) failures.push_back(why);
  if (const std::string& why = deps_.signing.fault(); !why.empty())
    failures.push_back("the chain of results is not signed: " + why);
  append(failures, deps_.links.faults());
  append(failures, folder_faults(deps_.config));
  if (const std::string why = deps_.basis.refusal_for_recipe(); !why.empty())
    failures.push_back("calibration: " + why);
}

}  // namespace datum
