#include "clients/gridctl/cluster_checks.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <filesystem>
#include <string_view>
#include <vector>

#include "lib/fleet/fleet.hpp"
#include "lib/process/secret.hpp"
#include "lib/secrets/key_ring.hpp"
#include "lib/text/suggest.hpp"

namespace gleaner::gridctl {

void check_password_in_clear(const store::Cluster& cluster) {
  if (!fleet::would_send_in_clear(cluster) || cluster.insecure) return;
  throw Error{ExitCode::refused,
              fmt::format("{}: the {} of {} would be sent in clear over http: use https, or say --insecure if nobody can read what is "
                          "sent there",
                          cluster.url, cluster.authentication == "basic" ? "password" : "tokens", cluster.name)};
}

namespace {

/// OAR 3 knows users by their tokens alone, and OAR 2 knows no token.
void check_tokens(const Call& call, const store::Cluster& cluster) {
  const bool is_oar3 = cluster.api == "oar3", is_signed = cluster.authentication == "signed";
  const bool by_token = cluster.authentication == "token" || is_signed;
  if (is_oar3 != by_token)
    throw Error{ExitCode::usage, is_oar3 ? "the API of OAR 3 takes tokens alone: --api oar3 needs --auth token, or --auth signed --key FILE"
                                         : "only the API of OAR 3 takes tokens: --auth token and --auth signed need --api oar3"};
  if (cluster.authentication == "token" && call.value("secret-file"))
    throw Error{
        ExitCode::usage,
        "authentication by tokens takes no --secret-file: users give their tokens by 'gridtoken add CLUSTER', and 'gridctl token import "
        "CLUSTER FILE' keeps those of a file"};
  if (is_signed && cluster.key_file.empty())
    throw Error{ExitCode::usage,
                "--auth signed needs --key: a file, readable by its owner only, with the API_SECRET_KEY of its oar.conf alone"};
  if (is_signed) {
    if (const auto key = process::read_secret_file(cluster.key_file); !key)
      call.output.report(fmt::format("gridctl: note: {}", key.error()));
  }
  if (cluster.authentication == "token") {
    if (const auto ring = secrets::KeyRing::read(call.context.config.token_key_file); !ring)
      call.output.report(fmt::format("gridctl: note: {}", ring.error()));
  }
}

/// Grid'5000's API acts for the account that logs in, and makes one job of each request.
void check_grid5000(const store::Cluster& cluster) {
  if (cluster.api != "g5k") return;
  if (cluster.authentication != "basic")
    throw Error{ExitCode::usage,
                "Grid'5000's API knows who asks by a login and a password: --api g5k needs --auth basic, --login and --secret-file"};
  if (!names_site(cluster.url))
    throw Error{ExitCode::usage, fmt::format("--url {}: Grid'5000's API is reached at one of its sites, such as "
                                             "https://api.grid5000.fr/stable/sites/grenoble",
                                             cluster.url)};
  if (cluster.array_size != kArraySizeOfGrid5000)
    throw Error{ExitCode::usage, fmt::format("Grid'5000's API makes one job of each request: --api g5k needs --array-size 1, not {}",
                                             cluster.array_size ? std::to_string(*cluster.array_size) : std::string{"the default"})};
}

}  // namespace

bool names_site(const std::string& url) {
  constexpr std::string_view kBefore{"/sites/"};
  const auto site = url.find(kBefore);
  auto name = site == std::string::npos ? std::string{} : url.substr(site + kBefore.size());
  if (name.ends_with('/')) name.pop_back();
  return !name.empty() && name.find('/') == std::string::npos;
}

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
