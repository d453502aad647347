#pragma once
#include <array>
#include <chrono>
#include <cstdint>
#include <filesystem>
#include <set>
#include <string>
#include <string_view>
#include <vector>

namespace gleaner::world {

/// The kinds of faults that a seed may draw. Each has its own stream of random numbers, so that leaving one out changes no other.
enum class Fault {
  refused,        ///< a cluster's web server takes no connection, for a while
  lost,           ///< a request is carried out, and its answer is lost
  unsent,         ///< the connection ends before the request arrives, which the client cannot know
  late,           ///< an answer takes long
  error,          ///< a 500 instead of the work
  truncated,      ///< half of the answer
  doubled,        ///< the web server hands the request over twice
  death,          ///< a module, or the conductor, dies at a request, a begin or a commit
  away,           ///< the database takes no connection and no statement, for a while
  commit_lost,    ///< a commit is carried out, and its answer is lost
  local_jobs,     ///< the cluster's own users take resources, and ours are preempted
  server_death,   ///< OAR's server dies for a while, its API goes on
  failed_launch,  ///< OAR fails to launch a job
  login_ends,     ///< the users' start files end each shell of a cluster before the wrapper, with 0 or 1, for a while
  unreadable,     ///< the cluster's files cannot be read or written, for a while
  sink,           ///< a cluster's tasks end at once with 0, and have done nothing, for a while
  too_large,      ///< the web server takes no large request, from some time on
  wrong_total,    ///< lists say that they are longer than they are, from some time on
  standstill,     ///< nobody conducts, for a while
  clocks,         ///< the clock of the programs' host, of an OAR or of a cluster's nodes steps ahead or back, for a while
  stopped,        ///< all programs of a conductor's host stand still where they are, for a while, and go on
  partitioned     ///< a conductor's host has no way to the database, for a while
};
inline constexpr std::array<std::string_view, 22> kFaultNames{
    "refused",   "lost",        "unsent",     "late",         "error",         "truncated",  "doubled",    "death",
    "away",      "commit_lost", "local_jobs", "server_death", "failed_launch", "login_ends", "unreadable", "sink",
    "too_large", "wrong_total", "standstill", "clocks",       "stopped",       "partitioned"};
[[nodiscard]] constexpr std::string_view name_of(Fault fault) { return kFaultNames[static_cast<std::size_t>(fault)]; }

/// Features of campaigns, and acts of their users.
enum class Feature {
  failures,    ///< tasks that end with an error
  retries,     ///< keys about attempts
  pools,       ///< temporal_grouping, short tasks
  scripts,     ///< prologues and epilogues
  follow,      ///< after, after_any_end, after_each
  normal,      ///< several requests: cores, walltimes, max_jobs, priorities
  replicas,    ///< replicas of late tasks
  checkpoint,  ///< checkpoints
  append,      ///< users append tasks
  hold,        ///< users hold and resume, campaigns and tasks
  cancel,      ///< users cancel campaigns and tasks
  retry,       ///< users give failed tasks back
  tests,       ///< test campaigns
  levels,      ///< campaign_priority: jobs of the lowest give way
  asking,      ///< users ask what they may not know, and submit what must be refused
  edit,        ///< users edit campaigns
  needs,       ///< campaigns need licences, of which all clusters have few
  resent,      ///< campaigns of idempotent jobs, which OAR sends again when it preempted them
  array        ///< campaigns, acts of users and settings of the grid are rows of a covering array (sim/world/array.hpp), none of the above
};
inline constexpr std::array<std::string_view, 19> kFeatureNames{"failures",   "retries", "pools", "scripts", "follow", "normal", "replicas",
                                                                "checkpoint", "append",  "hold",  "cancel",  "retry",  "tests",  "levels",
                                                                "asking",     "edit",    "needs", "resent",  "array"};
[[nodiscard]] constexpr std::string_view name_of(Feature feature) { return kFeatureNames[static_cast<std::size_t>(feature)]; }

[[nodiscard]] std::set<Fault> all_faults();
/// But `array`, beside which nothing else is drawn.
[[nodiscard]] std::set<Feature> all_features();

/// A world. Two with the same settings are the same to the byte.
struct Settings {
  std::uint64_t seed = 1;
  double hours = 2;  ///< of arrivals, users and faults; then the grid has peace to end what it has
  int clusters = 3;
  int nodes = 4;  ///< of each cluster
  int cores = 4;  ///< of each node
  int campaigns = 10;
  std::chrono::seconds cycle{10};
  std::set<Fault> faults = all_faults();
  double rate = 1;        ///< of faults, against the usual one
  std::set<Fault> often;  ///< of these ten times as many
  std::set<Feature> features = all_features();
  std::filesystem::path trace;     ///< a file; empty: none
  std::filesystem::path dump;      ///< a file for the database as it is after `hours`, as SQL, with which the world ends; empty: none
  std::filesystem::path folder;    ///< below which the world is; empty: /dev/shm
  std::filesystem::path programs;  ///< where `admission` is; empty: beside this program
  bool logs = false;               ///< whether the modules' logs go to stderr
  int statements = 0;              ///< so many of the heaviest statements are shown
};

/// The command that makes this world again.
[[nodiscard]] std::string command_of(const Settings& settings);

/// The requests of the command line.
struct Asked {
  Settings settings;
  std::uint64_t seeds = 1;  ///< from settings.seed on
  bool shrink = false;
  bool help = false;
};
/// Throws process::Error (usage), with what is wrong and what would be right.
[[nodiscard]] Asked read_arguments(const std::vector<std::string>& arguments);
[[nodiscard]] std::string help_text();

}  // namespace gleaner::world
