#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <ranges>

#include "lib/grid/resource_request.hpp"
#include "lib/grid/walltime.hpp"
#include "lib/process/log.hpp"
#include "lib/process/options.hpp"
#include "lib/process/values.hpp"
#include "lib/text/numbers.hpp"
#include "lib/text/suggest.hpp"

namespace gleaner::process {
namespace {

/// The right form; empty when the value was read.
using Wrong = std::optional<std::string>;

template <auto Member>
Wrong read_word(std::string_view value, Config& into) {
  if (value.empty()) return "a name";
  into.*Member = std::string{value};
  return {};
}

template <auto Member>
Wrong read_path(std::string_view value, Config& into) {
  const auto expanded = expand_home(value);
  if (!value.empty() && !expanded.is_absolute()) return "an absolute path, or one that begins with ~/";
  into.*Member = expanded;
  return {};
}

template <auto Member>
Wrong read_duration(std::string_view value, Config& into) {
  const auto read = parse_duration(value);
  if (!read) return "a time such as 30s, 5m, 2h, 1d or 200ms";
  into.*Member = *read;
  return {};
}

template <auto Member>
Wrong read_some_time(std::string_view value, Config& into) {
  if (const auto wrong = read_duration<Member>(value, into)) return wrong;
  if ((into.*Member).count() == 0) return "a time longer than 0";
  return {};
}

template <auto Member, int Least, int Most>
Wrong read_integer(std::string_view value, Config& into) {
  const auto read = text::whole_number<int>(value, Least, Most);
  if (!read) return fmt::format("a whole number from {} to {}", Least, Most);
  into.*Member = *read;
  return {};
}

template <auto Member>
Wrong read_size(std::string_view value, Config& into) {
  const auto read = parse_size(value);
  if (!read || *read < 1024) return "a size from 1K, such as 512K, 64M or 4G";
  into.*Member = *read;
  return {};
}

template <auto Member>
Wrong read_fraction(std::string_view value, Config& into) {
  const auto read = text::real_number(value);
  if (!read || *read < 0 || *read > 100) return "a number from 0 to 100, such as 0.5";
  into.*Member = *read;
  return {};
}

template <auto Member>
Wrong read_factor(std::string_view value, Config& into) {
  const auto read = text::real_number(value);
  if (!read || *read <= 1 || *read > 100) return "a number greater than 1, up to 100, such as 1.5";
  into.*Member = *read;
  return {};
}

template <auto Member>
Wrong read_at_least_one(std::string_view value, Config& into) {
  const auto read = text::real_number(value);
  if (!read || *read < 1 || *read > 100) return "a number from 1 to 100, such as 4";
  into.*Member = *read;
  return {};
}

Wrong read_level(std::string_view value, Config& into) {
  if (std::ranges::find(log::kLevels, value) == log::kLevels.end())
    return fmt::format("one of {}{}", fmt::join(log::kLevels, ", "), text::did_you_mean(value, log::kLevels));
  into.log_level = std::string{value};
  return {};
}

Wrong read_resources(std::string_view value, Config& into) {
  if (const auto read = grid::ResourceRequest::parse(value); !read)
    return fmt::format("a request such as /core=1 or /nodes=1/core=4 ({})", read.error());
  into.default_resources = std::string{value};
  return {};
}

Wrong read_walltime(std::string_view value, Config& into) {
  const auto read = grid::parse_walltime(value);
  if (!read) return "a walltime such as 1:00:00 (hours:minutes:seconds)";
  into.default_walltime = *read;
  return {};
}

Wrong read_grouping(std::string_view value, Config& into) {
  const auto read = grid::grouping(value);
  if (!read) return "advise, false, true or auto";
  into.temporal_grouping = *read;
  return {};
}

Wrong read_address(std::string_view value, Config& into) {
  const bool known = value.starts_with("unix:/") || value.starts_with("http://") || value.starts_with("https://");
  if (!known) return "unix:/path/of/socket, http://host:port or https://host:port";
  into.api = std::string{value};
  return {};
}

/// A factor from 0 to 1.
template <auto Member>
Wrong read_part(std::string_view value, Config& into) {
  const auto read = text::real_number(value);
  if (!read || *read < 0 || *read > 1) return "a number from 0 to 1, such as 0.7";
  into.*Member = *read;
  return {};
}

template <auto Member>
Wrong read_yes_no(std::string_view value, Config& into) {
  if (value != "yes" && value != "no") return "yes or no";
  into.*Member = value == "yes";
  return {};
}

Wrong read_listen(std::string_view value, Config& into) {
  auto addresses = split_list(value);
  for (const auto& one : addresses) {
    const auto colon = one.rfind(':');
    const bool has_port = colon != std::string::npos && text::whole_number<std::uint16_t>(std::string_view{one}.substr(colon + 1));
    if (!has_port || colon == 0) return "addresses such as 127.0.0.1:8443, [::1]:8443, with commas between them";
  }
  into.api_listen = std::move(addresses);
  return {};
}

Wrong read_cigri_path(std::string_view value, Config& into) {
  constexpr std::string_view kLetters{"abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-_~"};
  const bool is_path = value.size() > 1 && value.front() == '/' && value.find_first_not_of(kLetters, 1) == std::string_view::npos;
  if (!value.empty() && !is_path) return "a slash and one word of letters, digits, - _ or ~, such as /cigri; empty: off";
  into.api_cigri_path = std::string{value};
  return {};
}

template <auto Member>
Wrong read_names(std::string_view value, Config& into) {
  into.*Member = split_list(value);
  return {};
}

// Formatters: the result, read again, has the same value.

std::string written(const std::string& value) { return value; }
std::string written(const std::filesystem::path& value) { return value.string(); }
std::string written(Duration value) { return format_duration(value); }
std::string written(grid::Seconds value) { return grid::format_walltime(value); }
std::string written(std::uint64_t value) { return format_size(value); }
std::string written(int value) { return fmt::format("{}", value); }
std::string written(double value) { return fmt::format("{}", value); }
std::string written(grid::Grouping value) { return std::string{grid::name_of(value)}; }
std::string written(bool value) { return value ? "yes" : "no"; }
std::string written(const std::vector<std::string>& value) { return fmt::format("{}", fmt::join(value, ",")); }

template <auto Member>
std::string write(const Config& config) {
  return written(config.*Member);
}

// The kinds of values in the table.

template <auto Member>
constexpr Option::Codec word{read_word<Member>, write<Member>};
template <auto Member>
constexpr Option::Codec path{read_path<Member>, write<Member>};
template <auto Member>
constexpr Option::Codec duration{read_duration<Member>, write<Member>};
template <auto Member>
constexpr Option::Codec some_time{read_some_time<Member>, write<Member>};
template <auto Member>
constexpr Option::Codec size{read_size<Member>, write<Member>};
template <auto Member>
constexpr Option::Codec fraction{read_fraction<Member>, write<Member>};
template <auto Member>
constexpr Option::Codec factor{read_factor<Member>, write<Member>};
template <auto Member>
constexpr Option::Codec at_least_one{read_at_least_one<Member>, write<Member>};
template <auto Member>
constexpr Option::Codec part{read_part<Member>, write<Member>};
template <auto Member>
constexpr Option::Codec yes_no{read_yes_no<Member>, write<Member>};
template <auto Member, int Least, int Most>
constexpr Option::Codec integer{read_integer<Member, Least, Most>, write<Member>};
constexpr Option::Codec level{read_level, write<&Config::log_level>};
constexpr Option::Codec resources{read_resources, write<&Config::default_resources>};
constexpr Option::Codec walltime{read_walltime, write<&Config::default_walltime>};
constexpr Option::Codec grouping{read_grouping, write<&Config::temporal_grouping>};
constexpr Option::Codec address{read_address, write<&Config::api>};
constexpr Option::Codec listen{read_listen, write<&Config::api_listen>};
constexpr Option::Codec cigri_path{read_cigri_path, write<&Config::api_cigri_path>};
template <auto Member>
constexpr Option::Codec names{read_names<Member>, write<Member>};

constexpr auto host = Option::Scope::host;
constexpr auto plan = Option::Scope::plan;
constexpr auto planner = Option::Scope::planner;

// The table: to add an option, add one line here, a member of Config, and its text in packaging/gleaner.conf.
constexpr auto kOptions = std::to_array<Option>({
    {"database", "CONNINFO", "dbname=gleaner", "the PostgreSQL database, as libpq writes it (conninfo or URI)", word<&Config::database>,
     host},
    {"database_dead_after", "DURATION", "30s",
     "a host at the other end of a connection to the database that answers nothing for so long is given up, by us and by PostgreSQL; 0: never",
     duration<&Config::database_dead_after>, host},
    {"database_statement_timeout", "DURATION", "60s", "a statement that takes longer is given up; 0: none",
     duration<&Config::database_statement_timeout>, host},
    {"database_lock_timeout", "DURATION", "30s", "the same of one that waits for the lock of another; 0: none",
     duration<&Config::database_lock_timeout>, host},
    {"database_idle_timeout", "DURATION", "60s",
     "PostgreSQL ends a transaction in which nothing happens for so long, and frees its locks; 0: never",
     duration<&Config::database_idle_timeout>, host},
    {"log_level", "LEVEL", "info", "what the log takes: debug, info, warning or error", level, host},
    {"log_file", "FILE", "", "where the log goes; empty: standard error", path<&Config::log_file>, host},

    {"cycle_period", "DURATION", "5s", "time between the beginnings of two cycles while campaigns are in treatment",
     some_time<&Config::cycle_period>, plan},
    {"idle_period", "DURATION", "30s", "the same while there is nothing to do", some_time<&Config::idle_period>, host},
    {"lease_duration", "DURATION", "15s", "how long a silent almighty keeps the lease before another may take it",
     some_time<&Config::lease_duration>, host},
    {"module_time_limit", "DURATION", "120s", "a module that takes longer in one cycle is killed", some_time<&Config::module_time_limit>,
     host},
    {"module_patience", "DURATION", "3s", "a module that still waits for slow clusters after so long goes on beside the next ones",
     some_time<&Config::module_patience>, host},
    {"bin_directory", "DIRECTORY", "", "where almighty finds the modules; empty: where they are installed, or beside it",
     path<&Config::bin_directory>, host},
    {"check_period", "DURATION", "1h", "time between two checks of the laws of the database (gridctl db check); 0: never",
     duration<&Config::check_period>, host},

    {"flood", "FRACTION", "0.5", "what may wait in a cluster's own queue, as a fraction of its resources", fraction<&Config::flood>, plan},
    {"predictor_algorithm", "NAME", "measured", "how the job ratios are adapted", word<&Config::predictor_algorithm>, plan},
    {"job_ratio_max", "NUMBER", "1", "the most jobs for one resource that they may learn: above 1, short jobs wait behind each other",
     at_least_one<&Config::job_ratio_max>, plan},
    {"campaign_order", "NAME", "fifo", "which campaign goes first", word<&Config::campaign_order>, planner},
    {"simultaneous", "YES|NO", "no", "several campaigns of one user share what the user gets, instead of one after the other",
     yes_no<&Config::simultaneous>, planner},
    {"campaign_scheduler", "NAME", "workqueue", "how a campaign is treated whose JDL does not say it", word<&Config::campaign_scheduler>,
     plan},
    {"placement", "NAME", "power", "which cluster a campaign gets first", word<&Config::placement>, planner},
    {"probe_jobs", "NUMBER", "3", "jobs that go first to a cluster of which nothing is known", integer<&Config::probe_jobs, 1, 100000>,
     planner},
    {"pool_duration", "DURATION", "120s", "how long one job takes tasks, where a campaign groups short ones (temporal_grouping)",
     some_time<&Config::pool_duration>, planner},
    {"expired_quantile", "QUANTILE", "0.95", "of the durations known: a task that runs longer may get a second copy",
     part<&Config::expired_quantile>, plan},
    {"reservations", "YES|NO", "yes", "what is freed is held back for a wide job that could not start", yes_no<&Config::reservations>,
     planner},
    {"fairshare_usage", "RULE", "absolute", "how usage counts against a share: absolute (P = S - U) or by_share (P = S - S U)",
     word<&Config::fairshare_usage>, planner},
    {"fairshare_decay", "FACTOR", "0.7", "what a day of usage counts for one day later", part<&Config::fairshare_decay>, plan},
    {"fairshare_window", "DAYS", "7", "days of usage that count, today included", integer<&Config::fairshare_window, 1, 365>, plan},
    {"multifactor_weights", "WEIGHTS", "age:1000,fairshare:1000,size:0,priority:1000,affinity:500",
     "what each factor counts in the order multifactor", word<&Config::multifactor_weights>, planner},
    {"age_max", "DURATION", "7d", "age at which a campaign's age counts in full", some_time<&Config::age_max>, planner},
    {"throughput_window", "DURATION", "2h", "how far back the throughput and the durations of jobs are measured",
     some_time<&Config::throughput_window>, plan},
    {"stress_max", "FACTOR", "0.8", "a cluster whose stress factor is this or more gets fewer jobs; 0: the factor is not looked at",
     fraction<&Config::stress_max>, host},
    {"stress_latency", "FACTOR", "5", "the same of one whose API answers so many times slower than when it is calm; 0: not looked at",
     fraction<&Config::stress_latency>, host},
    {"stress_durations", "YES|NO", "yes", "the same of one where jobs take the longer the more of ours run",
     yes_no<&Config::stress_durations>, host},
    {"stress_pause", "DURATION", "30s", "how long a change of that limit is left to show what it does", some_time<&Config::stress_pause>,
     host},
    {"array_size", "NUMBER", "500", "the most jobs in one submission to a cluster", integer<&Config::array_size, 1, 100000>, plan},

    {"remote_waiting_timeout", "DURATION", "15m", "a job that waits longer in a cluster's queue is taken back",
     some_time<&Config::remote_waiting_timeout>, plan},
    {"waiting_grace", "DURATION", "10m", "a waiting job younger than this is never taken back as excess", duration<&Config::waiting_grace>,
     plan},

    {"default_resources", "RESOURCES", "/core=1", "what a job asks of its cluster when the JDL does not say it", resources, plan},
    {"default_walltime", "WALLTIME", "1:00:00", "the walltime of a job when the JDL does not say it", walltime, plan},
    {"temporal_grouping", "GROUPING", "advise",
     "whether jobs take several tasks when the JDL does not say it: false, true, auto, or advise: no, and gridstat shows the gain",
     grouping, plan},
    {"params_shell", "YES|NO", "no",
     "whether the shell of a task expands its parameter ($HOME, ~, *.c), as in CiGri, when the JDL does not say it",
     yes_no<&Config::params_shell>, host},

    {"max_attempts", "NUMBER", "50",
     "the most jobs for one task, whoever is to blame for their ends; those that waited and were taken back do not count; a JDL may ask for fewer",
     integer<&Config::max_attempts, 1, 100000>, plan},
    {"max_charged_attempts", "NUMBER", "1", "the most jobs for one task that end by its own fault, when the JDL states no retries",
     integer<&Config::max_charged_attempts, 1, 100000>, plan},
    {"max_retries", "NUMBER", "10", "the most retries that a JDL may ask for", integer<&Config::max_retries, 0, 100000>, host},
    {"walltime_retry_factor", "NUMBER", "1.5", "what the walltime of a task killed by it is multiplied with, up to the JDL's max_walltime",
     factor<&Config::walltime_retry_factor>, plan},
    {"failures_before_brake", "NUMBER", "3", "failures in a row before nothing more is sent there for a time",
     integer<&Config::failures_before_brake, 1, 100000>, plan},
    {"brake_time", "DURATION", "1m",
     "how long the first brake lasts; each further one twice as long, and half as long again after each brake_time_max without one",
     some_time<&Config::brake_time>, host},
    {"brake_time_max", "DURATION", "1h", "the longest brake", some_time<&Config::brake_time_max>, host},

    {"void_delay", "DURATION", "15s", "a launch without an answer is given up only after this time on a healthy cluster",
     some_time<&Config::void_delay>, host},
    {"void_looks", "NUMBER", "2", "and after so many looks that did not find it", integer<&Config::void_looks, 1, 1000>, host},

    {"release_after", "DURATION", "0s",
     "tasks of a launch that was given up may go to another cluster after this time, at the risk that they run twice; 0: never",
     duration<&Config::release_after>, host},

    {"launch_patience", "DURATION", "5m",
     "a job that its cluster keeps in toLaunch or Launching longer, and that has not begun, is deleted",
     some_time<&Config::launch_patience>, host},
    {"evidence_delay", "DURATION", "5s",
     "time after the end of a job before its files are taken to be complete; longer than a network file system hides them",
     duration<&Config::evidence_delay>, host},
    {"evidence_patience", "DURATION", "2m", "time after which OAR's word counts when the files of a job cannot be read",
     some_time<&Config::evidence_patience>, host},

    {"connect_timeout", "DURATION", "3s", "time limit to connect to a cluster or to the API", some_time<&Config::connect_timeout>, host},
    {"request_timeout", "DURATION", "10s", "time limit of a request that changes nothing", some_time<&Config::request_timeout>, host},
    {"submit_timeout", "DURATION", "30s", "time limit of a submission or a deletion", some_time<&Config::submit_timeout>, host},
    {"status_max_age", "DURATION", "60s", "nothing is decided for a cluster whose figures are older", some_time<&Config::status_max_age>,
     host},

    {"cleanup_delay", "DURATION", "60s", "time after a campaign's end before its files on the clusters are removed",
     duration<&Config::cleanup_delay>, host},
    {"retention", "DURATION", "90d", "ended campaigns older than this may be pruned", some_time<&Config::retention>, host},

    {"api", "ADDRESS", "unix:/run/gleaner/api.socket", "where the commands find the API: unix:/path, http://host:port or https://host:port",
     address, host},
    {"token_file", "FILE", "", "the file of the commands' token, which nobody else may read; not needed on a unix socket",
     path<&Config::token_file>, host},
    {"api_ca_file", "FILE", "", "the authorities that may have signed the API's certificate; empty: the system's",
     path<&Config::api_ca_file>, host},
    {"style", "NAME", "gleaner", "how the commands print their tables for people: gleaner, or cigri: as CiGri's commands do",
     word<&Config::style>, host},
    {"api_socket", "FILE", "/run/gleaner/api.socket", "the unix socket of the API; empty: none", path<&Config::api_socket>, host},
    {"api_listen", "ADDRESSES", "", "the TCP addresses of the API, such as 127.0.0.1:8443; empty: none", listen, host},
    {"api_certificate", "FILE", "", "the API's TLS certificate (PEM); without one, only loopback addresses are served",
     path<&Config::api_certificate>, host},
    {"api_key", "FILE", "", "the certificate's private key, which nobody else may read", path<&Config::api_key>, host},
    {"api_tokens_file", "FILE", "", "the tokens that the API accepts over TCP, which nobody else may read", path<&Config::api_tokens_file>,
     host},
    {"api_connections", "NUMBER", "64", "the connections that the API answers at once; those beyond wait",
     integer<&Config::api_connections, 1, 10000>, host},
    {"api_connections_of_peer", "NUMBER", "32", "of those, from one address, or of one user on the unix socket",
     integer<&Config::api_connections_of_peer, 1, 10000>, host},
    {"api_spool", "DIRECTORY", "/var/tmp", "where large submissions are kept while they arrive", path<&Config::api_spool>, host},
    {"api_spool_size", "SIZE", "4G", "what they may take there together", size<&Config::api_spool_size>, host},
    {"max_submission", "SIZE", "1G", "the most bytes of one submission, its parameters included, and of all that one user sends at once",
     size<&Config::max_submission>, host},
    {"max_campaign_file", "SIZE", "8M", "of those, of the campaign file with the parameters that stand in it",
     size<&Config::max_campaign_file>, host},
    {"max_tasks", "NUMBER", "1000000", "the most tasks of one campaign", integer<&Config::max_tasks, 1, 100000000>, host},
    {"max_campaigns", "NUMBER", "1000", "the most campaigns of one user that are in treatment or paused",
     integer<&Config::max_campaigns, 1, 1000000>, host},
    {"max_rows", "NUMBER", "10000", "the most items of one answer of the API", integer<&Config::max_rows, 1000, 10000>, host},
    {"admin_group", "GROUP", "gleaner-admin", "the unix group whose members may change everybody's campaigns", word<&Config::admin_group>,
     host},
    {"api_patience", "DURATION", "20s",
     "the longest that a request waits for one statement, a lock or the rest of a transaction, where the limits of the database's connections are longer",
     some_time<&Config::api_patience>, host},
    {"api_cigri_path", "PATH", "/cigri", "where the API has CiGri's routes and words, for its clients; empty: nowhere", cigri_path, host},
    {"api_cigri_proxies", "USERS", "", "the users of the unix socket whose header X-CIGRI-USER names the caller there; empty: none",
     names<&Config::api_cigri_proxies>, host},
    {"api_cigri_admins", "USERS", "", "the users named by that header who may change everybody's campaigns; empty: none",
     names<&Config::api_cigri_admins>, host},
    {"api_cigri_public", "YES|NO", "no", "whether everybody who can connect may read there, but no outputs of tasks",
     yes_no<&Config::api_cigri_public>, host},
});

}  // namespace

std::span<const Option> options() { return kOptions; }

const Option* find_option(std::string_view key) {
  const auto found = std::ranges::find(kOptions, key, &Option::key);
  return found == kOptions.end() ? nullptr : &*found;
}

std::vector<std::string_view> option_keys() {
  std::vector<std::string_view> keys;
  std::ranges::transform(kOptions, std::back_inserter(keys), &Option::key);
  return keys;
}

}  // namespace gleaner::process
