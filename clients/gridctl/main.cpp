#include <algorithm>
#include <iterator>
#include <string_view>

#include "clients/gridctl/commands.hpp"
#include "lib/grid/planning_facts.hpp"
#include "lib/process/run.hpp"

int main(int argc, char** argv) {
  using namespace gleaner;
  process::Program program{
      .name = "gridctl",
      .purpose = "Administers the grid: its database, clusters, users, events. Talks to the database itself.",
      .keys = {"database",          "connect_timeout",       "request_timeout",
               "submit_timeout",    "cycle_period",          "idle_period",
               "retention",         "database_size_max",     "fairshare_window",
               "default_resources", "default_walltime",      "temporal_grouping",
               "params_shell",      "max_attempts",          "max_charged_attempts",
               "max_retries",       "walltime_retry_factor", "module_time_limit",
               "least_uid",         "refused_users",         "token_key_file"},
      .options =
          {{"api", "oar2|oar3|g5k", "the kind of its API: that of OAR 2.5 and 2.6, that of OAR 3, or Grid'5000's of one site (oar2)"},
           {"authentication", "none|basic|certificate|token|signed", "how the API knows us (none)"},
           {"auth", "none|basic|certificate|token|signed", "the same, shorter"},
           {"login", "LOGIN", "basic: the grid's login there"},
           {"secret-file", "FILE", "basic: the file of its password, which others cannot read"},
           {"homes", "PATH", "OAR 3: where its users have their homes, %u being the user (/home/%u)"},
           {"identity-header", "NAME", "the header that names the user to the API (X_REMOTE_IDENT)"},
           {"ca-file", "FILE", "the authorities that may have signed the API's certificate; import cigri: for all clusters"},
           {"certificate", "FILE", "certificate: ours, PEM; setup: the API's; import cigri: ours, for the clusters that took CiGri's"},
           {"key", "FILE",
            "certificate, setup, import cigri: its private key, PEM; signed: the key that signs users' tokens (API_SECRET_KEY)"},
           {"no-verify", "", "trust any TLS certificate (for trials only)"},
           {"verify", "", "verify it again"},
           {"insecure", "",
            "cluster add, cluster edit, import cigri: send the password over http, which others can read; user map: take a login of the system, such "
            "as root"},
           {"url", "URL", "cluster edit: the new address"},
           {"flood", "FRACTION", "what may wait in its queue; `default`: as configured"},
           {"array_size", "NUMBER", "the most jobs in one submission; `default`: as configured"},
           {"headroom", "RESOURCES",
            "resources that stay free for local jobs: a number, a part such as 5%, or auto; `default`: as configured"},
           {"availability", "POLICY",
            "what makes its resources unavailable: dedicated (jobs hold them), utilized (their load) or combined; `default`: as configured"},
           {"load_property", "NAME",
            "the property of OAR's resources that states how many of their node are busy; `none`: there is none; `default`: as configured"},
           {"shared_home", "NAME",
            "clusters of one NAME have their users' homes in common: checkpoints, files of earlier tasks and input files; `none`: this one has its own"},
           {"shares", "CLUSTER", "its users' homes are those of this cluster, and of all that share them; `none`: it has its own"},
           {"properties", "CONDITION",
            "what the resources of all jobs there must have, as OAR's SQL, such as \"local = 'NO'\"; `none`: no condition"},
           {"memory-property", "NAME", "the property of OAR's resources that holds a node's memory, such as mem; `none`: there is none"},
           {"memory-unit", "MB", "what one of it is, such as 1024 when it counts GB (1)"},
           {"memory-max", "MB", "memory of the biggest node; `unknown`: not known"},
           {"disabled", "", "cluster add, rules add: do not use it yet"},
           {"name", "NAME", "rules add: the rule's name (else the file's, without .rb); rules edit: its new one"},
           {"position", "NUMBER", "rules add, rules edit: its place in the order, 1 being the first (rules add: the last)"},
           {"nb-jobs,n", "NUMBER", "rules test: how many tasks there are, where the file does not say it"},
           {"as", "USER", "check: the user to be taken for, by their login on each cluster (the one who runs it)"},
           {"older-than", "DURATION", "prune: instead of the configured retention, such as 90d"},
           {"yes", "", "cluster retire: do it, at the risk that was shown; prune, setup, import cigri: ask nothing"},
           {"reason", "TEXT", "cluster retire, job lost, launch lost: why, for the record"},
           {"repair", "", "db check: repair what can be repaired safely"},
           {"full", "", "db check: campaigns that are over too, and every task"},
           {"dry-run", "", "prune: only say how much; import cigri: only say what, and what cannot be taken"},
           {"from", "CONNINFO|INSTANT",
            "import cigri: CiGri's database, as libpq writes it; its password is for ~/.pgpass; keep set: when it begins, such as "
            "2026-12-01T08:00:00Z (now)"},
           {"until", "INSTANT", "keep set: when it ends (never)"},
           {"hours", "FROM-TO", "keep set: hours of each day in UTC, such as 08:00-18:00 (all day)"},
           {"resources", "RESOURCES", "keep set: how many, such as 40, or a part of the cluster's, such as 10%"},
           {"type", "test|default", "keep set: for campaigns of this type"},
           {"new-users", "DURATION", "keep set: for users whose first campaign was submitted less than this ago, such as 30d"},
           {"only", "PARTS", "import cigri: only these of clusters, users and campaigns, such as clusters,users"},
           {"live-tasks", "leave-out|import",
            "import cigri: do so with tasks whose jobs may be on clusters; without it, their campaigns are refused"},
           {"drained", "DURATION",
            "import cigri: campaigns that CiGri paused in this last time were paused for the change, not by their users"},
           {"while-cigri-runs", "", "import cigri: import campaigns although others are connected to CiGri's database"},
           {"user", "USER",
            "limit set: whom it holds, or `each`; keep set: for whom; rules test: who submits; audit, import cigri: whose; setup: who runs the "
            "services (gleaner)"},
           {"since", "DURATION", "audit: only the acts of that time, such as 7d"},
           {"group", "GROUP", "limit set, keep set: the unix group of users whom it holds, or for whom it is"},
           {"project", "PROJECT",
            "limit set: whom it holds, or `each`; keep set: for whom; share: the project above, such as science/physics"},
           {"campaign", "ID", "limit set: which one it holds, or `each`; keep set: for which one"},
           {"cluster", "CLUSTER", "limit set: where it holds; keep set: whose resources are kept"},
           {"silent", "DURATION",
            "limit set: jobs of a cluster that has not answered for so long do not count, such as 30m (they count until they are known to be "
            "over)"},
           {"days", "DAYS", "limit set resource_seconds, usage list: days that count, today included"},
           {"campaigns", "NUMBER",
            "user limit: campaigns in treatment or paused; `default`: max_campaigns; import cigri: only these, such as 12,15"},
           {"tasks", "NUMBER", "user limit: tasks of one campaign; `default`: max_tasks"},
           {"submission", "SIZE", "user limit: of one submission, such as 4G; `default`: max_submission"},
           {"postgres", "CONNINFO", "setup: how a superuser of PostgreSQL connects (as the user postgres of this machine)"},
           {"listen", "ADDRESS", "setup: the API's TCP address for users of other machines, such as 0.0.0.0:8443 (none)"},
           {"directory", "DIRECTORY",
            "setup: where the configuration and the tokens go; import cigri: the passwords of clusters (/etc/gleaner)"},
           {"all", "", "event list: closed ones too"},
           {"json", "", "print JSON"},
           {"csv", "", "print CSV"},
           {"quiet,q", "", "print ids or names alone"}},
      .positional = "COMMAND [ARGUMENT...]",
      .interruption = process::Interruption::ends_program,
      .notes = "A password is never an option: --secret-file names a file that only its owner can read.",
      .section = 8};
  for (const auto& command : gridctl::commands())
    program.commands.push_back({command.words, command.arguments, command.purpose, command.options});
  auto place = std::ranges::find(program.options, std::string_view{"flood"}, &process::ProgramOption::name);
  grid::for_each_field(grid::kDeclaredFields, [&](const auto& field) {
    place = std::next(program.options.insert(place, {field.option, field.unit, field.help}));
  });
  return process::run(program, argc, argv, gridctl::dispatch);
}
