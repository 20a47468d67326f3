// The doctor's findings on computers simulated by folders.
#include "daemon/ctl/doctor.h"

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <unistd.h>

#include <nlohmann/json.hpp>

#include "tests/fresh_folder.h"

namespace datum {
namespace {

using doctor::Finding;
using doctor::Needs;
using doctor::State;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::SizeIs;

namespace fs = std::filesystem;

constexpr std::uint64_t gib = std::uint64_t{1} << 30;
// An unused account: the files belong to the account of the test.
constexpr unsigned stranger = 54321;

class Doctor : public ::testing::Test {
 protected:
  Doctor() {
    system.root = folder.path();
    system.account = {"cell", stranger, {}, false};
    system.free_bytes = [this](const fs::path&) { return free; };
    system.clock_synchronised = true;
    file("/etc/group", fmt::format("root:x:{}:\ndialout:x:20:cell\n", ::getgid()));
  }
  void file(const std::string& path, const std::string& text, int mode = 0644) {
    fs::permissions(folder.write(path.substr(1), text), fs::perms(mode));
  }
  void link(const std::string& path, const std::string& target) {
    const fs::path at = folder.path() / path.substr(1);
    fs::create_directories(at.parent_path());
    fs::create_symlink(target, at);
  }
  void interface(const std::string& name, int mtu, const char* state = "up\n") {
    file("/sys/class/net/" + name + "/mtu", std::to_string(mtu) + "\n");
    file("/sys/class/net/" + name + "/operstate", state);
  }
  void a_camera(int packet_size) {
    needs.camera = true;
    needs.sensor_address = "192.168.1.20";
    needs.packet_size = packet_size;
    needs.socket_buffer_bytes = 8 << 20;
    // The kernel's form: little-endian hexadecimal.
    file("/proc/net/route",
         "Iface\tDestination\tGateway\tFlags\tRefCnt\tUse\tMetric\tMask\tMTU\tWindow\tIRTT\n"
         "eth0\t00000000\t0100000A\t0003\t0\t0\t0\t00000000\t0\t0\t0\n"
         "enp2s0\t0001A8C0\t00000000\t0001\t0\t0\t0\t00FFFFFF\t0\t0\t0\n");
    interface("eth0", 1500);
    file("/proc/sys/net/core/rmem_max", "8388608\n");
  }
  /// The finding of a check, which must exist once.
  Finding finding(const std::string& check) {
    std::vector<Finding> found;
    for (const Finding& f : doctor::examine(needs, system))
      if (f.check == check) found.push_back(f);
    EXPECT_THAT(found, SizeIs(1)) << check;
    return found.empty() ? Finding{} : found.front();
  }

  testing::FreshFolder folder;
  doctor::System system;
  Needs needs;
  std::optional<std::uint64_t> free = 20 * gib;
};

TEST_F(Doctor, ASoundComputerHasNothingToMend) {
  a_camera(8192);
  interface("enp2s0", 9000);
  file("/dev/serial0", "", 0666);
  needs.serial_lines = {{"cmm.serial.path", "/dev/serial0"}};
  needs.listeners = {{"host.tcp.port", "127.0.0.1", 5025}};
  fs::create_directories(folder.path() / "data");
  fs::permissions(folder.path() / "data", fs::perms(0777));
  needs.written_folders = {"/data"};
  const auto findings = doctor::examine(needs, system);
  EXPECT_THAT(findings, SizeIs(::testing::Ge(8u)));
  for (const Finding& f : findings) {
    EXPECT_EQ(f.state, State::good) << f.check << ": " << f.found;
    EXPECT_EQ(f.run, "") << f.check;
  }
  EXPECT_FALSE(doctor::any_bad(findings));
}

TEST_F(Doctor, PacketsLargerThanTheInterfaceTakesAreFoundOnTheWayToTheCamera) {
  a_camera(8192);
  interface("enp2s0", 1500);
  const Finding f = finding("packet size");
  EXPECT_EQ(f.state, State::bad);
  EXPECT_THAT(f.found, HasSubstr("enp2s0 takes packets of 1500 bytes, the camera sends 8192"));
  EXPECT_EQ(f.run, "sudo ip link set dev enp2s0 mtu 9000");
  EXPECT_EQ(finding("network").found, "enp2s0 leads to 192.168.1.20") << "not the default route";
  needs.packet_size = 1500;
  EXPECT_EQ(finding("packet size").state, State::good);
  needs.packet_size = 0;
  EXPECT_EQ(finding("packet size").state, State::doubtful);
}

TEST_F(Doctor, AnInterfaceThatIsDownOrMissingIsSaid) {
  a_camera(0);
  interface("enp2s0", 9000, "down\n");
  EXPECT_EQ(finding("network").state, State::bad);
  EXPECT_THAT(finding("network").run, HasSubstr("ip link set dev enp2s0 up"));
  file("/proc/net/route", "Iface\tDestination\n");
  EXPECT_THAT(finding("network").found, HasSubstr("no interface of this computer leads to 192.168.1.20"));
  needs.sensor_address = "127.0.0.9";
  EXPECT_EQ(finding("network").found, "lo leads to 127.0.0.9");
}

TEST_F(Doctor, ASocketBufferThatTheKernelDoesNotGiveIsBad) {
  a_camera(0);
  interface("enp2s0", 9000);
  file("/proc/sys/net/core/rmem_max", "212992\n");
  const Finding f = finding("socket buffer");
  EXPECT_EQ(f.state, State::bad);
  EXPECT_THAT(f.run, HasSubstr("net.core.rmem_max=8388608"));
}

TEST_F(Doctor, ASerialPortThatIsGoneForbiddenOrHeldIsSaid) {
  needs.serial_lines = {{"cmm.serial.path", "/dev/serial/by-id/usb-FTDI_7-port0"}};
  EXPECT_THAT(finding("serial port").found, HasSubstr("is not there"));
  link("/dev/serial/by-id/usb-FTDI_7-port0", "../../ttyUSB0");
  EXPECT_THAT(finding("serial port").found, HasSubstr("is not there")) << "a link that dangles";
  file("/dev/ttyUSB0", "", 0660);
  const Finding forbidden = finding("serial port");
  EXPECT_EQ(forbidden.state, State::bad);
  EXPECT_THAT(forbidden.found, HasSubstr("cell may not open it, group root may"));
  EXPECT_EQ(forbidden.run, "sudo usermod -aG root cell    # then log in again");
  system.account.groups.insert(::getgid());
  EXPECT_EQ(finding("serial port").state, State::good);
  file("/proc/812/comm", "ModemManager\n");
  link("/proc/812/fd/7", "/dev/ttyUSB0");
  const Finding held = finding("serial port");
  EXPECT_THAT(held.found, HasSubstr("is held by ModemManager (812)"));
  EXPECT_EQ(held.run, "sudo systemctl disable --now ModemManager");
  file("/proc/812/comm", "datumd\n");
  EXPECT_EQ(finding("serial port").state, State::good) << "datumd's own";
}

TEST_F(Doctor, ANumberedSerialPortIsToldItsStableName) {
  file("/dev/ttyUSB0", "", 0666);
  needs.serial_lines = {{"host.serial.path", "/dev/ttyUSB0"}};
  EXPECT_EQ(finding("serial port").state, State::good) << "it has no other name";
  link("/dev/serial/by-id/usb-FTDI_7-port0", "../../ttyUSB0");
  const Finding f = finding("serial port");
  EXPECT_EQ(f.state, State::doubtful);
  EXPECT_EQ(f.run, "set host.serial.path to \"/dev/serial/by-id/usb-FTDI_7-port0\" in the configuration");
}

TEST_F(Doctor, AListeningPortOfAnotherProgramIsNamed) {
  needs.listeners = {{"host.tcp.port", "127.0.0.1", 5025}};
  EXPECT_THAT(finding("listening port").found, HasSubstr("5025 (host.tcp.port) is free"));
  file("/proc/net/tcp",
       "  sl  local_address rem_address   st tx_queue rx_queue tr tm->when retrnsmt   uid  timeout inode\n"
       "   0: 0100007F:13A1 00000000:0000 0A 00000000:00000000 00:00000000 00000000     0        0 4711 1\n");
  EXPECT_EQ(finding("listening port").state, State::doubtful);
  file("/proc/99/comm", "scpi-server\n");
  link("/proc/99/fd/3", "socket:[4711]");
  const Finding f = finding("listening port");
  EXPECT_EQ(f.state, State::bad);
  EXPECT_THAT(f.found, HasSubstr("is taken by scpi-server (99)"));
  file("/proc/99/comm", "datumd\n");
  EXPECT_THAT(finding("listening port").found, HasSubstr("is datumd's"));
}

TEST_F(Doctor, APrivilegedPortIsNotOurs) {
  needs.listeners = {{"host.modbus_tcp.port", "0.0.0.0", 502}};
  EXPECT_EQ(finding("listening port").run, "sudo sysctl -w net.ipv4.ip_unprivileged_port_start=502");
  file("/proc/sys/net/ipv4/ip_unprivileged_port_start", "80\n");
  EXPECT_EQ(finding("listening port").state, State::good);
}

TEST_F(Doctor, NodesOfAGpuMustBeOpenToTheAccount) {
  EXPECT_EQ(finding("GPU").found, "none; the CPU measures");
  needs.demands_gpu = true;
  EXPECT_EQ(finding("GPU").state, State::bad);
  file("/dev/nvidia0", "", 0660);
  file("/dev/nvidiactl", "", 0666);
  file("/dev/nvidia-modeset", "", 0600);  // not needed
  EXPECT_THAT(finding("GPU").found, HasSubstr("cell may not open /dev/nvidia0, group root may"));
  needs.demands_gpu = false;
  EXPECT_EQ(finding("GPU").state, State::doubtful) << "the CPU measures then";
  system.account.groups.insert(::getgid());
  EXPECT_EQ(finding("GPU").found, "2 nodes can be opened");
}

TEST_F(Doctor, AFolderMustTakeResultsAndHaveSpace) {
  needs.written_folders = {"/data"};
  EXPECT_EQ(finding("folder").run, "sudo install -d -o cell /data");
  fs::create_directories(folder.path() / "data");
  fs::permissions(folder.path() / "data", fs::perms(0755));
  EXPECT_EQ(finding("folder").run, "sudo chown cell /data");
  fs::permissions(folder.path() / "data", fs::perms(0777));
  EXPECT_EQ(finding("folder").state, State::good);
  EXPECT_EQ(finding("space").state, State::good);
  free = gib / 2;
  EXPECT_EQ(finding("space").state, State::doubtful);
  free = 1000;
  EXPECT_EQ(finding("space").state, State::bad);
}

TEST_F(Doctor, AFolderThatDatumdMakesMayBeMissingWhereItsParentCanBeWritten) {
  needs.made_folders = {"/data/pictures"};
  EXPECT_EQ(finding("folder").state, State::bad) << "there is no /data";
  fs::create_directories(folder.path() / "data");
  fs::permissions(folder.path() / "data", fs::perms(0777));
  EXPECT_EQ(finding("folder").state, State::good);
  EXPECT_THAT(finding("folder").found, HasSubstr("datumd makes it"));
  fs::permissions(folder.path() / "data", fs::perms(0555));
  EXPECT_EQ(finding("folder").state, State::bad);
}

TEST_F(Doctor, TheServiceWritesBelowItsOwnFoldersOnly) {
  system.account = {"datumd.service", 65534, {}, true};
  needs.written_folders = {"/var/lib/datumd/pictures"};
  EXPECT_EQ(finding("folder").state, State::good) << "made when it starts";
  needs.written_folders = {"/var/lib/datumdata"};
  EXPECT_EQ(finding("folder").state, State::bad);
  EXPECT_THAT(finding("folder").run, HasSubstr("ReadWritePaths=/var/lib/datumdata"));
}

TEST_F(Doctor, AClockThatNobodySetsIsDoubtful) {
  system.clock_synchronised = false;
  EXPECT_EQ(finding("clock").run, "sudo timedatectl set-ntp true");
  system.clock_synchronised.reset();
  for (const Finding& f : doctor::examine(needs, system)) EXPECT_NE(f.check, "clock");
}

TEST_F(Doctor, IsShownToPeopleAndToPrograms) {
  const std::vector<Finding> findings{{"clock", "is synchronised", State::good, ""},
                                      {"GPU", "none", State::bad, "nvidia-smi"}};
  EXPECT_EQ(doctor::shown(findings),
            "good      clock: is synchronised\nBAD       GPU: none\n          run: nvidia-smi\n");
  const auto json = doctor::as_json(findings);
  EXPECT_TRUE(json[0]["run"].is_null());
  EXPECT_EQ(json[1]["state"], "BAD");
  EXPECT_EQ(json[1]["run"], "nvidia-smi");
  EXPECT_TRUE(doctor::any_bad(findings));
}

}  // namespace
}  // namespace datum
