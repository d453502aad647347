#include "clients/gridctl/check_homes.hpp"

#include <fmt/format.h>

#include <map>
#include <optional>
#include <random>
#include <thread>
#include <variant>

#include "lib/fleet/fleet.hpp"
#include "lib/fleet/tokens.hpp"
#include "lib/grid/clock.hpp"
#include "lib/oar/client.hpp"

namespace gleaner::gridctl {
namespace {

/// A network file system may show a new folder late.
constexpr int kLooks = 5;
constexpr std::chrono::milliseconds kPauseOfLooks{500};
constexpr int kNotFound = 404;

std::optional<oar::Client> client_of(const process::Config& config, const store::Cluster& cluster) {
  const auto opened = fleet::open_tokens(cluster, config, fleet::now());
  auto access = fleet::access_of(cluster, opened);
  if (!access) return std::nullopt;
  return oar::Client{std::move(*access), fleet::limits_of(config)};
}

bool is_missing(const oar::Failure& failure) {
  const auto* const refused = std::get_if<oar::Refused>(&failure);
  return refused != nullptr && refused->status == kNotFound;
}

/// Whether a folder is there; an error: it cannot be looked for.
oar::Result<bool> is_seen(oar::Client& client, const std::string& login, const std::string& folder) {
  for (int look = 1;; ++look) {
    const auto found = client.find_folder(login, folder);
    if (found) return true;
    if (!is_missing(found.error())) return tl::unexpected{found.error()};
    if (look == kLooks) return false;
    std::this_thread::sleep_for(kPauseOfLooks);
  }
}

void compare(const process::Config& config, const HomeOf& first, std::span<const HomeOf* const> others,
             std::vector<HomeFinding>& findings) {
  auto client = client_of(config, first.cluster);
  if (!client) return;
  std::random_device random;
  const auto folder = fmt::format("~/.gleaner/homes/{:08x}{:08x}", random(), random());
  const std::vector<oar::FileOf> files{{{first.login, folder + "/here"}, "this file shows which clusters have this home\n"}};
  if (const auto written = client->write_files(files).front(); !written) {
    findings.push_back({first.cluster.name,
                        fmt::format("no file can be written in the home of {}: {}", first.login, oar::describe(written.error())),
                        "is the home full, or not mounted there?"});
    return;
  }
  for (const auto* other : others) {
    const auto& name = other->cluster.name;
    auto there = client_of(config, other->cluster);
    if (!there) continue;
    const auto seen = is_seen(*there, other->login, folder);
    if (!seen) {
      findings.push_back({name, fmt::format("the home of {} cannot be looked into: {}", other->login, oar::describe(seen.error())),
                          "without it, nothing shows whether its homes are shared"});
    } else if (*seen) {
      findings.push_back(
          {name, fmt::format("the home of {} is that of {}: a file written there is seen", other->login, first.cluster.name)});
    } else {
      findings.push_back(
          {name,
           fmt::format("the home of {} is not that of {}, though both have the shared home '{}': a file written there is not seen",
                       other->login, first.cluster.name, first.cluster.shared_home.value_or("")),
           fmt::format(
               "tasks would look in vain for their checkpoints and for the files of others: 'gridctl cluster edit {} --shares none'",
               name)});
    }
  }
  static_cast<void>(client->delete_path(first.login, folder));
}

}  // namespace

std::vector<HomeFinding> check_homes(const process::Config& config, std::span<const HomeOf> homes) {
  std::vector<HomeFinding> findings;
  std::map<std::string, std::vector<const HomeOf*>> groups;
  for (const auto& one : homes) {
    if (one.cluster.shared_home && !one.cluster.retired_at && one.cluster.enabled) groups[*one.cluster.shared_home].push_back(&one);
  }
  for (const auto& [name, group] : groups) {
    if (group.size() == 1) {
      findings.push_back({group.front()->cluster.name, fmt::format("is the only cluster in use with the shared home '{}'", name)});
      continue;
    }
    std::vector<const HomeOf*> compared;
    for (const auto* one : group) {
      const auto& cluster = one->cluster;
      if (cluster.api != "oar2") {
        findings.push_back({cluster.name, fmt::format("whether it has the shared home '{}' is not proven: its API takes no files", name)});
      } else if (!compared.empty() && one->login != compared.front()->login) {
        findings.push_back({cluster.name, fmt::format("whether it has the shared home '{}' is not proven: {} is {} there", name,
                                                      compared.front()->login, one->login)});
      } else {
        compared.push_back(one);
      }
    }
    if (compared.size() > 1) compare(config, *compared.front(), std::span{compared}.subspan(1), findings);
  }
  return findings;
}

}  // namespace gleaner::gridctl
