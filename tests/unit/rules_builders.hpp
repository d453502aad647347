#pragma once
#include <cstdlib>
#include <filesystem>
#include <string>
#include <vector>

#include "lib/jdl/parse.hpp"
#include "lib/rules/admission.hpp"

namespace gleaner::tests {

inline std::filesystem::path admission_program() {
  const char* folder = std::getenv("GLEANER_BIN_DIR");
  return std::filesystem::path{folder != nullptr ? folder : "build/bin"} / "admission";
}

inline constexpr auto kTwoClusters = R"({"name": "essai", "clusters": {
  "alpha": {"exec_file": "run é", "walltime": "12:00:00", "max_jobs": 5},
  "beta": {"exec_file": "run", "type": "normal", "cluster_job_type": "devel,night", "properties": "mem > 4"}}})";

/// The grid has alpha, beta and gamma; jane may submit normal jobs on beta.
inline rules::Setting a_setting(const std::vector<std::string>& texts) {
  rules::Setting setting;
  for (const auto& text : texts) {
    const auto number = static_cast<int>(setting.rules.size()) + 1;
    setting.rules.push_back({.id = number, .name = "rule-" + std::to_string(number), .position = number, .text = text});
  }
  setting.known.enabled = {"alpha", "beta", "gamma"};
  setting.clusters = R"({"alpha": {"enabled": true, "reachable": true, "max_resources": 16, "power": 1.5, "normal_users": []},
    "beta": {"enabled": true, "reachable": null, "max_resources": 64, "power": 1.0, "normal_users": ["jane"]},
    "gamma": {"enabled": false, "reachable": false, "max_resources": 0, "power": 1.0, "normal_users": []}})";
  return setting;
}

struct Asked {
  std::string jdl = kTwoClusters;
  std::string user = "jane";
  std::int64_t tasks = 10;
};

/// As much time as a rule takes on any machine: tests of the limit of time give their own.
inline constexpr rules::Limits kAnyTime{.time = std::chrono::minutes{10}};

inline rules::Admission admit(const std::vector<std::string>& texts, const Asked& asked = {}, rules::Limits limits = kAnyTime) {
  rules::Sandbox sandbox{admission_program(), limits};
  const auto setting = a_setting(texts);
  const jdl::Defaults defaults;
  const auto file = jdl::parse(asked.jdl, defaults, &setting.known).value();
  return rules::admit(sandbox, setting, {file, asked.user, asked.tasks, defaults}).value();
}

inline std::vector<std::string> changes_of(const rules::Admission& admission) {
  std::vector<std::string> all;
  for (const auto& step : admission.steps) {
    for (const auto& change : step.changes) all.push_back(rules::text_of(change));
  }
  return all;
}

}  // namespace gleaner::tests
