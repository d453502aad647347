#include <malloc.h>
#include <systemd/sd-daemon.h>

#include <cstdlib>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "api/options.hpp"
#include "lib/process/log.hpp"
#include "lib/process/run.hpp"
#include "lib/process/stop.hpp"

namespace gleaner::api {
namespace {

using process::ExitCode;

/// Returns freed memory of large requests to the system: glibc would keep it, in one arena per thread.
void keep_little_memory() {
  constexpr int kArenas = 4;
  constexpr int kOwnMapping = 256 * 1024;
  ::mallopt(M_ARENA_MAX, kArenas);
  ::mallopt(M_MMAP_THRESHOLD, kOwnMapping);
  ::mallopt(M_TRIM_THRESHOLD, 2 * kOwnMapping);
}

process::Outcome serve(const process::Context& context) {
  keep_little_memory();
  // An unresponsive database must not hold requests for long.
  ::setenv("PGCONNECT_TIMEOUT", "5", 0);
  const auto options = options_of(context.config);
  const auto api = Api::start(options);
  if (!api) return {ExitCode::failure, api.error()};
  process::log::info("listening",
                     {{"socket", options.socket.value_or("").string()}, {"urls", fmt::format("{}", fmt::join((*api)->urls(), " "))}});
  ::sd_notify(0, "READY=1");
  while (!process::wait_for_stop(std::chrono::hours{24})) {
  }
  ::sd_notify(0, "STOPPING=1");
  return "stopped";
}

}  // namespace
}  // namespace gleaner::api

int main(int argc, char** argv) {
  const gleaner::process::Program program{
      .name = "gridapi",
      .purpose = "Answers the commands of the grid's users, over HTTP.",
      .keys = {"database",
               "api_socket",
               "api_listen",
               "connect_timeout",
               "request_timeout",
               "submit_timeout",
               "api_certificate",
               "api_key",
               "api_tokens_file",
               "admin_group",
               "default_resources",
               "default_walltime",
               "max_attempts",
               "api_patience",
               "api_connections",
               "api_connections_of_peer",
               "api_spool",
               "api_spool_size",
               "max_submission",
               "max_campaign_file",
               "max_tasks",
               "max_campaigns",
               "max_rows",
               "temporal_grouping",
               "params_shell",
               "max_retries",
               "pool_duration",
               "idle_period",
               "cycle_period",
               "module_time_limit",
               "api_cigri_path",
               "token_key_file",
               "api_cigri_proxies",
               "api_callers",
               "api_cigri_admins",
               "api_metrics_token",
               "api_metrics_addresses",
               "database_size_max",
               "grid_name",
               "mail_domains",
               "webhook_hosts",
               "api_cigri_public",
               "api_cigri_param_files",
               "stress_max",
               "api_cigri_param_reader",
               "api_streams",
               "api_streams_of_user",
               "input_spool",
               "input_spool_max",
               "input_spool_share",
               "input_max",
               "input_user_max",
               "availability",
               "read_access",
               "max_dependents",
               "brake_time",
               "brake_time_max",
               "least_uid",
               "refused_users",
               "api_proxies",
               "api_proxy_authority",
               "api_proxy_subject",
               "api_frame_ancestors"},
      .notes = "The API's document is at /openapi.json.",
      .section = 8,
  };
  return gleaner::process::run(program, argc, argv, gleaner::api::serve);
}
