#pragma once
#include <chrono>
#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

#include "lib/grid/availability.hpp"
#include "lib/grid/grouping.hpp"
#include "lib/grid/headroom.hpp"
#include "lib/grid/planner_config.hpp"
#include "lib/grid/time.hpp"
#include "lib/process/read_access.hpp"

namespace gleaner::process {

using Duration = std::chrono::milliseconds;

/// Every option of every program, read and checked; the base class has those of the planner. Defaults, help and checks are only in
/// option_table.cpp.
struct Config : grid::PlannerConfig {
  // All programs
  std::string database;
  std::string log_level;
  std::filesystem::path log_file;
  Duration database_dead_after{};
  Duration database_statement_timeout{};
  Duration database_lock_timeout{};
  Duration database_idle_timeout{};
  std::uint64_t database_size_max{};  ///< bytes; 0: not known

  // almighty
  Duration cycle_period{};
  Duration idle_period{};
  Duration lease_duration{};
  Duration module_time_limit{};
  Duration module_patience{};
  std::filesystem::path bin_directory;
  Duration check_period{};

  // Policies
  double flood{};
  std::string predictor_algorithm;
  double job_ratio_max{};
  std::string campaign_scheduler;
  double fairshare_decay{};
  int fairshare_window{};
  double expired_quantile{};
  Duration throughput_window{};
  double stress_max{};
  double stress_latency{};
  bool stress_durations{};
  Duration stress_pause{};
  int array_size{};
  grid::Headroom headroom{};
  double headroom_weight{};
  grid::Availability availability{};
  std::string load_property;

  // Waiting jobs
  Duration remote_waiting_timeout{};
  Duration waiting_grace{};

  // Defaults of campaigns
  std::string default_resources;
  grid::Seconds default_walltime{};
  grid::Grouping temporal_grouping{};
  bool params_shell{};

  // Attempts and brakes
  int max_attempts{};
  int max_charged_attempts{};
  int max_retries{};
  double walltime_retry_factor{};
  int failures_before_brake{};
  Duration brake_time{};
  Duration brake_time_max{};

  // Launches of unknown outcome
  Duration void_delay{};
  int void_looks{};
  Duration release_after{};
  Duration checkpoint_patience{};
  Duration checkpoint_notice{};

  // Evidence of the ends of jobs
  Duration launch_patience{};
  Duration evidence_delay{};
  Duration evidence_patience{};

  // Requests to clusters
  Duration connect_timeout{};
  Duration request_timeout{};
  Duration submit_timeout{};
  Duration api_timeout{};  ///< of a command that waits for the API
  Duration status_max_age{};

  // Housekeeping
  Duration cleanup_delay{};
  Duration retention{};

  // The API: its clients, then its server
  std::string api;
  std::filesystem::path token_file;
  std::filesystem::path api_ca_file;
  std::string style;
  std::vector<std::string> api_listen;
  std::filesystem::path api_socket;
  std::filesystem::path api_certificate;
  std::filesystem::path api_key;
  std::filesystem::path api_tokens_file;
  std::vector<std::string> api_proxies;
  std::filesystem::path api_proxy_authority;
  std::string api_proxy_subject;
  std::vector<std::string> api_frame_ancestors;
  std::filesystem::path api_metrics_token;
  std::vector<std::string> api_metrics_addresses;
  int api_connections{};
  int api_connections_of_peer{};
  int api_streams{};
  int api_streams_of_user{};
  std::filesystem::path api_spool;
  std::uint64_t api_spool_size{};
  std::filesystem::path input_spool;
  std::uint64_t input_spool_max{};
  double input_spool_share{};
  std::uint64_t input_max{};
  std::uint64_t input_user_max{};
  std::uint64_t max_submission{};
  std::uint64_t max_campaign_file{};
  int max_tasks{};
  int max_campaigns{};
  int max_dependents{};
  int max_rows{};
  std::string admin_group;
  int least_uid{};
  std::vector<std::string> refused_users;
  ReadAccess read_access{};
  Duration api_patience{};
  std::string api_cigri_path;
  std::vector<std::string> api_cigri_proxies;
  std::vector<std::string> api_cigri_admins;
  std::vector<std::string> api_callers;
  bool api_cigri_public{};
  std::vector<std::string> api_cigri_param_files;
  std::filesystem::path api_cigri_param_reader;

  // Users' tokens for clusters
  std::filesystem::path token_key_file;

  // Messages (herald)
  std::string grid_name;
  Duration herald_delay{};
  Duration herald_interval{};
  Duration herald_lost_after{};
  Duration herald_time_limit{};
  Duration herald_retry{};
  Duration herald_give_up{};
  std::vector<std::string> herald_admins;
  std::filesystem::path on_event;
  std::string mail_server;
  std::string mail_tls;
  std::string mail_login;
  std::filesystem::path mail_password_file;
  std::filesystem::path mail_ca_file;
  std::filesystem::path mail_sendmail;
  std::string mail_from;
  std::vector<std::string> mail_domains;
  std::vector<std::string> webhook_hosts;
  bool webhook_private{};
  std::filesystem::path webhook_ca_file;
};

}  // namespace gleaner::process
