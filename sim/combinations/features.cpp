#include "sim/combinations/features.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "lib/jdl/parse.hpp"

namespace gleaner::combinations {
namespace {

const std::vector<Feature>& played_everywhere() {
  static const std::vector<Feature> kFeatures{
      {"after",
       {"", R"("after": PRE)", R"("after_any_end": PRE)", R"("after_each": PRE)", R"("after_each": PRE, "after_each_cluster": "any")",
        R"("after_each": PRE, "given": {"size": 2}, "memory_mb": "100 * size")"}},
      {"gives", {"", R"("gives": ["size"])"}},
      {"needs", {"", R"("needs": {"licence": 1})"}},
      {"input_files", {"", R"("input_files": ["data/{1}.bin"])"}},
      {"placeholders", {"", R"("placeholders": false)"}},
      {"params_shell", {"", R"("params_shell": true)"}},
      {"replicas", {"", R"("replicas": "allowed")"}},
      {"campaign_priority", {"", R"("campaign_priority": "highest")", R"("campaign_priority": "lowest")"}},
      {"scheduler", {"", R"("scheduler": "prediction")"}},
      {"temporal_grouping", {"", R"("temporal_grouping": true)", R"("temporal_grouping": "auto")"}},
      {"min_duration", {"", R"("min_duration": "0")"}},
      {"max_attempts", {"", R"("max_attempts": 6)"}},
      {"retries", {"", R"("retries": 2)", R"("retries": 2, "retry_on": [8])"}},
      {"checkpoint", {"", R"("checkpoint": {"signal": "USR1", "period": "0:10:00", "cost": "0:00:01"})"}},
      {"max_fails", {"", R"("max_fails": "90%")"}},
      {"exec_directory", {"", R"("exec_directory": "$HOME")"}},
      {"resources",
       {"", R"("resources": "/core=2")", R"("resources": "/nodes=1")", R"("resources": "/nodes=1/core=3")",
        R"("resources": "/nodes=1", "dimensional_grouping": true)"}},
      {"walltime", {"", R"("walltime": "0:10:00")", R"("walltime": "600 + p1")"}},
      {"max_walltime", {"", R"("max_walltime": "2:00:00")"}},
      {"memory_mb", {"", R"("memory_mb": 1000)"}},
      {"properties", {"", R"("properties": "mem > 8")"}},
      {"type", {"", R"("type": "normal")"}},
      {"test_mode", {"", R"("test_mode": true)"}},
      {"max_jobs", {"", R"("max_jobs": 2)"}},
      {"output_files", {"", R"("output_directory": "runs/{CAMPAIGN_ID}", "output_files": ["result-{TASK}.dat"])"}},
      {"prologue", {"", R"("prologue": ["echo prologue >> $HOME/scripts-$CIGRI_CAMPAIGN_ID"])"}},
      {"epilogue", {"", R"("epilogue": ["echo epilogue >> $HOME/scripts-$CIGRI_CAMPAIGN_ID"])"}},
      {std::string{kAction}, {"", "append", "hold", "hold_some", "cancel", "cancel_some", "edit", "retry"}},
  };
  return kFeatures;
}

/// Values of features that are there, and other features: those of the grid are read by sim/world/administrator.cpp.
const std::vector<Feature>& played_in_the_world() {
  static const std::vector<Feature> kFeatures{
      {"scheduler", {R"("scheduler": "workqueue")", R"("scheduler": "finalize")"}},
      {"min_duration", {R"("min_duration": "0:00:05")"}},
      {"checkpoint", {R"("checkpoint": {"signal": "USR2", "period": "auto", "cost": "0:00:30"})"}},
      {"max_fails", {R"("max_fails": 1)"}},
      {"memory_mb", {R"x("memory_mb": "100 * (p1 + 1)")x"}},
      {"priority", {"", R"("priority": 2)"}},
      {"project", {"", R"("project": "astro")"}},
      {"input_mb", {"", R"("input_mb": "5")"}},
      {"cluster_job_type", {"", R"("cluster_job_type": "idempotent")"}},
      {"grid headroom", {"", "2", "20%", "auto"}},
      {"grid flood", {"", "0", "2"}},
      {"grid array_size", {"", "1"}},
      {"grid limit", {"", "running_jobs", "waiting_jobs", "resources", "running_jobs of a user", "running_jobs of each user"}},
      {"grid campaign_order", {"", "priority,fairshare"}},
      {"grid simultaneous", {"", "yes"}},
      {"grid reservations", {"", "no"}},
      {"grid shared_home", {"", "site"}},
      {"grid cluster", {"", "disable", "retire"}},
  };
  return kFeatures;
}

std::string json_with(const std::vector<std::string>& members) {
  std::string text =
      fmt::format(R"({{"name": "row", "nb_jobs": {}, "exec_file": "run", "clusters": {{"alpha": {{}}, "beta": {{}}}})", kTasks);
  for (const auto& member : members) {
    if (!member.empty()) text += ", " + replaced(member, kBefore, "1");
  }
  return text + "}";
}

}  // namespace

std::vector<Feature> features(Stage stage) {
  auto all = played_everywhere();
  if (stage == Stage::processes) return all;
  for (const auto& more : played_in_the_world()) {
    const auto known = std::ranges::find(all, more.name, &Feature::name);
    if (known == all.end()) all.push_back(more);
    else known->values.insert(known->values.end(), more.values.begin(), more.values.end());
  }
  return all;
}

bool is_of_the_grid(const Feature& feature) { return feature.name.starts_with(kOfTheGrid); }

bool is_allowed(const std::vector<Feature>& features, const Pair& pair) {
  const auto& one = features[pair.first.dimension];
  const auto& other = features[pair.second.dimension];
  const auto& first = one.values[pair.first.value];
  const auto& second = other.values[pair.second.value];
  if (is_of_the_grid(one) || is_of_the_grid(other)) return true;
  if (one.name == kAction || other.name == kAction) {
    const auto& action = one.name == kAction ? first : second;
    const auto& beside = one.name == kAction ? second : first;
    return action != "append" || beside.find("test_mode") == std::string::npos;
  }
  return jdl::parse(json_with({first, second})).has_value();
}

std::string replaced(std::string text, std::string_view what, std::string_view with) {
  for (auto place = text.find(what); place != std::string::npos; place = text.find(what, place + with.size()))
    text.replace(place, what.size(), with);
  return text;
}

}  // namespace gleaner::combinations
