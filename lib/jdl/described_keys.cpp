#include "lib/jdl/described_keys.hpp"

#include <array>

namespace gleaner::jdl {
namespace {

constexpr auto kTop = DescribedKey::Level::campaign;
constexpr auto kSection = DescribedKey::Level::cluster;

// A key that is read and is not here, or is here and is not read, fails a test (jdl_keys_test.cpp).
constexpr auto kDescribed = std::to_array<DescribedKey>({
    {"name", kTop, "TEXT", "the name to know the campaign by"},
    {"clusters", kTop, "OBJECT", "the campaign's clusters by name, each an object of its own keys, {} when there is nothing to say"},
    {"params", kTop, "ARRAY", "the parameters, one for each task: a line, or an array of arguments"},
    {"param_file", kTop, "FILE", "instead of params: a file with one parameter a line, on the machine that submits"},
    {"nb_jobs", kTop, "NUMBER", "instead of params: so many tasks, with the parameters 0 to N-1"},
    {"jobs_type", kTop, "normal", "CiGri's; there is no other type"},
    {"parameter_names", kTop, "ARRAY", "names for the words of a parameter, for placeholders, expressions, input_files and output_files"},
    {"placeholders", kTop, "true|false", "false: {1}, {} and {NAME} in exec_file are not replaced by words of the parameter"},
    {"params_shell", kTop, "true|false", "true: parameters are shell text, which the task's shell expands, as in CiGri"},
    {"after", kTop, "CAMPAIGNS", "a number, a name or an array of them: it starts when all tasks of these campaigns are done"},
    {"after_any_end", kTop, "CAMPAIGNS", "the same: it starts when these campaigns are over, whatever became of their tasks"},
    {"after_each", kTop, "CAMPAIGNS", "the same, task by task: task 7 starts when task 7 of each of these campaigns is done"},
    {"after_each_cluster", kTop, "same|any",
     "any: tasks of after_each run on any cluster; same, or nothing: where the task that they come after ran, as its files are there"},
    {"needs", kTop, "OBJECT", "what each task needs of the grid's consumables, such as licences: {\"matlab\": 1}"},
    {"input_mb", kTop, "EXPRESSION", "MB of input of a task, which the other expressions may use; without it, that of its input_files"},
    {"input_files", kTop, "ARRAY",
     "files beside the campaign file that tasks read, such as data/{1}.bin: in $CIGRI_INPUTS on each cluster"},
    {"replicas", kTop, "allowed|refused",
     "allowed: a task that runs much longer than the others may get a replica on another cluster or node"},
    {"campaign_priority", kTop, "PRIORITY",
     "highest, high, above-normal, normal, below-normal, low, lowest, or 1 to 7; jobs of lowest give way to all others"},
    {"scheduler", kTop, "workqueue|prediction", "prediction: a few jobs on each cluster first"},
    {"temporal_grouping", kTop, "true|false|auto", "true: short tasks share jobs; auto: once they are known to be short"},
    {"dimensional_grouping", kTop, "true|false", "true: a job carries out as many tasks side by side as it has cores on its node"},
    {"min_duration", kTop, "H:M:S", "a task that ends sooner has done nothing, and the cluster is braked; 0: tasks may end at once"},
    {"max_attempts", kTop, "NUMBER", "the most jobs for one task, whoever is to blame for their ends"},
    {"retries", kTop, "NUMBER", "how often a task that failed by its own fault is run again"},
    {"retry_on", kTop, "ARRAY", "with retries: only after these exit statuses, such as [1, 137]"},
    {"checkpoint", kTop, "OBJECT",
     "signal, period (auto or h:m:s) and cost (h:m:s) of checkpoints: tasks get the signal, and write into $CIGRI_CHECKPOINT"},
    {"max_fails", kTop, "NUMBER", "the most tasks that may fail, 50 or \"10%\"; when more have, the campaign is paused"},
    {"notify", kTop, "low|medium|high|end|none",
     "what its user's subscriptions (gridnotify) tell of it: from this severity on, its end alone, or nothing"},

    {"exec_file", kSection, "COMMAND", "the command that each task runs, with the words of its parameter appended"},
    {"exec_directory", kSection, "FOLDER", "the folder in which the tasks run ($HOME)"},
    {"resources", kSection, "RESOURCES", "what each job takes, such as /core=1 or /nodes=1/core=4; a count may be an expression"},
    {"walltime", kSection, "H:M:S", "the walltime of a task: h:m:s, a number of seconds, or an expression that gives seconds"},
    {"max_walltime", kSection, "H:M:S", "the bound up to which the walltime of a task grows when OAR kills its job for it"},
    {"memory_mb", kSection, "EXPRESSION", "MB that a node must have for a job"},
    {"properties", kSection, "CONDITION", "a condition on the properties of OAR's resources"},
    {"project", kSection, "PROJECT", "the project that OAR counts the jobs for"},
    {"cluster_job_type", kSection, "TYPES", "types of OAR's jobs, such as devel, with commas between them, or an array"},
    {"type", kSection, "best-effort|normal", "normal needs an administrator's permission"},
    {"test_mode", kSection, "true|false", "true: one task on each cluster, before all other campaigns"},
    {"max_jobs", kSection, "NUMBER", "the most jobs of the campaign on the cluster at a time; 0: none"},
    {"priority", kSection, "NUMBER", "which of the campaign's clusters goes first: the higher one"},
    {"output_directory", kSection, "FOLDER",
     "the folder of stdout, stderr and output files of each task; {CAMPAIGN_ID} is the campaign's number"},
    {"output_files", kSection, "ARRAY", "patterns of files that a task leaves, such as result-{TASK}.dat, which are kept there too"},
    {"output_file", kSection, "PATTERN", "CiGri's: one pattern of output_files"},
    {"output_destination", kSection, "FOLDER", "CiGri's: output_directory"},
    {"output_gathering_method", kSection, "None|collector", "CiGri's; the files stay on their cluster, and gridget fetches them"},
    {"prologue", kSection, "ARRAY", "commands that run once on each cluster, before the campaign's first task there"},
    {"prologue_walltime", kSection, "H:M:S", "their walltime; without it, that of the tasks"},
    {"epilogue", kSection, "ARRAY", "commands that run once on each cluster, after the campaign's last task there"},
    {"epilogue_walltime", kSection, "H:M:S", "their walltime; without it, that of the tasks"},
});

}  // namespace

std::span<const DescribedKey> described_keys() { return kDescribed; }

std::vector<std::string_view> names_of_keys(DescribedKey::Level level) {
  std::vector<std::string_view> names;
  for (const auto& key : kDescribed) {
    if (key.level == level) names.push_back(key.name);
  }
  return names;
}

}  // namespace gleaner::jdl
