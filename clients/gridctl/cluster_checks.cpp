#include "clients/gridctl/cluster_checks.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <filesystem>
#include <string_view>
#include <vector>

#include "lib/fleet/fleet.hpp"
#include "lib/process/secret.hpp"
#include "lib/text/suggest.hpp"

namespace gleaner::gridctl {

void check_password_in_clear(const store::Cluster& cluster) {
  if (!fleet::would_send_in_clear(cluster) || cluster.insecure) return;
  throw Error{ExitCode::refused,
              fmt::format("{}: the {} of {} would be sent in clear over http: use https, or say --insecure if nobody can read what is "
                          "sent there",
                          cluster.url, cluster.authentication == "token" ? "tokens" : "password", cluster.name)};
}

namespace {

/// OAR 3 knows users by their tokens alone, and OAR 2 knows no token.
void check_tokens(const Call& call, const store::Cluster& cluster) {
  const bool is_oar3 = cluster.api == "oar3", by_token = cluster.authentication == "token";
  if (is_oar3 != by_token)
    throw Error{ExitCode::usage, is_oar3 ? "the API of OAR 3 takes tokens alone: --api oar3 needs --auth token and --secret-file"
                                         : "only the API of OAR 3 takes tokens: --auth token needs --api oar3"};
  if (!by_token) return;
  if (cluster.secret_file.empty())
    throw Error{
        ExitCode::usage,
        "authentication by tokens needs --secret-file: a file, readable by its owner only, with the token of each user of the cluster, "
        "one a line, as 'oarsub -T' prints it for them there"};
  const auto secret = process::read_secret_file(cluster.secret_file);
  const auto tokens = secret ? oar::read_tokens(*secret) : tl::unexpected{secret.error()};
  if (!tokens) call.output.report(fmt::format("gridctl: note: {}{}", secret ? cluster.secret_file + ": " : "", tokens.error()));
}

/// Grid'5000's API acts for the account that logs in, and makes one job of each request.
void check_grid5000(const store::Cluster& cluster) {
  if (cluster.api != "g5k") return;
  if (cluster.authentication != "basic")
    throw Error{ExitCode::usage,
                "Grid'5000's API knows who asks by a login and a password: --api g5k needs --auth basic, --login and --secret-file"};
  const auto site = cluster.url.find("/sites/");
  const auto name = site == std::string::npos ? std::string{} : cluster.url.substr(site + std::string_view{"/sites/"}.size());
  if (name.empty() || name.find('/') + 1 < name.size())
    throw Error{ExitCode::usage, fmt::format("--url {}: Grid'5000's API is reached at one of its sites, such as "
                                             "https://api.grid5000.fr/stable/sites/grenoble",
                                             cluster.url)};
  if (cluster.array_size != 1)
    throw Error{ExitCode::usage, fmt::format("Grid'5000's API makes one job of each request: --api g5k needs --array-size 1, not {}",
                                             cluster.array_size ? std::to_string(*cluster.array_size) : std::string{"the default"})};
}

}  // namespace

void check_whole(const Call& call, const store::Cluster& cluster) {
  check_tokens(call, cluster);
  check_grid5000(cluster);
  if (cluster.authentication == "basic") {
    if (cluster.login.empty() || cluster.secret_file.empty())
      throw Error{ExitCode::usage,
                  "basic authentication needs --login and --secret-file (a file with the password alone, readable by its owner only)"};
    if (const auto secret = process::read_secret_file(cluster.secret_file); !secret)
      call.output.report(fmt::format("gridctl: note: {}", secret.error()));
  }
  if (cluster.authentication == "certificate" && (cluster.certificate_file.empty() || cluster.key_file.empty()))
    throw Error{ExitCode::usage, "authentication by certificate needs --certificate and --key"};
  for (const auto& file : {cluster.ca_file, cluster.certificate_file, cluster.key_file}) {
    std::error_code error;
    if (!file.empty() && !std::filesystem::exists(file, error))
      call.output.report(fmt::format("gridctl: note: {} is not there (yet)", file));
  }
}

store::Cluster known_cluster(store::Transaction& transaction, const std::string& name) {
  if (auto found = store::find_cluster(transaction, name)) return *found;
  std::vector<std::string> names;
  for (const auto& cluster : store::clusters(transaction)) names.push_back(cluster.name);
  const std::vector<std::string_view> known{names.begin(), names.end()};
  throw Error{ExitCode::not_found,
              fmt::format("there is no cluster '{}'{}; 'gridctl cluster list' has them all", name, text::did_you_mean(name, known))};
}

void check_cluster_name(const std::string& name) {
  const bool plain = !name.empty() && name.size() <= 100 &&
                     std::ranges::all_of(name, [](unsigned char c) { return std::isalnum(c) || c == '-' || c == '_' || c == '.'; });
  if (!plain) throw Error{ExitCode::usage, fmt::format("'{}' is no name for a cluster: letters, digits, '-', '_' and '.' are", name)};
}

void check_cluster_url(const std::string& url) {
  const auto scheme = url.find("://");
  const bool known = url.starts_with("http://") || url.starts_with("https://");
  const auto rest = scheme == std::string::npos ? std::string{} : url.substr(scheme + 3);
  if (rest.substr(0, rest.find('/')).find('@') != std::string::npos)
    throw Error{ExitCode::usage, "a login or password in the URL can be read by others: use --login and --secret-file"};
  if (!known || rest.empty() || rest.front() == '/')
    throw Error{ExitCode::usage, fmt::format("'{}' is no URL of an OAR API: such as https://frontend.example.org/oarapi-priv", url)};
}

std::string twin_note(store::Transaction& transaction, const store::Cluster& cluster) {
  for (const auto& other : store::clusters(transaction))
    if (other.name != cluster.name && other.url == cluster.url && !other.retired_at)
      return fmt::format("; {} is reached at the same URL: the grid takes them for two clusters, and counts the same resources twice",
                         other.name);
  return {};
}

}  // namespace gleaner::gridctl
