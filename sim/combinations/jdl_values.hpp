#pragma once
#include <array>
#include <string_view>

/// Values of a campaign file: each key with the values that make a difference.
namespace gleaner::combinations {

/// A value of a key, as JSON.
struct KeyValue {
  std::string_view key;
  std::string_view value;
  std::string_view companions = {};  ///< other keys that this value needs, as members of an object
};

/// The keys of described_keys(), but for `name` and `clusters`, which every campaign has, the sources of parameters, and `resource`, which
/// is read as `resources`.
inline constexpr auto kValues = std::to_array<KeyValue>({
    {"jobs_type", R"("normal")"},
    {"parameter_names", R"(["i"])"},
    {"placeholders", "false"},
    {"params_shell", "true"},
    {"after", "1"},
    {"after_any_end", "1"},
    {"after_each", "1"},
    {"gives", R"(["size"])"},
    {"given", R"({"size": 1})", R"("after_each": 1)"},
    {"after_each_cluster", R"("any")", R"("after_each": 1)"},
    {"needs", R"({"matlab": 1})"},
    {"input_mb", R"("5")"},
    {"input_files", R"(["data/{1}.bin"])"},
    {"input_from", "1", R"("input_files": ["outputs-1/{1}.out"])"},
    {"replicas", R"("allowed")"},
    {"campaign_priority", R"("highest")"},
    {"campaign_priority", R"("lowest")"},
    {"scheduler", R"("workqueue")"},
    {"scheduler", R"("prediction")"},
    {"scheduler", R"("finalize")"},
    {"temporal_grouping", "true"},
    {"temporal_grouping", R"("auto")"},
    {"dimensional_grouping", "true", R"("resources": "/nodes=1")"},
    {"min_duration", R"("0")"},
    {"min_duration", R"("0:00:05")"},
    {"min_duration", R"("0:40:00")"},
    {"max_attempts", "1"},
    {"max_attempts", "5"},
    {"retries", "0"},
    {"retries", "3"},
    {"retry_on", "[1, 137]", R"("retries": 2)"},
    {"checkpoint", R"({"signal": "USR1", "period": "auto", "cost": "0:00:30"})"},
    {"checkpoint", R"({"signal": "USR2", "period": "0:10:00", "cost": "0:00:30"})"},
    {"max_fails", "1"},
    {"max_fails", R"("10%")"},
    {"notify", R"("end")"},
    {"exec_directory", R"("$HOME/runs/{CAMPAIGN_ID}")"},
    {"resources", R"("/core=2")"},
    {"resources", R"("/nodes=2")"},
    {"resources", R"x("/core=(p1+1)")x"},
    {"walltime", R"("0:30:00")"},
    {"walltime", R"("60 + p1")"},
    {"max_walltime", R"("2:00:00")"},
    {"memory_mb", "2000"},
    {"memory_mb", R"("100 * p1")"},
    {"properties", R"("mem > 8")"},
    {"project", R"("astro")"},
    {"cluster_job_type", R"("devel")"},
    {"type", R"("best-effort")"},
    {"type", R"("normal")"},
    {"test_mode", "true"},
    {"max_jobs", "2"},
    {"priority", "2"},
    {"output_directory", R"("runs/{CAMPAIGN_ID}")"},
    {"output_files", R"(["result-{TASK}.dat"])", R"("output_directory": "runs/{CAMPAIGN_ID}")"},
    {"output_file", R"("result-{TASK}.dat")", R"("output_destination": "runs")"},
    {"output_destination", R"("runs")"},
    {"output_gathering_method", R"("None")"},
    {"prologue", R"(["mkdir -p runs"])"},
    {"prologue_walltime", R"("0:05:00")", R"("prologue": ["mkdir -p runs"])"},
    {"epilogue", R"(["rm -rf runs"])"},
    {"epilogue_walltime", R"("0:05:00")", R"("epilogue": ["rm -rf runs"])"},
});

}  // namespace gleaner::combinations
