#include "lib/store/clusters.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "clients/asked.hpp"
#include "clients/gridctl/cluster_checks.hpp"
#include "clients/gridctl/commands.hpp"
#include "lib/administration/clusters.hpp"
#include "lib/grid/oarsub_words.hpp"
#include "lib/grid/planning_facts.hpp"
#include "lib/process/values.hpp"
#include "lib/store/campaigns.hpp"
#include "lib/store/clock.hpp"
#include "lib/store/declarations.hpp"
#include "lib/store/events.hpp"
#include "lib/store/matching.hpp"
#include "lib/store/views.hpp"
#include "lib/terminal/text.hpp"
#include "lib/terminal/times.hpp"
#include "lib/text/numbers.hpp"
#include "lib/text/suggest.hpp"

namespace gleaner::gridctl {
namespace {

using process::Error;
using process::ExitCode;
using terminal::Align;
using terminal::Cell;
using terminal::Ink;
using terminal::Shrink;
using terminal::Table;

Error wrong(std::string_view option, std::string_view value, std::string_view needed) {
  return Error{ExitCode::usage, fmt::format("--{}={}: must be {}", option, value, needed)};
}

void read_authentication(const Call& call, store::Cluster& cluster) {
  constexpr std::array<std::string_view, 5> kKnown{"none", "basic", "certificate", "token", "signed"};
  const auto longer = call.value("authentication");
  const auto given = longer ? longer : call.value("auth");
  if (!given) return;
  if (std::ranges::find(kKnown, *given) == kKnown.end())
    throw wrong("authentication", *given, fmt::format("none, basic, certificate, token or signed{}", text::did_you_mean(*given, kKnown)));
  cluster.authentication = *given;
}

void read_api(const Call& call, store::Cluster& cluster) {
  constexpr std::array<std::string_view, 3> kKnown{"oar2", "oar3", "g5k"};
  if (const auto given = call.value("api")) {
    if (std::ranges::find(kKnown, *given) == kKnown.end())
      throw wrong("api", *given,
                  fmt::format("oar2 (OAR 2.5 and 2.6), oar3 or g5k (a site of Grid'5000){}", text::did_you_mean(*given, kKnown)));
    cluster.api = *given;
    if (*given == "g5k") cluster.array_size = kArraySizeOfGrid5000;
  }
  if (const auto given = call.value("homes")) {
    constexpr std::string_view kLetters{"abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_./%-"};
    auto rest = *given;
    for (auto at = rest.find("%u"); at != std::string::npos; at = rest.find("%u")) rest.erase(at, 2);
    const bool is_path = given->starts_with('/') && given->find_first_not_of(kLetters) == std::string::npos;
    if (!is_path || rest.find('%') != std::string::npos || given->find("%u") == std::string::npos)
      throw wrong("homes", *given, "an absolute path with %u in place of the user's name, such as /home/%u");
    cluster.homes = *given;
  }
}

void read_numbers(const Call& call, store::Cluster& cluster) {
  grid::for_each_field(grid::kDeclaredFields, [&](const auto& field) {
    const auto given = call.value(field.option);
    if (!given) return;
    const auto read = text::real_number(*given);
    const auto [least, most] = field.bounds;
    if (!read || *read < least || *read > most) throw wrong(field.option, *given, fmt::format("a number from {:g} to {:g}", least, most));
    cluster.*field.member = *read;
  });
  if (const auto given = call.value("flood")) {
    const auto read = text::real_number(*given);
    const bool is_default = *given == "default";
    if (!is_default && (!read || *read < 0 || *read > 100))
      throw wrong("flood", *given, "a number from 0 to 100, such as 0.5, or 'default'");
    cluster.flood = is_default ? std::nullopt : std::optional{*read};
  }
  if (const auto given = call.value("array_size")) {
    const auto read = text::whole_number<int>(*given, 1);
    const bool is_default = *given == "default";
    if (!is_default && !read) throw wrong("array-size", *given, "a whole number from 1, or 'default'");
    cluster.array_size = is_default ? std::nullopt : std::optional{*read};
  }
}

void read_headroom(const Call& call, store::Cluster& cluster) {
  const auto given = call.value("headroom");
  if (!given) return;
  const auto read = grid::headroom(*given);
  const bool is_default = *given == "default";
  if (!is_default && !read) throw wrong("headroom", *given, fmt::format("{}, or 'default'", grid::kHeadroomForm));
  cluster.headroom = is_default ? std::nullopt : read;
}

void read_availability(const Call& call, store::Cluster& cluster) {
  if (const auto given = call.value("availability")) {
    const auto read = grid::availability(*given);
    if (*given != "default" && !read) throw wrong("availability", *given, fmt::format("{}, or 'default'", grid::kAvailabilityForm));
    cluster.availability = read;
  }
  if (const auto given = call.value("load_property")) {
    if (!grid::is_property_name(*given))
      throw wrong("load_property", *given, "the name of a property of OAR's resources (letters, digits and '_'), 'none' or 'default'");
    cluster.load_property = *given;
    if (*given == "none") cluster.load_property = "";
    if (*given == "default") cluster.load_property = std::nullopt;
  }
}

void read_memory(const Call& call, store::Cluster& cluster) {
  if (const auto given = call.value("memory-property")) {
    if (!grid::is_property_name(*given))
      throw wrong("memory-property", *given, "the name of a property of OAR's resources (letters, digits and '_'), or 'none'");
    cluster.memory_property = *given == "none" ? std::string{} : *given;
  }
  if (const auto given = call.value("memory-unit")) {
    const auto read = text::whole_number<int>(*given, 1);
    if (!read) throw wrong("memory-unit", *given, "a whole number of MB, from 1");
    cluster.memory_unit_mb = *read;
  }
  if (const auto given = call.value("memory-max")) {
    const auto read = text::whole_number<int>(*given, 1);
    if (*given != "unknown" && !read) throw wrong("memory-max", *given, "a whole number of MB, from 1, or 'unknown'");
    cluster.memory_max_mb = read ? std::optional<std::int64_t>{*read} : std::nullopt;
  }
}

/// Empty: they are not given.
std::optional<std::string> asked_properties(const Call& call) {
  auto given = call.value("properties");
  if (!given) return std::nullopt;
  if (*given == "none" || given->empty()) return std::string{};
  if (const auto why = grid::wrong_properties(*given))
    throw wrong("properties", *given, fmt::format("a condition on OAR's resources, such as local = 'NO', or 'none': {}", *why));
  return given;
}

void set_properties(store::Transaction& transaction, grid::ClusterId cluster, const std::optional<std::string>& properties) {
  if (properties) store::set_cluster_properties(transaction, cluster, *properties);
}

void read_access(const Call& call, store::Cluster& cluster) {
  read_api(call, cluster);
  read_authentication(call, cluster);
  if (const auto given = call.value("login")) cluster.login = *given;
  if (const auto given = call.value("secret-file")) cluster.secret_file = process::absolute_path(*given);
  if (const auto given = call.value("identity-header")) cluster.identity_header = *given;
  if (const auto given = call.value("ca-file")) cluster.ca_file = process::absolute_path(*given);
  if (const auto given = call.value("certificate")) cluster.certificate_file = process::absolute_path(*given);
  if (const auto given = call.value("key")) cluster.key_file = process::absolute_path(*given);
  if (call.has("verify") && call.has("no-verify")) throw Error{ExitCode::usage, "--verify and --no-verify exclude each other"};
  if (call.has("no-verify")) cluster.verify_tls = false;
  if (call.has("verify")) cluster.verify_tls = true;
  read_numbers(call, cluster);
  read_headroom(call, cluster);
  read_availability(call, cluster);
  read_memory(call, cluster);
  if (const auto given = call.value("shared_home")) {
    if (call.value("shares"))
      throw Error{ExitCode::usage, "--shares and --shared-home exclude each other: both say whose homes are the same"};
    if (!grid::is_property_name(*given) || given->size() > 64)
      throw wrong("shared_home", *given, "a name of up to 64 letters, digits and '_', which clusters with the same homes have, or 'none'");
    cluster.shared_home = *given == "none" ? std::nullopt : given;
  }
}

/// The name of the home of a cluster that shares it with nobody yet: that of the cluster, or one like it that no other home has.
std::string name_of_home(store::Transaction& transaction, const store::Cluster& cluster) {
  constexpr std::size_t kLongest = 64;
  std::string name;
  for (const char letter : cluster.name.substr(0, kLongest - 4)) name += grid::is_property_name(std::string{letter}) ? letter : '_';
  const auto all = store::clusters(transaction);
  const auto is_taken = [&](const std::string& home) {
    return home == "none" || std::ranges::any_of(all, [&](const store::Cluster& other) { return other.shared_home == home; });
  };
  if (!is_taken(name)) return name;
  for (int number = 2;; ++number) {
    if (auto other = fmt::format("{}_{}", name, number); !is_taken(other)) return other;
  }
}

/// `--shares CLUSTER`: the cluster's homes are those of another one, which gets a name for them if it has none. Returns what to say of it.
std::string share(const Call& call, store::Transaction& transaction, store::Cluster& cluster) {
  const auto given = call.value("shares");
  if (!given) return {};
  if (*given == "none" || given->empty()) {
    cluster.shared_home.reset();
    return "; it has homes of its own";
  }
  if (*given == cluster.name) throw wrong("shares", *given, "another cluster, whose users have the same homes, or 'none'");
  auto other = known_cluster(transaction, *given);
  if (other.retired_at)
    throw Error{ExitCode::refused,
                fmt::format("--shares={0}: {0} is retired; name a cluster in use, or 'gridctl cluster enable {0}' first", *given)};
  if (!other.shared_home) {
    other.shared_home = name_of_home(transaction, other);
    store::edit_cluster(transaction, other);
  }
  cluster.shared_home = other.shared_home;
  std::string names;
  for (const auto& one : store::clusters(transaction)) {
    if (one.shared_home == cluster.shared_home && one.name != cluster.name) names += (names.empty() ? "" : ", ") + one.name;
  }
  return fmt::format("; its users' homes are those of {} (shared home '{}')", names, *cluster.shared_home);
}

void done(const Call& call, const std::string& sentence) { call.output.report("gridctl: " + sentence); }

process::Outcome set_cluster_use(const Call& call, administration::ClusterUse use) {
  auto database = open_database(call);
  std::vector<std::string> sentences;
  store::transact(database, std::nullopt, [&](store::Transaction& transaction) {
    sentences = administration::set_use(transaction, known_cluster(transaction, call.arguments[0]), use, clients::our_name());
  });
  for (const auto& sentence : sentences) done(call, sentence);
  return ExitCode::ok;
}

Cell state_cell(const store::Cluster& cluster, grid::Instant now) {
  if (cluster.retired_at) return {std::string{"retired"}, "retired " + terminal::ago(now - *cluster.retired_at), Ink::faint};
  if (!cluster.enabled) return {std::string{"disabled"}, "disabled", Ink::warm};
  if (!cluster.reachable) return {std::string{"not asked yet"}, "not asked yet", Ink::faint};
  if (*cluster.reachable && cluster.no_resources_since) return {std::string{"no live resources"}, "no live resources", Ink::bad};
  if (*cluster.reachable && cluster.suspected_resources > 0)
    return {std::string{"reachable"}, fmt::format("reachable, {}", grid::text_of(cluster)), Ink::warm};
  if (*cluster.reachable) return {std::string{"reachable"}, "reachable", Ink::good};
  const auto since =
      cluster.unreachable_since
          ? fmt::format("unreachable for {}", terminal::length(std::chrono::floor<grid::Seconds>(now - *cluster.unreachable_since)))
          : "unreachable";
  return {std::string{"unreachable"}, since, Ink::bad};
}

template <class Number>
terminal::Value optional_number(const std::optional<Number>& number) {
  if (!number) return std::monostate{};
  if constexpr (std::is_integral_v<Number>) return static_cast<std::int64_t>(*number);
  return static_cast<double>(*number);
}

}  // namespace

process::Outcome cluster_add(const Call& call) {
  store::Cluster cluster;
  cluster.name = call.arguments[0];
  cluster.url = call.arguments[1];
  check_cluster_name(cluster.name);
  check_cluster_url(cluster.url);
  read_access(call, cluster);
  check_whole(call, cluster);
  cluster.insecure = call.has("insecure");
  check_password_in_clear(cluster);
  cluster.enabled = !call.has("disabled");
  const auto properties = asked_properties(call);
  auto database = open_database(call);
  std::string twin, shares;
  store::transact(database, std::nullopt, [&](store::Transaction& transaction) {
    if (store::find_cluster(transaction, cluster.name))
      throw Error{ExitCode::refused,
                  fmt::format("there is a cluster '{}' already: change it with 'gridctl cluster edit {}'", cluster.name, cluster.name)};
    shares = share(call, transaction, cluster);
    set_properties(transaction, store::add_cluster(transaction, cluster), properties);
    twin = twin_note(transaction, cluster);
    store::wake_up(transaction);
  });
  done(call, fmt::format("{} is added{}; 'gridctl check' shows whether it can be reached{}", cluster.name, shares, twin));
  return ExitCode::ok;
}

process::Outcome cluster_edit(const Call& call) {
  const auto properties = asked_properties(call);
  auto database = open_database(call);
  std::string twin, shares;
  store::transact(database, std::nullopt, [&](store::Transaction& transaction) {
    auto cluster = known_cluster(transaction, call.arguments[0]);
    if (const auto url = call.value("url")) {
      check_cluster_url(*url);
      cluster.url = *url;
    }
    read_access(call, cluster);
    check_whole(call, cluster);
    // A question that was answered once is not repeated when something else changes.
    const bool changes_way = call.value("url") || call.value("auth") || call.value("authentication") || call.value("secret-file");
    cluster.insecure = call.has("insecure") || (cluster.insecure && !changes_way);
    if (changes_way) check_password_in_clear(cluster);
    shares = share(call, transaction, cluster);
    store::edit_cluster(transaction, cluster);
    set_properties(transaction, cluster.id, properties);
    if (changes_way) twin = twin_note(transaction, cluster);
    store::wake_up(transaction);
  });
  done(call, fmt::format("{} is changed{}; 'gridctl check' shows whether it can be reached{}", call.arguments[0], shares, twin));
  return ExitCode::ok;
}

process::Outcome cluster_list(const Call& call) {
  auto database = open_database(call);
  auto transaction = database.begin();
  const auto all = store::clusters(transaction);
  const bool some_share = std::ranges::any_of(all, [](const store::Cluster& cluster) { return cluster.shared_home.has_value(); });
  Table table{{{"name", "Name", Align::left, Shrink::last},
               {"url", "URL", Align::left, Shrink::when_needed},
               {"api", "", Align::left, Shrink::left_out},
               {"authentication", "Auth"},
               {"power", "Power", Align::right},
               {"flood", "Flood", Align::right, Shrink::left_out},
               {"array_size", "Array", Align::right, Shrink::left_out},
               {"memory_property", ""},
               {"memory_unit_mb", ""},
               {"memory_max_mb", ""},
               {"max_resources", "Max", Align::right},
               {"suspected_resources", ""},
               {"absent_resources", ""},
               {"dead_resources", ""},
               {"state", "State", Align::left, Shrink::when_needed},
               {"enabled", ""},
               {"retired_at", ""},
               {"verify_tls", ""},
               {"insecure", ""},
               {"login", ""},
               {"identity_header", ""},
               {"properties", ""},
               {"shared_home", some_share ? "Home" : "", Align::left, Shrink::left_out},
               {"last_error", ""}},
              {},
              "There is no cluster yet: 'gridctl cluster add NAME URL' adds one."};
  std::vector<std::string> names;
  auto properties = store::cluster_properties(transaction);
  for (const auto& c : all) {
    table.rows.push_back({Cell{c.name},
                          Cell{c.url},
                          Cell{c.api},
                          Cell{c.authentication},
                          Cell{c.power},
                          Cell{optional_number(c.flood), c.flood ? "" : "-"},
                          Cell{optional_number(c.array_size), c.array_size ? "" : "-"},
                          Cell{c.memory_property},
                          Cell{std::int64_t{c.memory_unit_mb}},
                          Cell{optional_number(c.memory_max_mb)},
                          Cell{std::int64_t{c.max_resources}},
                          Cell{std::int64_t{c.suspected_resources}},
                          Cell{std::int64_t{c.absent_resources}},
                          Cell{std::int64_t{c.dead_resources}},
                          state_cell(c, call.context.now),
                          Cell{c.enabled},
                          c.retired_at ? terminal::time_cell(*c.retired_at, call.context.now) : Cell{},
                          Cell{c.verify_tls},
                          Cell{c.insecure},
                          Cell{c.login},
                          Cell{c.identity_header},
                          Cell{properties[c.id]},
                          Cell{c.shared_home.value_or("")},
                          Cell{c.last_error}});
    names.push_back(c.name);
  }
  call.output.show({.table = table, .ids = names});
  return ExitCode::ok;
}

process::Outcome cluster_disable(const Call& call) { return set_cluster_use(call, administration::ClusterUse::disabled); }
process::Outcome cluster_enable(const Call& call) { return set_cluster_use(call, administration::ClusterUse::enabled); }

process::Outcome cluster_remove(const Call& call) {
  auto database = open_database(call);
  store::transact(database, std::nullopt, [&](store::Transaction& transaction) {
    const auto cluster = known_cluster(transaction, call.arguments[0]);
    if (!store::remove_cluster(transaction, cluster.id))
      throw Error{ExitCode::refused,
                  fmt::format("campaigns have used {}: 'gridctl cluster disable {}' keeps it out of use", cluster.name, cluster.name)};
  });
  done(call, fmt::format("{} is removed", call.arguments[0]));
  return ExitCode::ok;
}

process::Outcome brake_clear(const Call& call) {
  auto database = open_database(call);
  store::transact(database, std::nullopt, [&](store::Transaction& transaction) {
    store::Target target;
    if (call.arguments[0] != "any") {
      const auto id = text::whole_number(call.arguments[0], std::int64_t{1});
      if (!id) throw Error{ExitCode::usage, fmt::format("'{}' is neither the id of a campaign nor 'any'", call.arguments[0])};
      target.campaign = grid::CampaignId{*id};
    }
    if (call.arguments.size() > 1) target.cluster = known_cluster(transaction, call.arguments[1]).id;
    if (target.campaign && !store::campaign_owner(transaction, *target.campaign))
      throw Error{ExitCode::not_found, fmt::format("there is no campaign {}", target.campaign->value())};
    if (!target.campaign && !target.cluster)
      throw Error{ExitCode::usage, "usage: gridctl brake clear CAMPAIGN [CLUSTER], or gridctl brake clear any CLUSTER"};
    administration::clear_brakes(transaction, target, call.context.now);
  });
  done(call, std::string{administration::kBrakeIsLifted});
  return ExitCode::ok;
}

}  // namespace gleaner::gridctl
