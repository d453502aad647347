#include <fmt/format.h>
#include <gtest/gtest.h>

#include "lib/jdl/facts_of.hpp"
#include "lib/jdl/parse.hpp"

namespace gleaner::jdl {
namespace {

tl::expected<CampaignFile, std::vector<Problem>> read(std::string_view keys, grid::Grouping grouping = grid::Grouping::advise) {
  return parse(fmt::format("{{\"name\": \"n\", \"exec_file\": \"a\", \"clusters\": {{\"alpha\": {{}}}},\n{}}}", keys),
               {.grouping = grouping});
}
std::string lines(std::string_view keys) {
  const auto file = read(keys);
  return file ? std::string{} : render(file.error(), "c");
}

TEST(JdlCheckpoint, HasDefaultsForEachKey) {
  EXPECT_FALSE(read(R"("nb_jobs": 1)")->scheduling.checkpoint);
  EXPECT_FALSE(read(R"("checkpoint": null)")->scheduling.checkpoint);
  EXPECT_EQ(read(R"("checkpoint": {})")->scheduling.checkpoint, (grid::Checkpointing{"USR1", std::nullopt, grid::Seconds{60}}));
  EXPECT_EQ(read(R"("checkpoint": {"signal": "SIGusr2", "period": "0:10:00", "cost": 90})")->scheduling.checkpoint,
            (grid::Checkpointing{"USR2", grid::Seconds{600}, grid::Seconds{90}}));
  EXPECT_FALSE(read(R"("checkpoint": {"period": "AUTO"})")->scheduling.checkpoint->period);
}

TEST(JdlCheckpoint, IsKept_WhereACampaignIsStored_AndWrittenForItsUser) {
  for (const auto* keys : {R"("checkpoint": {})", R"("checkpoint": {"signal": "HUP", "period": 3600, "cost": "0:00:05"})"}) {
    const auto file = read(keys).value();
    EXPECT_EQ(from_json(to_json(file)), file);
    EXPECT_EQ(parse(to_jdl(file), {})->scheduling.checkpoint, file.scheduling.checkpoint);
  }
  EXPECT_FALSE(from_json(R"({"name":"n","campaign_type":"default","project":"","checkpoint":{"signal":"USR1"},"clusters":{}})"));
}

TEST(JdlCheckpoint, GivesEachTaskAJobOfItsOwn_WhateverTheConfiguration) {
  EXPECT_EQ(read(R"("checkpoint": {})", grid::Grouping::on)->scheduling.grouping, grid::Grouping::off);
  EXPECT_EQ(lines(R"("checkpoint": {}, "temporal_grouping": false)"), "");
}

TEST(JdlCheckpoint, ThatIsWrong_IsReported) {
  EXPECT_EQ(
      lines(R"("checkpoint": true)"),
      "c:2:15: checkpoint: it is true or false; write an object: { \"signal\": \"USR1\", \"period\": \"auto\", \"cost\": \"0:01:00\" }\n");
  EXPECT_EQ(lines(R"("checkpoint": {"signal": "UR1"})"),
            "c:2:26: checkpoint.signal: 'UR1' is no signal that a task gets; write USR1, USR2, HUP, TERM (did you mean 'USR1'?)\n");
  EXPECT_EQ(lines(R"("checkpoint": {"signal": "INT"})"),
            "c:2:26: checkpoint.signal: 'INT' is no signal that a task gets; write USR1, USR2, HUP, TERM\n");
  EXPECT_EQ(lines(R"("checkpoint": {"perod": "auto"})"),
            "c:2:16: checkpoint.perod: 'perod' is not a key of a checkpoint; there are signal, period, cost (did you mean 'period'?)\n");
  EXPECT_EQ(lines(R"("checkpoint": {"period": "often"})"),
            "c:2:26: checkpoint.period: 'often' is not a walltime; write h:m:s, e.g. 0:30:00, or auto\n");
  EXPECT_EQ(
      lines(R"("checkpoint": {"period": "0:01:00", "cost": "0:01:00"})"),
      "c:2:15: checkpoint.period: a period of 0:01:00 leaves no time between checkpoints that take 0:01:00 each (cost): write a longer one, or auto\n");
  EXPECT_EQ(lines(R"("checkpoint": {"cost": 0})"), "c:2:24: checkpoint.cost: '0' is too small; write a whole number from 1 to 316224000\n");
}

TEST(JdlCheckpoint, BesideKeysThatItContradicts_IsRefused) {
  const std::string grouped =
      "c:2:1: checkpoint: tasks that write checkpoints have a job each: leave out temporal_grouping and dimensional_grouping\n";
  EXPECT_EQ(lines(R"("checkpoint": {}, "temporal_grouping": true)"), grouped);
  EXPECT_EQ(lines(R"("checkpoint": {}, "temporal_grouping": "auto")"), grouped);
  EXPECT_EQ(lines(R"("checkpoint": {}, "dimensional_grouping": true, "resources": "/nodes=1")"), grouped);
  EXPECT_EQ(lines(R"("checkpoint": {}, "replicas": "allowed")"),
            "c:2:1: checkpoint: a replica would begin without the checkpoint, on another cluster: leave out replicas, or checkpoint\n");
  EXPECT_EQ(
      lines(R"("checkpoint": {}, "scheduler": "finalize")"),
      "c:2:1: checkpoint: a replica would begin without the checkpoint, on another cluster: choose another scheduler than finalize, or "
      "leave out checkpoint\n");
}

TEST(JdlCheckpoint, IsAFactOfTheCampaign) {
  const auto facts = facts_of(read(R"("checkpoint": {"period": 3600, "cost": 90})").value());
  EXPECT_EQ(facts.checkpoint_cost, 90);
  EXPECT_EQ(facts.checkpoint_period, 3600);
  EXPECT_FALSE(facts_of(read(R"("checkpoint": {})").value()).checkpoint_period);
  EXPECT_FALSE(facts_of(read(R"("nb_jobs": 1)").value()).checkpoint_cost);
}

}  // namespace
}  // namespace gleaner::jdl
