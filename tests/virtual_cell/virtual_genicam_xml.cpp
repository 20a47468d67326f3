#include "tests/virtual_cell/virtual_genicam_xml.h"

#include <fmt/format.h>

#include <initializer_list>
#include <stdexcept>

namespace datum {
namespace {

using R = GenicamRegisters;

constexpr const char* by_coordinate = R"(<pIndex Offset="0x20">Scan3dCoordinateSelectorRegister</pIndex>)";

std::string reg(const char* kind, const std::string& name, std::uint32_t address, int length,
                const char* index = "") {
  return fmt::format(
      "<{0} Name=\"{1}\" NameSpace=\"Custom\"><Address>{2:#x}</Address>{4}<Length>{3}</Length>"
      "<AccessMode>RW</AccessMode><pPort>Device</pPort>{5}<Endianess>BigEndian</Endianess></{0}>\n",
      kind, name, address, length, index, std::string(kind) == "IntReg" ? "<Sign>Unsigned</Sign>" : "");
}

std::string enumeration(const std::string& name, std::uint32_t address,
                        std::initializer_list<const char*> words) {
  std::string xml = fmt::format("<Enumeration Name=\"{}\" NameSpace=\"Standard\">", name);
  int value = 0;
  for (const char* word : words)
    xml += fmt::format("<EnumEntry Name=\"{}\" NameSpace=\"Standard\"><Value>{}</Value></EnumEntry>", word,
                       value++);
  return xml + fmt::format("<pValue>{0}Register</pValue></Enumeration>\n", name) +
         reg("IntReg", name + "Register", address, 4);
}

std::string command(const std::string& name, std::uint32_t address) {
  return fmt::format(
             "<Command Name=\"{0}\" NameSpace=\"Standard\"><pValue>{0}Register</pValue>"
             "<CommandValue>1</CommandValue></Command>\n",
             name) +
         reg("IntReg", name + "Register", address, 4);
}

std::string number(const char* kind, const char* register_kind, const std::string& name,
                   std::uint32_t address, int length, const char* index = "") {
  return fmt::format("<{0} Name=\"{1}\" NameSpace=\"Standard\"><pValue>{1}Register</pValue></{0}>\n", kind,
                     name) +
         reg(register_kind, name + "Register", address, length, index);
}

std::string text(const char* name, std::uint32_t address, int length) {
  return fmt::format(
      "<StringReg Name=\"{}\" NameSpace=\"Standard\"><Address>{:#x}</Address>"
      "<Length>{}</Length><AccessMode>RO</AccessMode><pPort>Device</pPort></StringReg>\n",
      name, address, length);
}

std::string features() {
  constexpr std::uint32_t serial_of_bootstrap = 0xD8;
  return enumeration("Scan3dOutputMode", R::output_mode,
                     {"RectifiedC", "CalibratedC", "CalibratedABC_Grid"}) +
         enumeration("Scan3dDistanceUnit", R::distance_unit, {"Millimeter", "Inch", "Pixel"}) +
         enumeration("Scan3dCoordinateSystem", R::coordinate_system,
                     {"Cartesian", "Spherical", "Cylindrical"}) +
         enumeration("Scan3dCoordinateSystemReference", R::reference, {"Anchor", "Transformed"}) +
         enumeration("Scan3dCoordinateSelector", R::selector, {"CoordinateA", "CoordinateB", "CoordinateC"}) +
         number("Float", "FloatReg", "Scan3dCoordinateScale", R::scale, 8, by_coordinate) +
         number("Float", "FloatReg", "Scan3dCoordinateOffset", R::offset, 8, by_coordinate) +
         "<Boolean Name=\"Scan3dInvalidDataFlag\" NameSpace=\"Standard\">"
         "<pValue>Scan3dInvalidDataFlagRegister</pValue><OnValue>1</OnValue><OffValue>0</OffValue></"
         "Boolean>\n" +
         reg("IntReg", "Scan3dInvalidDataFlagRegister", R::invalid_flag, 4, by_coordinate) +
         number("Float", "FloatReg", "Scan3dInvalidDataValue", R::invalid_value, 8, by_coordinate) +
         command("TimestampLatch", R::latch) +
         number("Integer", "IntReg", "TimestampLatchValue", R::latched_ns, 8) +
         enumeration("UserSetSelector", R::user_set, {"Default", "UserSet1", "UserSet2"}) +
         command("UserSetLoad", R::user_set_load) + text("DeviceFirmwareVersion", R::firmware, 32) +
         text("DeviceSerialNumber", serial_of_bootstrap, 16);
}

void insert_before(std::string& xml, const std::string& mark, const std::string& what) {
  const auto at = xml.find(mark);
  if (at == std::string::npos) throw std::runtime_error("the fake camera's description has no " + mark);
  xml.insert(at, what);
}

/// The fake camera keeps a software trigger until it acquires: it is given those that find it acquiring.
void move_trigger(std::string& xml) {
  const std::string own = "<Address>0x30c</Address>";
  const auto at = xml.find(own, xml.find("<IntReg Name=\"TriggerSoftwareCommandRegister\""));
  if (at == std::string::npos)
    throw std::runtime_error("the fake camera's description has no TriggerSoftware");
  xml.replace(at, own.size(), fmt::format("<Address>{:#x}</Address>", R::trigger));
}

}  // namespace

std::string with_scan3d(std::string xml) {
  insert_before(
      xml, "<pValue>PixelFormatRegister</pValue>",
      fmt::format("<EnumEntry Name=\"Coord3D_C16\" NameSpace=\"Standard\"><Value>{}</Value></EnumEntry>",
                  coord3d_c16));
  insert_before(xml, "</RegisterDescription>", features());
  move_trigger(xml);
  return xml;
}

}  // namespace datum
