#include "herald/herald.hpp"
#include "lib/process/run.hpp"

int main(int argc, char** argv) {
  using namespace gleaner;
  const process::Program program{.name = "herald",
                                 .purpose = "tells users and administrators what happens in the grid: by mail, webhooks and a program",
                                 .keys = {"database",          "grid_name",    "herald_delay",   "herald_interval",    "herald_lost_after",
                                          "herald_time_limit", "herald_retry", "herald_give_up", "herald_admins",      "on_event",
                                          "mail_server",       "mail_tls",     "mail_login",     "mail_password_file", "mail_ca_file",
                                          "mail_sendmail",     "mail_from",    "webhook_hosts",  "webhook_private",    "webhook_ca_file",
                                          "database_size_max", "cycle_period", "idle_period",    "lease_duration",     "module_time_limit"},
                                 .options = {{"once", "", "send what is due now, and end, for cron"}},
                                 .notes = "Users say with gridnotify what they are told, and where.",
                                 .section = 8};
  return process::run(program, argc, argv, [](const process::Context& context) {
    return context.arguments.has("once") ? herald::run_once(context.config) : herald::run_service(context.config);
  });
}
