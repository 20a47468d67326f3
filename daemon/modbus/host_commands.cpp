#include "daemon/modbus/host_commands.h"

#include <fmt/format.h>

#include "daemon/instrument/scpi_error.h"

namespace datum::modbus {

std::string text_at(const ControlWords& control, Address at) {
  return get_text(control, at - at_control, long_text);
}

std::int16_t number_of_refusal(const CellView& cell, const std::string& name,
                               const std::function<void()>& action) {
  try {
    action();
    return 0;
  } catch (const scpi::Error& refused) {
    return static_cast<std::int16_t>(refused.number());
  } catch (const StoreError& failed) {
    cell.log(3, fmt::format("{}: {}", name, failed.what()));
    return scpi::mass_storage_error;
  } catch (const std::exception& failed) {
    cell.log(3, fmt::format("{}: {}", name, failed.what()));
    return scpi::system_error;
  }
}

void HostCommands::run(std::uint16_t command) {
  ++count_;
  done_ = command;
  result_ = number_of_refusal(cell_, name_, [&] { execute(command); });
}

void HostCommands::choose_job_and_arm() {
  ++count_;
  done_ = text_at(control_, at_job_name).empty() ? command_choose_job_by_index : command_choose_job_by_name;
  result_ = number_of_refusal(cell_, name_, [&] {
    execute(done_);
    execute(command_arm);
  });
}

void HostCommands::choose(const std::string& job) {
  cell_.control.change(name_, "recipe " + job);
  try {
    cell_.instrument.select_recipe(job, std::nullopt);
  } catch (...) {
    // A PLC goes by READY alone: the next board must not be measured by the former job.
    if (!cell_.instrument.operation_pending()) cell_.instrument.abort();
    throw;
  }
}

void HostCommands::execute(std::uint16_t command) {
  Instrument& cell = cell_.instrument;
  switch (command) {
    case command_arm:
      cell_.control.change(name_, "ARM");
      return cell.arm();
    case command_abort:
      cell_.control.stop(name_, "ABORT");
      return cell.abort();
    case command_choose_job_by_index: {
      const std::vector<std::string> names = cell.recipes();
      const std::size_t index = control_[at_job_index - at_control];
      if (index < 1 || index > names.size())
        throw scpi::Error(scpi::data_out_of_range, fmt::format("job 1 to {}", names.size()));
      return choose(names[index - 1]);
    }
    case command_choose_job_by_name:
      return choose(text_at(control_, at_job_name));
    case command_set_unit:
      cell_.control.measure(name_, "unit " + text_at(control_, at_unit));
      cell.set_unit(text_at(control_, at_unit));
      put_text(control_, at_unit - at_control, long_text, "");
      return;
    case command_set_temperature: {
      const float degc = get_f32(control_, at_temperature - at_control);
      if (!(degc >= -20 && degc <= 60)) throw scpi::Error(scpi::data_out_of_range, "-20 to 60 degC");
      cell_.control.measure(name_, fmt::format("temperature {} degC", degc));
      return cell.set_temperature(degc);
    }
    case command_resume:
      if (!cell_.store) throw scpi::Error(scpi::mass_storage_error, "the store can't be read");
      fifo_.resume(get_u64(control_, at_ack_sequence - at_control), *cell_.store);
      return;
    case command_self_test:
      if (const auto failures = cell.self_test(); !failures.empty())
        throw scpi::Error(scpi::self_test_failed, failures.front());
      return;
    case command_reopen_links:
      cell_.control.change(name_, "REOPEN_LINKS");
      return cell.reopen_links();
    case command_take_control:
      if (!cell_.control.request(name_)) throw scpi::Error(scpi::command_protected, cell_.control.owner());
      return;
    case command_release_control:
      return cell_.control.release(name_);
    default:
      throw scpi::Error(scpi::undefined_header, "no such command");  // check_values() let none through
  }
}

}  // namespace datum::modbus
