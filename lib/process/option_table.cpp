#include <algorithm>
#include <array>
#include <cstddef>
#include <ranges>
#include <tuple>
#include <type_traits>
#include <utility>

#include "lib/process/option_codecs.hpp"
#include "lib/process/options.hpp"

namespace gleaner::process {
namespace {

using namespace codecs;

constexpr auto host = Option::Scope::host;
constexpr auto plan = Option::Scope::plan;

// The table: to add an option, add one line here, a member of Config, and its text in packaging/gleaner.conf. The planner's options are in
// lib/grid/planner_config.hpp.
constexpr auto kOptionsBeforePlanner = std::to_array<Option>({
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
    {"database_size_max", "SIZE", "0", "the size to which the database may grow: from nine tenths of it on, /health warns; 0: not known",
     size_or_none<&Config::database_size_max>, host},
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
    {"headroom", "RESOURCES", "0", "resources of a cluster that stay free for local jobs: a number, a part such as 5%, or auto (learnt)",
     headroom, plan},
    {"headroom_weight", "NUMBER", "50",
     "idle resource-seconds that a resource-second of a local job's waiting is worth, where the headroom is auto", headroom_weight, plan},
    {"availability", "POLICY", "dedicated",
     "what makes a cluster's resources unavailable: dedicated (jobs hold them), utilized (their load) or combined (the greater of both)",
     availability, host},
    {"load_property", "NAME", "", "the property of OAR's resources that states how many of their node are busy; empty: there is none",
     load_property, host},
    {"predictor_algorithm", "NAME", "measured", "how the job ratios are adapted", word<&Config::predictor_algorithm>, plan},
    {"job_ratio_max", "NUMBER", "4",
     "the most short jobs that go out for one resource, one behind the other, where jobs take one task each",
     at_least_one<&Config::job_ratio_max>, plan},
});

constexpr auto kOptionsAfterPlanner = std::to_array<Option>({
    {"fairshare_decay", "FACTOR", "0.7", "what a day of usage counts for one day later", part<&Config::fairshare_decay>, plan},
    {"fairshare_window", "DAYS", "7", "days of usage that count, today included", integer<&Config::fairshare_window, 1, 365>, plan},
    {"campaign_scheduler", "NAME", "workqueue", "how a campaign is treated whose JDL does not say it", word<&Config::campaign_scheduler>,
     plan},
    {"expired_quantile", "QUANTILE", "0.95", "of the durations known: a task that runs longer may get a second copy",
     part<&Config::expired_quantile>, plan},
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
    {"checkpoint_patience", "DURATION", "1h",
     "how long a task waits for the cluster where its checkpoint is, before it may begin anew on another one",
     duration<&Config::checkpoint_patience>, plan},
    {"checkpoint_notice", "DURATION", "2m",
     "how long before their end OAR may signal tasks with checkpoints, at most: so long does a local job wait that needs their resources; "
     "0: OAR sends no signal",
     duration<&Config::checkpoint_notice>, plan},

    {"launch_patience", "DURATION", "5m",
     "a job that its cluster keeps in toLaunch or Launching longer, and that has not begun, is deleted; a job whose launch its cluster gave "
     "up, and that began, has so long after its walltime to note its end",
     some_time<&Config::launch_patience>, host},
    {"evidence_delay", "DURATION", "5s",
     "time after the end of a job before its files are taken to be complete; longer than a network file system hides them",
     duration<&Config::evidence_delay>, host},
    {"evidence_patience", "DURATION", "2m", "time after which OAR's word counts when the files of a job cannot be read",
     some_time<&Config::evidence_patience>, host},

    {"connect_timeout", "DURATION", "3s", "time limit to connect to a cluster or to the API", some_time<&Config::connect_timeout>, host},
    {"request_timeout", "DURATION", "10s", "time limit of a request that changes nothing", some_time<&Config::request_timeout>, host},
    {"submit_timeout", "DURATION", "30s", "time limit of a submission or a deletion", some_time<&Config::submit_timeout>, host},
    {"api_timeout", "DURATION", "60s", "time limit of a command's request to the API, which may wait for a cluster meanwhile",
     some_time<&Config::api_timeout>, host},
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
    {"api_proxies", "USERS", "",
     "the users of the unix socket, such as www-data, whose header X-Gleaner-User names the user of the page (single sign-on); empty: none",
     names<&Config::api_proxies>, host},
    {"api_proxy_authority", "FILE", "",
     "the authorities that may have signed the certificate of a web server whose header counts over TLS; empty: none counts",
     path<&Config::api_proxy_authority>, host},
    {"api_proxy_subject", "SUBJECT", "", "the subject of that certificate, such as CN=web.example.org,O=Example (RFC 2253)",
     plain<&Config::api_proxy_subject>, host},
    {"api_frame_ancestors", "ORIGINS", "",
     "the sites that may show the page within their own, such as https://portal.example.org, or self for this one; empty: none", origins,
     host},
    {"api_metrics_token", "FILE", "",
     "the token with which /metrics may be read over TCP, which nobody else may read; empty: none but those of administrators",
     path<&Config::api_metrics_token>, host},
    {"api_metrics_addresses", "ADDRESSES", "",
     "the addresses from which /metrics may be read over TCP without a token, such as 10.0.0.7 or 10.1.0.0/16; empty: none", ranges, host},
    {"api_connections", "NUMBER", "64", "the connections that the API answers at once; those beyond wait",
     integer<&Config::api_connections, 1, 10000>, host},
    {"api_connections_of_peer", "NUMBER", "32", "of those, from one address, or of one user",
     integer<&Config::api_connections_of_peer, 1, 10000>, host},
    {"api_streams", "NUMBER", "256", "the streams of changes that the API keeps open at once (GET /v1/events?after=now)",
     integer<&Config::api_streams, 0, 10000>, host},
    {"api_streams_of_user", "NUMBER", "32", "of those, of one user", integer<&Config::api_streams_of_user, 0, 10000>, host},
    {"api_spool", "DIRECTORY", "/var/tmp", "where large submissions are kept while they arrive", path<&Config::api_spool>, host},
    {"api_spool_size", "SIZE", "4G", "what they may take there together", size<&Config::api_spool_size>, host},
    {"input_spool", "DIRECTORY", "",
     "where input files of campaigns are kept, for gridapi and the runner; empty: campaigns cannot have any", path<&Config::input_spool>,
     host},
    {"input_spool_max", "SIZE", "20G", "what they may take there together", size<&Config::input_spool_max>, host},
    {"input_spool_share", "PART", "0.5", "the part of it that what one user uploaded may take; each content counts once",
     part<&Config::input_spool_share>, host},
    {"input_max", "SIZE", "1G", "the most bytes of one input file; a larger one is for a prologue to fetch", size<&Config::input_max>,
     host},
    {"input_user_max", "SIZE", "50G",
     "the most bytes that the input files of one user's campaigns in treatment or paused take in a home; each as often as it is named",
     size<&Config::input_user_max>, host},
    {"max_submission", "SIZE", "1G", "the most bytes of one submission, its parameters included, and of all that one user sends at once",
     size<&Config::max_submission>, host},
    {"max_campaign_file", "SIZE", "8M", "of those, of the campaign file with the parameters that stand in it",
     size<&Config::max_campaign_file>, host},
    {"max_tasks", "NUMBER", "1000000", "the most tasks of one campaign", integer<&Config::max_tasks, 1, 100000000>, host},
    {"max_campaigns", "NUMBER", "1000", "the most campaigns of one user that are in treatment or paused",
     integer<&Config::max_campaigns, 1, 1000000>, host},
    {"max_dependents", "NUMBER", "100", "the most campaigns that may wait for one campaign; half of them may be of others than its user",
     integer<&Config::max_dependents, 2, 100000>, host},
    {"max_rows", "NUMBER", "10000", "the most items of one answer of the API", integer<&Config::max_rows, 1000, 10000>, host},
    {"admin_group", "GROUP", "gleaner-admin", "the unix group whose members may change everybody's campaigns", word<&Config::admin_group>,
     host},
    {"least_uid", "NUMBER", "1000", "the least uid of a user of this machine who may have campaigns; 0: any",
     integer<&Config::least_uid, 0, 2000000000>, host},
    {"refused_users", "USERS",
     "root,oar,nobody,daemon,bin,sys,sync,adm,mail,news,uucp,proxy,backup,list,www-data,man,postgres,munge,slurm,sshd",
     "users who may have no campaign, nor be anybody's login on a cluster, as they are no persons; empty: none",
     names<&Config::refused_users>, host},
    {"read_access", "all|project|own", "all",
     "whose campaigns users may read: all, those of their projects in the tree of shares too, or their own; administrators read all", whose,
     host},
    {"api_patience", "DURATION", "20s",
     "the longest that a request waits for one statement, a lock or the rest of a transaction, where the limits of the database's connections are longer",
     some_time<&Config::api_patience>, host},
    {"api_callers", "USERS", "",
     "the users, beside administrators, who may say that jobs of a cluster began or ended, such as oar; empty: none",
     names<&Config::api_callers>, host},
    {"api_cigri_path", "PATH", "/cigri", "where the API has CiGri's routes and words, for its clients; empty: nowhere", cigri_path, host},
    {"api_cigri_proxies", "USERS", "", "the users of the unix socket whose header X-CIGRI-USER names the caller there; empty: none",
     names<&Config::api_cigri_proxies>, host},
    {"api_cigri_admins", "USERS", "", "the users named by that header who may change everybody's campaigns; empty: none",
     names<&Config::api_cigri_admins>, host},
    {"api_cigri_public", "YES|NO", "no", "whether everybody who can connect may read there, but no outputs of tasks",
     yes_no<&Config::api_cigri_public>, host},
    {"api_cigri_param_files", "FOLDERS", "",
     "below which folders of this machine a submission there may name its param_file, which is read as the socket's peer; empty: none",
     param_folders, host},
    {"api_cigri_param_reader", "FILE", "/run/gleaner-param-file/socket", "the socket of the program that reads these files",
     path<&Config::api_cigri_param_reader>, host},

    {"token_key_file", "FILE", "/etc/gleaner/cluster-tokens.key",
     "the key that encrypts users' tokens for clusters in the database, readable by the grid's programs alone",
     path<&Config::token_key_file>, host},

    {"grid_name", "NAME", "gleaner", "what messages call this grid", grid_name, host},
    {"herald_delay", "DURATION", "30s", "how long what happens is gathered before it is told", duration<&Config::herald_delay>, host},
    {"herald_interval", "DURATION", "15m", "the least time between two messages to one destination about one campaign, or about the grid",
     duration<&Config::herald_interval>, host},
    {"herald_lost_after", "DURATION", "15m", "administrators are told of a cluster that is unreachable for so long",
     duration<&Config::herald_lost_after>, host},
    {"herald_time_limit", "DURATION", "20s", "time limit of one delivery of a message", some_time<&Config::herald_time_limit>, host},
    {"herald_retry", "DURATION", "30s", "the pause before a failed delivery is tried again; it doubles each time, up to 30 minutes",
     some_time<&Config::herald_retry>, host},
    {"herald_give_up", "DURATION", "5d", "a message that could not be delivered for so long is given up",
     some_time<&Config::herald_give_up>, host},
    {"herald_admins", "ADDRESSES", "", "mail addresses that are told what concerns the whole grid; empty: none",
     mail_addresses<&Config::herald_admins>, host},
    {"on_event", "FILE", "", "a program that gets each message, as JSON on its stdin; empty: none", path<&Config::on_event>, host},
    {"mail_server", "URL", "", "the server that takes mail: smtp://host:port or smtps://host:port; empty: none", mail_server, host},
    {"mail_tls", "RULE", "offered", "encryption of smtp://: offered (STARTTLS if the server has it), required, or never", mail_tls, host},
    {"mail_login", "USER", "", "the login at the mail server, which then has to encrypt; empty: none", plain<&Config::mail_login>, host},
    {"mail_password_file", "FILE", "", "the file of its password, which nobody else may read", path<&Config::mail_password_file>, host},
    {"mail_ca_file", "FILE", "", "the authorities that may have signed the mail server's certificate; empty: the system's",
     path<&Config::mail_ca_file>, host},
    {"mail_sendmail", "FILE", "", "instead of a server: a program that takes mail as sendmail does; empty: none",
     path<&Config::mail_sendmail>, host},
    {"mail_from", "ADDRESS", "", "the sender of mail; empty: gleaner at this host", mail_from, host},
    {"mail_domains", "DOMAINS", "", "the domains of the addresses that users may give; empty: any", hosts<&Config::mail_domains>, host},
    {"webhook_hosts", "HOSTS", "", "the hosts to which users may have messages posted (webhooks); empty: none",
     hosts<&Config::webhook_hosts>, host},
    {"webhook_private", "YES|NO", "no", "whether those may have loopback and private addresses", yes_no<&Config::webhook_private>, host},
    {"webhook_ca_file", "FILE", "", "the authorities that may have signed their certificates; empty: the system's",
     path<&Config::webhook_ca_file>, host},
});

template <std::size_t Place>
Option planner_option() {
  constexpr auto row = std::get<Place>(grid::kPlannerOptions);
  using Value = std::remove_cvref_t<decltype(std::declval<Config&>().*row.member)>;
  const auto option = [&](Option::Codec codec) { return Option{row.key, row.type, row.fallback, row.help, codec, Option::Scope::planner}; };
  if constexpr (std::is_same_v<Value, int>) return option(integer<row.member, row.least, row.most>);
  else if constexpr (std::is_same_v<Value, bool>) return option(yes_no<row.member>);
  else if constexpr (std::is_same_v<Value, std::string>) return option(word<row.member>);
  else return option(some_time<row.member>);
}

}  // namespace

std::span<const Option> options() {
  static const auto all = []<std::size_t... Places>(std::index_sequence<Places...>) {
    std::vector<Option> options{kOptionsBeforePlanner.begin(), kOptionsBeforePlanner.end()};
    (options.push_back(planner_option<Places>()), ...);
    options.insert(options.end(), kOptionsAfterPlanner.begin(), kOptionsAfterPlanner.end());
    return options;
  }
  (std::make_index_sequence<std::tuple_size_v<decltype(grid::kPlannerOptions)>>{});
  return all;
}

const Option* find_option(std::string_view key) {
  const auto found = std::ranges::find(options(), key, &Option::key);
  return found == options().end() ? nullptr : &*found;
}

std::vector<std::string_view> option_keys() {
  std::vector<std::string_view> keys;
  std::ranges::transform(options(), std::back_inserter(keys), &Option::key);
  return keys;
}

}  // namespace gleaner::process
