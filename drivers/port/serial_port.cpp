// Serial line. libserialport configures the line; bytes use the descriptor directly, because
// sp_nonblocking_read reports a hang-up as "no bytes".
#include <fcntl.h>
#include <fmt/format.h>
#include <libserialport.h>
#include <sys/file.h>
#include <sys/ioctl.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>
#include <termios.h>
#include <unistd.h>

#include <cerrno>
#include <climits>
#include <cstdlib>
#include <cstring>

#include "drivers/port/fd_port.h"

namespace datum {
namespace {

struct FreePort {
  void operator()(sp_port* port) const { sp_free_port(port); }
};
struct FreeConfig {
  void operator()(sp_port_config* config) const { sp_free_config(config); }
};

// Majors 136 to 143: Unix98 pseudo-terminals (Documentation/admin-guide/devices.txt of Linux).
bool is_pseudo_terminal(const std::string& path) {
  struct stat info {};
  return stat(path.c_str(), &info) == 0 && S_ISCHR(info.st_mode) && major(info.st_rdev) >= 136 &&
         major(info.st_rdev) <= 143;
}

sp_parity parity_of(Parity parity) {
  return parity == Parity::none ? SP_PARITY_NONE : parity == Parity::even ? SP_PARITY_EVEN : SP_PARITY_ODD;
}

sp_flowcontrol flow_of(FlowControl flow) {
  return flow == FlowControl::none       ? SP_FLOWCONTROL_NONE
         : flow == FlowControl::xon_xoff ? SP_FLOWCONTROL_XONXOFF
                                         : SP_FLOWCONTROL_RTSCTS;
}

class SerialPort final : public FdPort {
 public:
  explicit SerialPort(const SerialSettings& settings) : settings_(settings) { check(settings_); }

  void open() override {
    close();
    char resolved[PATH_MAX];  // libserialport knows /dev/ttyUSB0, not the symbolic link in /dev/serial/by-id
    if (!realpath(settings_.path.c_str(), resolved)) throw_open_failed(errno);
    try {
      if (is_pseudo_terminal(resolved)) {
        open_pseudo_terminal(resolved);
      } else {
        open_line(resolved);
      }
      lock();
      finish_line();
    } catch (...) {
      close();
      throw;
    }
    was_open_ = true;
  }

  std::string describe() const override {
    return fmt::format("serial {} {}", settings_.path, line_format(settings_));
  }

 private:
  [[noreturn]] void throw_open_failed(int error_number) const {
    // A device that reappeared belongs to root until udev has set its group.
    const bool waiting_for_udev = error_number == EACCES && was_open_;
    const std::string text = fmt::format("{}: can't be opened: {}", describe(), std::strerror(error_number));
    if (error_number == EACCES && !waiting_for_udev)
      throw RefusedError(text + "; add the user to the group that owns the device (often 'dialout')");
    if (error_number == ENOTTY || error_number == EINVAL || error_number == EISDIR)
      throw RefusedError(text + "; is it a serial device?");
    throw LostError(text);
  }

  // libserialport 0.1 opens only devices in /sys/class/tty. A pseudo-terminal is not listed and has neither
  // baud rate nor parity: the settings were checked and have no further effect.
  void open_pseudo_terminal(const char* path) {
    fd_ = ::open(path, O_RDWR | O_NOCTTY | O_NONBLOCK | O_CLOEXEC);
    termios line{};
    if (fd_ < 0 || tcgetattr(fd_, &line) != 0) throw_open_failed(errno);
    cfmakeraw(&line);
    if (tcsetattr(fd_, TCSANOW, &line) != 0) throw_open_failed(errno);
  }

  void open_line(const char* path) {
    sp_port* found = nullptr;
    if (sp_get_port_by_name(path, &found) != SP_OK) throw_open_failed(ENOTTY);
    const std::unique_ptr<sp_port, FreePort> port(found);
    if (sp_open(port.get(), SP_MODE_READ_WRITE) != SP_OK) throw_open_failed(sp_last_error_code());
    int handle = -1;
    sp_get_port_handle(port.get(), &handle);
    fd_ = handle;  // sp_free_port leaves the descriptor open, now owned here
    ioctl(fd_, TIOCEXCL);
    apply_line(port.get());
  }

  void apply_line(sp_port* port) const {
    const auto need = [&](sp_return result, const std::string& what) {
      if (result != SP_OK) throw RefusedError(fmt::format("{}: this device can't do {}", describe(), what));
    };
    need(sp_set_baudrate(port, settings_.baud), fmt::format("{} baud", settings_.baud));
    need(sp_set_bits(port, settings_.data_bits), fmt::format("{} data bits", settings_.data_bits));
    need(sp_set_parity(port, parity_of(settings_.parity)), "this parity");
    need(sp_set_stopbits(port, settings_.stop_bits), fmt::format("{} stop bits", settings_.stop_bits));
    need(sp_set_flowcontrol(port, flow_of(settings_.flow)), "this flow control");
    sp_port_config* fresh = nullptr;
    if (sp_new_config(&fresh) != SP_OK) throw RefusedError(describe() + ": out of memory");
    const std::unique_ptr<sp_port_config, FreeConfig> config(fresh);
    int baud = -1;  // a driver may accept a rate and set another
    if (sp_get_config(port, config.get()) == SP_OK) sp_get_config_baudrate(config.get(), &baud);
    if (baud != settings_.baud)
      throw RefusedError(
          fmt::format("{}: this device can't do {} baud (it took {}); choose a rate that it has", describe(),
                      settings_.baud, baud));
  }

  // flock ends with the process, unlike TIOCEXCL on a pseudo-terminal, and applies to root too.
  void lock() const {
    if (flock(fd_, LOCK_EX | LOCK_NB) == 0) return;
    throw LostError(fmt::format("{}: another program has it open", describe()));
  }

  void finish_line() {
    termios line{};
    if (tcgetattr(fd_, &line) != 0) throw_open_failed(errno);
    // A byte with a parity or framing error, and a break, are read as NUL; the codecs refuse a line that
    // contains one.
    line.c_iflag &= ~static_cast<tcflag_t>(IGNPAR | PARMRK | ISTRIP | IGNBRK | BRKINT);
    if (settings_.parity != Parity::none) line.c_iflag |= INPCK;
    line.c_cflag &= ~static_cast<tcflag_t>(HUPCL);  // dropping DTR at close resets GRBL boards
    line.c_cc[VMIN] = 1;                            // 0 bytes then always mean a hang-up
    line.c_cc[VTIME] = 0;
    if (tcsetattr(fd_, TCSANOW, &line) != 0) throw_open_failed(errno);
    tcflush(fd_, TCIOFLUSH);
  }

  SerialSettings settings_;
  bool was_open_ = false;
};

}  // namespace

std::unique_ptr<Port> serial_port(const SerialSettings& settings) {
  return std::make_unique<SerialPort>(settings);
}

}  // namespace datum
