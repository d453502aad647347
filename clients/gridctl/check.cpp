// Checks what the grid depends on. One finding per line, with a remedy for each failure.
#include <fmt/format.h>
#include <pwd.h>
#include <unistd.h>

#include <algorithm>
#include <cctype>
#include <cstdlib>
#include <future>

#include "clients/gridctl/check_homes.hpp"
#include "clients/gridctl/commands.hpp"
#include "lib/fleet/fleet.hpp"
#include "lib/fleet/health.hpp"
#include "lib/fleet/load.hpp"
#include "lib/fleet/tokens.hpp"
#include "lib/oar/client.hpp"
#include "lib/oar/transport.hpp"
#include "lib/process/values.hpp"
#include "lib/store/lease.hpp"
#include "lib/store/migrations.hpp"
#include "lib/store/views_grid.hpp"
#include "lib/terminal/text.hpp"
#include "lib/terminal/times.hpp"

namespace gleaner::gridctl {
namespace {

using process::ExitCode;
using terminal::Cell;
using terminal::Ink;
using terminal::Table;

struct Finding {
  std::string subject;  ///< the database, the conductor, a cluster
  std::string says;
  std::string to_do{};  ///< empty: no failure
  [[nodiscard]] bool is_wrong() const { return !to_do.empty(); }
};
using Findings = std::vector<Finding>;

constexpr std::chrono::seconds kMostClockDifference{5};

/// Whether somebody conducts, and what keeps the grid from its work. Clusters are asked themselves.
void check_grid(const Call& call, store::Transaction& transaction, Findings& findings) {
  const auto now = call.context.now;
  const auto holder = store::lease_holder(transaction);
  const auto cycle = store::views::last_cycle(transaction);
  const auto troubles = fleet::troubles(transaction, call.context.config, now);
  const bool stands = !troubles.empty() && troubles.front().kind == "conductor";
  if (!cycle) {
    findings.push_back(
        {"conductor", "no cycle has ever run", "start it: 'systemctl start gleaner-almighty', or 'almighty --once' from cron"});
  } else if (!stands) {
    // If cron runs the cycles, no process holds the lease between two of them.
    findings.push_back(
        {"conductor", fmt::format("{}; the last cycle began {}", holder ? "conducted by " + holder->name : "nobody holds the lease",
                                  terminal::ago(now - cycle->started_at))});
  }
  for (const auto& trouble : troubles) {
    if (trouble.kind == "conductor" && !cycle) continue;
    const auto since = trouble.since ? fmt::format(" since {} ({})", terminal::near_time(grid::to_unix(*trouble.since), now),
                                                   terminal::ago(now - *trouble.since))
                                     : std::string{};
    const auto subject = trouble.kind == trouble.subject ? trouble.kind : fmt::format("{} {}", trouble.kind, trouble.subject);
    findings.push_back({subject, fmt::format("{}{}", trouble.message, since), trouble.is_wanted ? std::string{} : trouble.remedy});
  }
}

/// A cluster, and the login of the user to be taken for there.
struct Checked {
  store::Cluster cluster;
  std::string login;
  store::ProvenEnds ends{};
};

/// The objects to be checked. Empty: the database cannot be read.
std::vector<Checked> check_database(const Call& call, const std::string& user, Findings& findings) {
  try {
    store::Database database{call.context.config.database, limits_of(call)};
    try {
      store::check_schema(database);
    } catch (const store::WrongSchema& error) {
      findings.push_back(
          {"database", error.what(), "run 'gridctl db migrate' with this version's gridctl; a newer schema needs newer programs"});
      return {};
    }
    findings.push_back({"database", "reached, its schema is up to date"});
    auto transaction = database.begin();
    check_grid(call, transaction, findings);
    std::vector<Checked> checked;
    for (auto& cluster : store::clusters(transaction)) {
      const auto ends = store::proven_ends(transaction, cluster.id);
      checked.push_back({std::move(cluster), user, ends});
    }
    for (const auto& mapping : store::user_mappings(transaction)) {
      const auto there = std::ranges::find(checked, mapping.cluster, [](const Checked& one) { return one.cluster.name; });
      if (mapping.user == user && there != checked.end()) there->login = mapping.login;
    }
    if (checked.empty()) findings.push_back({"clusters", "there is none", "add one: 'gridctl cluster add NAME URL'"});
    return checked;
  } catch (const store::Unavailable& error) {
    findings.push_back(
        {"database", error.what(), "start PostgreSQL, or correct `database` in the configuration; it must let this user in"});
    return {};
  }
}

/// `edit`: the command that changes the cluster.
std::string advice_on_credentials(const store::Cluster& cluster, const std::string& edit) {
  if (cluster.authentication == "basic")
    return fmt::format("is the login right, and its password? fix it with {} --login --secret-file", edit);
  if (cluster.authentication == "certificate")
    return fmt::format("does its web server trust our certificate? another one is set with {} --certificate --key", edit);
  if (cluster.authentication == "token")
    return fmt::format("the user prints a token there by 'oarsub -T', and gives it: 'gridtoken add {}'", cluster.name);
  if (cluster.authentication == "signed")
    return fmt::format("is {} the API_SECRET_KEY of its oar.conf, and do the clocks agree? another one is set with {} --key",
                       cluster.key_file, edit);
  return fmt::format(
      "its web server wants to know who the grid is, and the grid sends no proof (--auth none): set one with "
      "{} --auth basic --login --secret-file, or {} --auth certificate --certificate --key",
      edit, edit);
}

std::string advice(const oar::Failure& failure, const store::Cluster& cluster) {
  const auto edit = fmt::format("'gridctl cluster edit {}'", cluster.name);
  if (std::holds_alternative<oar::NotSent>(failure))
    return fmt::format("is the address right ({})? is its web server up, and is the network path open? fix it with {} --url", cluster.url,
                       edit);
  if (std::holds_alternative<oar::NoAnswer>(failure))
    return fmt::format("is {} the URL of an OAR API? does its server answer other clients?", cluster.url);
  if (const auto* refused = std::get_if<oar::Refused>(&failure)) {
    if (refused->status == 401 || refused->status == 403) return advice_on_credentials(cluster, edit);
    if (refused->status == 0) return advice_on_credentials(cluster, edit);
    if (refused->status == 404)
      return fmt::format("is {} the URL of an OAR API, and of this kind ({})? fix it with {} --url or --api", cluster.url, cluster.api,
                         edit);
    return fmt::format("is {} the URL of an OAR API? fix it with {} --url", cluster.url, edit);
  }
  return "read the log of its web server, and check that its OAR and database run";
}

/// OAR repeats any name that it is given, also one of nobody; but it must act as the user to list their home. Empty: it can.
std::optional<std::string> cannot_act(oar::Client& client, const std::string& user) {
  const auto home = client.find_folder(user, "~/");
  // A listing may be too long to be read: then it is one nevertheless.
  if (home || std::holds_alternative<oar::NoAnswer>(home.error())) return std::nullopt;
  return oar::describe(home.error());
}

/// OAR's API takes names of these letters alone; another one counts as nobody, whatever its web server does.
bool is_name_for_oar(std::string_view login) {
  return !login.empty() && std::ranges::all_of(login, [](unsigned char c) { return std::isalnum(c) != 0 || c == '_'; });
}

void check_identity(oar::Client& client, const Checked& checked, const std::string& user, Findings& findings) {
  const auto& [cluster, login, ends] = checked;
  const auto asked = login == user ? user : fmt::format("{}, the login of {} there", login, user);
  if (!is_name_for_oar(login)) {
    findings.push_back({cluster.name, fmt::format("OAR's API does not take the name '{}': it knows letters, digits and '_' alone", login),
                        fmt::format("give {} a login of such letters there: 'gridctl user map {} {} LOGIN'", user, user, cluster.name)});
    return;
  }
  const auto name = client.who_am_i(login);
  if (!name) {
    findings.push_back({cluster.name, "who we are: " + oar::describe(name.error()), advice(name.error(), cluster)});
  } else if (*name != login) {
    findings.push_back(
        {cluster.name, fmt::format("asked as {}, it takes us for {}", login, name->empty() ? "nobody" : *name),
         fmt::format("its web server must let our login name users by the header {} (--identity-header)", cluster.identity_header)});
  } else if (auto why = cannot_act(client, login)) {
    findings.push_back(
        {cluster.name, fmt::format("takes us for {} when asked as {}, but can do nothing as this user: {}", *name, asked, *why),
         fmt::format("is {} a user with a home on its front end? a login that differs there is set by 'gridctl user map {} {} LOGIN'",
                     login, user, cluster.name)});
  } else {
    findings.push_back({cluster.name, fmt::format("takes us for {} when asked as {}", *name, asked)});
  }
}

/// The load that the nodes report, where it counts.
void check_load(oar::Client& client, const std::string& property, const oar::Resources& resources, const Checked& checked,
                grid::Availability policy, Findings& findings) {
  const auto& cluster = checked.cluster;
  if (policy == grid::Availability::combined) {
    if (const auto held = client.held_by_node(checked.login); !held)
      findings.push_back({cluster.name, "what jobs hold on each node: " + oar::describe(held.error()),
                          "the load of all nodes is compared with all jobs together; its API must answer /select_all"});
  }
  const auto unknown = fleet::why_load_is_unknown(property, resources);
  if (unknown.empty()) {
    findings.push_back({cluster.name, fmt::format("its nodes state their load, in the property '{}'", property)});
    return;
  }
  findings.push_back({cluster.name, fmt::format("{}: their load counts as 0", unknown),
                      fmt::format("set it on the cluster ('oarproperty', 'oarnodesetting'), or name another one: 'gridctl cluster edit {} "
                                  "--load-property NAME'; '--availability dedicated' needs none",
                                  cluster.name)});
}

void check_resources(oar::Client& client, const Checked& checked, const process::Config& config, Findings& findings) {
  const auto& cluster = checked.cluster;
  const auto property = fleet::load_property(cluster, config);
  const auto resources = client.resources(property.value_or(""));
  if (!resources) {
    findings.push_back({cluster.name, "its resources: " + oar::describe(resources.error()), advice(resources.error(), cluster)});
    return;
  }
  const auto out = grid::text_of(*resources);
  const auto text = fmt::format("{} of {} resources can be used, on {}{}", resources->usable(), resources->total,
                                terminal::counted(static_cast<std::int64_t>(resources->nodes.size()), "node"),
                                out.empty() ? out : fmt::format(" ({})", out));
  findings.push_back({cluster.name, text, resources->usable() > 0 ? "" : "none is alive: see 'oarnodes' on its frontend"});
  if (property) check_load(client, *property, *resources, checked, cluster.availability.value_or(config.availability), findings);
}

void check_clock(const oar::Access& access, const oar::Limits& limits, Findings& findings) {
  oar::Transport transport{access, limits};
  const auto* const path = access.api == oar::Api::oar3 ? "/version" : access.api == oar::Api::g5k ? "/jobs?limit=1" : "/version.json";
  const std::vector<oar::Request> requests{{oar::Method::get, path, {}, {}}};
  const auto answers = transport.send(requests);
  if (answers.empty() || !answers[0] || !answers[0]->clock_ahead) return;
  const auto ahead = *answers[0]->clock_ahead;
  const auto off = std::chrono::abs(ahead);
  const auto text = off <= std::chrono::seconds{1}
                        ? "its clock is ours"
                        : fmt::format("its clock is {} s {} ours", off.count(), ahead.count() > 0 ? "before" : "behind");
  findings.push_back({access.name, text, off > kMostClockDifference ? "let both machines keep their time by NTP" : ""});
}

/// The limits of OAR 3's API, so that nobody waits for what it cannot do. They are no fault of the site.
void list_what_is_missing(const Checked& checked, Findings& findings) {
  const auto& name = checked.cluster.name;
  findings.push_back(
      {name, fmt::format("OAR 3: ends of tasks are read from their claims, under {}; an outage 'broken session' needs a restart of "
                         "its API; without: pools (each task has its own job), input files, the list of output files, how many "
                         "resources match properties, what is free on each node",
                         checked.cluster.homes)});
}

/// Whether the users' homes are where the site says. OAR 3's API lists no folder, so that only the files of jobs that ended show it.
void check_homes_of_oar3(const Checked& checked, Findings& findings) {
  const auto& [cluster, login, ends] = checked;
  if (ends.proven > 0) {
    findings.push_back({cluster.name, fmt::format("its users' homes are under {}: the files of {} of its last {} were found there",
                                                  cluster.homes, ends.proven, terminal::counted(ends.ended, "ended job"))});
  } else if (ends.unproven == 0) {
    findings.push_back(
        {cluster.name, fmt::format("whether its users' homes are under {} is not proven: no task has ended there yet", cluster.homes)});
  } else {
    findings.push_back(
        {cluster.name, fmt::format("no file of its last {} was found under {}", terminal::counted(ends.ended, "ended job"), cluster.homes),
         fmt::format(
             "compare with 'getent passwd USER' on its nodes: 'gridctl cluster edit {} --homes PATH' says where its users have their "
             "homes; an `exit` in their ~/.bashrc has the same effect",
             cluster.name)});
  }
}

/// The same of Grid'5000's.
void list_what_grid5000_lacks(const Checked& checked, Findings& findings) {
  const auto& name = checked.cluster.name;
  findings.push_back(
      {name, fmt::format("Grid'5000: all jobs are those of the account {}, which is the only login of users there; ends of tasks are known "
                         "by the exit status of their jobs (115: done), because its API gives no files; without: pools (each task has its "
                         "own job), input files, output files and stderr of tasks, arrays, how many resources match properties, the stress "
                         "of the server",
                         checked.cluster.login)});
}

/// Whether the users' tokens can be used: within a week of its end, somebody must fetch another one.
void check_tokens(const store::Cluster& cluster, const fleet::OpenedTokens& opened, Findings& findings) {
  constexpr std::chrono::hours kWeek{7 * 24};
  const auto now = fleet::now();
  if (opened.key_error)
    findings.push_back({cluster.name, fmt::format("users' tokens cannot be read: {}", *opened.key_error),
                        "without the key with which they were given, its users must give them again ('gridtoken add')"});
  for (const auto& [token, unreadable] : opened.readings) {
    const auto give = fmt::format("let {} give another one: 'gridtoken add {}'", token.owner.user, cluster.name);
    if (!unreadable.empty() && !opened.key_error)
      findings.push_back({cluster.name, fmt::format("the token of {} cannot be read: {}", token.owner.user, unreadable), give});
    else if (token.refused_at)
      findings.push_back(
          {cluster.name, fmt::format("refused the token of {} {}", token.owner.user, terminal::ago(now - *token.refused_at)), give});
    if (!token.expires_at || *token.expires_at > now + kWeek) continue;
    const bool is_over = *token.expires_at <= now;
    findings.push_back({cluster.name,
                        is_over ? fmt::format("the token of {} ended {}", token.owner.user, terminal::ago(now - *token.expires_at))
                                : fmt::format("the token of {} ends in {}", token.owner.user,
                                              terminal::length(std::chrono::floor<grid::Seconds>(*token.expires_at - now))),
                        give});
  }
}

Findings check_cluster(const process::Config& config, const Checked& checked, const std::string& user) {
  const auto& cluster = checked.cluster;
  Findings findings;
  if (cluster.retired_at)
    return {{cluster.name,
             fmt::format("was retired {}: nothing is sent there, and it is not asked", terminal::ago(fleet::now() - *cluster.retired_at))}};
  if (!cluster.enabled) findings.push_back({cluster.name, "is disabled: nothing is sent there"});
  const auto opened = fleet::open_tokens(cluster, config, fleet::now());
  const auto access = fleet::access_of(cluster, opened);
  if (!access) return {{cluster.name, access.error(), "the user that runs the grid's programs must own that file, and be able to read it"}};
  const auto limits = fleet::limits_of(config);
  oar::Client client{*access, limits};
  const auto version = client.version();
  if (!version) {
    findings.push_back({cluster.name, oar::describe(version.error()), advice(version.error(), cluster)});
    return findings;
  }
  findings.push_back({cluster.name, fmt::format("OAR {} answers in {} ms at {}", *version, client.last_latency().count(), cluster.url)});
  check_identity(client, checked, user, findings);
  check_resources(client, checked, config, findings);
  check_clock(*access, limits, findings);
  check_tokens(cluster, opened, findings);
  if (access->api == oar::Api::oar3) {
    list_what_is_missing(checked, findings);
    check_homes_of_oar3(checked, findings);
  }
  if (access->api == oar::Api::g5k) list_what_grid5000_lacks(checked, findings);
  return findings;
}

std::string our_name(const Call& call) {
  if (const auto given = call.value("as")) return *given;
  const auto* user = ::getpwuid(::getuid());
  if (user == nullptr)
    throw process::Error{ExitCode::usage, fmt::format("user id {} has no name on this machine: name the user by --as USER", ::getuid())};
  return user->pw_name;
}

void show(const Call& call, const Findings& findings) {
  Table table{{{"subject", ""}, {"ok", ""}, {"says", ""}, {"to_do", ""}}, {}};
  std::string text;
  auto& output = call.output;
  const std::string indent(12, ' ');
  for (const auto& finding : findings) {
    table.rows.push_back({Cell{finding.subject}, Cell{!finding.is_wrong()}, Cell{finding.says}, Cell{finding.to_do}});
    const auto width = std::max<std::size_t>(output.screen().width, 40) - indent.size();
    text += output.paint(finding.is_wrong() ? Ink::bad : Ink::good, finding.is_wrong() ? "wrong" : "ok   ") + " ";
    text +=
        terminal::wrap(fmt::format("{}: {}", finding.subject, terminal::printable(finding.says)), width + 6, std::string(8, ' ')) + "\n";
    if (finding.is_wrong())
      text += "        " + output.paint(Ink::strong, "->") + " " +
              terminal::wrap(terminal::printable(finding.to_do), width, std::string(11, ' ')) + "\n";
  }
  output.show({.table = table, .text = text});
}

}  // namespace

process::Outcome check(const Call& call) {
  Findings findings;
  const auto user = our_name(call);
  const auto clusters = check_database(call, user, findings);
  std::vector<std::future<Findings>> asked;
  for (const auto& one : clusters)
    asked.push_back(std::async(std::launch::async, [&] { return check_cluster(call.context.config, one, user); }));
  for (auto& one : asked) {
    for (auto& finding : one.get()) findings.push_back(std::move(finding));
  }
  std::vector<HomeOf> homes;
  for (const auto& one : clusters) homes.push_back({one.cluster, one.login});
  for (auto& finding : check_homes(call.context.config, homes))
    findings.push_back({std::move(finding.cluster), std::move(finding.says), std::move(finding.to_do)});
  show(call, findings);
  const auto wrong = std::ranges::count_if(findings, &Finding::is_wrong);
  if (wrong == 0) return ExitCode::ok;
  return {ExitCode::unavailable, fmt::format("{} found wrong", terminal::counted(wrong, "thing"))};
}

}  // namespace gleaner::gridctl
