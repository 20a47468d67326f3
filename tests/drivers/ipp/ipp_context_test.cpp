#include "drivers/ipp/ipp_context.h"

#include <gmock/gmock.h>

#include "tests/virtual_cell/virtual_ipp_machine.h"

namespace datum {
namespace {

using ::testing::HasSubstr;

IppTransformation turned(double theta, double psi, double phi) { return {{1, 2, 3}, theta, psi, phi}; }

// NIST's script of coordinate systems: with theta = 0 only psi + phi counts, 29 and 151 equal 180.
TEST(IppContext, ATransformationIsTheMotionNotItsAngles) {
  EXPECT_TRUE(same(turned(0, 180, 0), turned(0, 29, 151)));
  EXPECT_TRUE(same(turned(0, 0, 360), turned(0, 0, 0)));
  EXPECT_TRUE(same(turned(180, 30, 0), turned(180, 0, -30)));
  EXPECT_FALSE(same(turned(90, 30, 0), turned(90, 0, 30)));
  // Two texts of five decimals.
  EXPECT_TRUE(same({{0, 0, 0}, 90, 0, 0}, {{1e-5, 0, -1e-5}, 90.00001, -0.00001, 0.00001}));
  EXPECT_FALSE(same({{0, 0, 0}, 90, 0, 0}, {{2e-5, 0, 0}, 90, 0, 0}));
  EXPECT_FALSE(same({{0, 0, 0}, 90, 0, 0}, {{0, 0, 0}, 90.00004, 0, 0}));
}

// The virtual machine transforms points by its own code; equal transformations move points equally.
TEST(IppContext, SameMeansThatPointsAgree) {
  const auto apart_mm = [](const VirtualCsy& a, const VirtualCsy& b) {
    double most = 0;
    for (const VirtualXyz& p :
         {VirtualXyz{0, 0, 0}, VirtualXyz{1, 0, 0}, VirtualXyz{0, 1, 0}, VirtualXyz{0, 0, 1}})
      for (std::size_t i = 0; i < 3; ++i)
        most = std::max(most, std::abs(into_csy(a, p)[i] - into_csy(b, p)[i]));
    return most;
  };
  const VirtualCsy systems[] = {{1, 2, 3, 0, 90, 0},  {1, 2, 3, 0, 0, 90},  {1, 2, 3, 90, 0, 90},
                                {1, 2, 3, 90, 90, 0}, {1, 2, 3, 180, 0, 0}, {1, 2, 4, 180, 0, 0}};
  for (const VirtualCsy& a : systems)
    for (const VirtualCsy& b : systems)
      EXPECT_EQ(same(IppTransformation::of(a), IppTransformation::of(b)), apart_mm(a, b) < 1e-9);
}

TEST(IppContext, WhatTheCellDemandsIsToldApart) {
  IppSettings demanded;
  demanded.tool = "Probe1";
  demanded.coordinate_system = "PartCsy";
  demanded.transformation = {{1, 2, 3, 90, 0, 0}};
  IppContext c{true, "PartCsy", "Probe1", turned(90, 0, 0)};
  EXPECT_EQ(refusal(c, demanded, {}), "");
  c.transformation = turned(90, 0, 1);
  EXPECT_EQ(
      refusal(c, demanded, c.transformation),
      "PartCsy stands at 1 2 3 mm, theta 90 psi 0 phi 1 deg; the cell demands at 1 2 3 mm, theta 90 psi 0 "
      "phi 0 deg")
      << "nobody can vouch against the configuration";
  c.coordinate_system = "MultipleArmCsy";
  EXPECT_EQ(refusal(c, demanded, {}), "coordinate system MultipleArmCsy is active; the cell demands PartCsy");
  c.tool = "probe1";
  EXPECT_EQ(refusal(c, demanded, {}), "tool 'probe1' is active; the cell demands 'Probe1'");
  c.homed = false;
  EXPECT_EQ(refusal(c, demanded, {}), "the machine is not homed; home it at its controller");
}

TEST(IppContext, WithoutAStatedTransformationAnOperatorVouches) {
  IppSettings demanded;
  demanded.tool = "Probe1";
  demanded.coordinate_system = "PartCsy";
  const IppContext c{true, "PartCsy", "Probe1", turned(0, 0, 0)};
  EXPECT_THAT(refusal(c, demanded, {}),
              HasSubstr("no host has confirmed that; state cmm.ipp.transformation"));
  EXPECT_EQ(refusal(c, demanded, turned(0, 0, 0)), "");
  EXPECT_THAT(refusal(c, demanded, turned(0, 0, 1)), HasSubstr("; confirmed was at 1 2 3 mm"));
}

}  // namespace
}  // namespace datum
