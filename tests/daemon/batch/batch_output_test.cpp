// Outputs: complete and right, or not there; whoever writes them, and however often.
#include "daemon/batch/batch_output.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <fstream>
#include <thread>

#include "tests/daemon/batch/batch_scene.h"
#include "tests/fresh_folder.h"

namespace datum::batch_output_test {
namespace {

namespace fs = std::filesystem;
using testing::FreshFolder;
using ::testing::HasSubstr;

const std::string key(64, 'e'), other_key(64, 'f');

std::string text() { return output_text(key, "cpu", testing::stored_board(1, Decision::pass, 500)); }

void write(const fs::path& file, const std::string& bytes) {
  fs::create_directories(file.parent_path());
  std::ofstream(file, std::ios::binary) << bytes;
}

TEST(BatchOutput, ReadsBackAndIsNoVerdictOfRecord) {
  const BatchOutput output = output_from_text(text());
  EXPECT_EQ(output.key, key);
  EXPECT_EQ(output.backend, "cpu");
  const BoardVerdict verdict = verdict_from_json(output.verdict);
  EXPECT_EQ(verdict.components.at(0).checks.at(0).value, 500);
  EXPECT_EQ(verdict.sequence, 0u);
  EXPECT_EQ(verdict.store_id, "");
  EXPECT_THAT(text(), HasSubstr("\"what_if\":true"));
}

TEST(BatchOutput, IsAbsentGoodOrDamaged) {
  const FreshFolder batch;
  EXPECT_EQ(find_output(batch.path(), key).state, OutputState::absent);
  const fs::path file = output_file(batch.path(), key);
  write_beside_others(file, text());
  EXPECT_EQ(find_output(batch.path(), key).state, OutputState::good);
  for (std::size_t size : {std::size_t{0}, std::size_t{10}, text().size() - 1}) {
    write(file, text().substr(0, size));
    EXPECT_EQ(find_output(batch.path(), key).state, OutputState::damaged) << size;
  }
  for (std::size_t at = 0; at < text().size(); at += 11) {
    std::string bytes = text();
    bytes[at] = static_cast<char>(bytes[at] ^ 4);
    write(file, bytes);
    EXPECT_EQ(find_output(batch.path(), key).state, OutputState::damaged) << at;
  }
  write(file, output_text(other_key, "cpu", testing::stored_board(2, Decision::pass, 500)));
  EXPECT_THAT(find_output(batch.path(), key).why, HasSubstr("is the output of unit ffff"));
  fs::remove(file);
  fs::create_directory(file);
  EXPECT_EQ(find_output(batch.path(), key).state, OutputState::damaged);
}

TEST(BatchOutput, TwoWritersOfOneUnitLeaveItWhole) {
  const FreshFolder batch;
  const fs::path file = output_file(batch.path(), key);
  std::vector<std::thread> writers;
  for (int i = 0; i < 4; ++i)
    writers.emplace_back([&] {
      for (int n = 0; n < 10; ++n) write_beside_others(file, text());
    });
  for (std::thread& writer : writers) writer.join();
  EXPECT_EQ(find_output(batch.path(), key).state, OutputState::good);
  EXPECT_EQ(std::distance(fs::directory_iterator(file.parent_path()), fs::directory_iterator()), 1);
}

TEST(BatchOutput, WhatAKilledWriterLeavesIsNoOutput) {
  const FreshFolder batch;
  const fs::path file = output_file(batch.path(), key);
  const fs::path left = file.parent_path() / ("." + file.filename().string() + ".aB3dE6");
  write(left, text().substr(0, 100));
  EXPECT_EQ(find_output(batch.path(), key).state, OutputState::absent);
  write_beside_others(file, text());
  remove_left_overs(batch.path());
  EXPECT_FALSE(fs::exists(left));
  EXPECT_EQ(find_output(batch.path(), key).state, OutputState::good);
}

TEST(BatchOutput, AFolderThatTakesNoFileIsTold) {
  const FreshFolder batch;
  write(batch / "outputs", "a file in the place of the folder");
  EXPECT_THROW(write_beside_others(output_file(batch.path(), key), text()), std::system_error);
}

}  // namespace
}  // namespace datum::batch_output_test
