// Clusters and users out of CiGri's database.
#include <fmt/format.h>
#include <pwd.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cctype>
#include <filesystem>

#include "clients/gridctl/cluster_checks.hpp"
#include "clients/gridctl/import.hpp"
#include "lib/fleet/fleet.hpp"
#include "lib/grid/oarsub_words.hpp"
#include "lib/process/secret.hpp"
#include "lib/process/values.hpp"
#include "lib/process/whole_file.hpp"
#include "lib/store/cigri.hpp"
#include "lib/store/clusters.hpp"
#include "lib/store/matching.hpp"
#include "lib/store/policies.hpp"

namespace gleaner::gridctl {
namespace {

namespace fs = std::filesystem;

/// Reads one row of CiGri's in a transaction of its own.
template <class Read>
auto read_row(Import& import, const Read& read) {
  auto transaction = import.from.begin();
  auto row = read(transaction);
  if (!row) refuse("CiGri has just removed it");
  return *std::move(row);
}

template <class Read>
auto ids_of(Import& import, const Read& read) {
  auto transaction = import.from.begin();
  return read(transaction);
}

std::string path_of(const Call& call, std::string_view option, const char* fallback = "") {
  return process::absolute_path(call.value(option).value_or(fallback));
}

/// Whom the files of passwords belong to: the user of the services where root imports, else who imports.
process::FileOwner owner_of_secrets(Imported& line) {
  if (::geteuid() != 0) return process::our_files();
  if (const auto* services = ::getpwnam(kUsualUser)) return {.user = services->pw_uid, .group = services->pw_gid};
  line.remarks.push_back(fmt::format("there is no user '{}': give the file of its password to the user of the services", kUsualUser));
  return process::our_files();
}

/// Refuses a file that is there already unless its owner alone can read it.
void check_secret(const fs::path& file, process::FileOwner owner) {
  struct stat status {};
  if (::lstat(file.c_str(), &status) != 0 || !S_ISREG(status.st_mode))
    refuse(fmt::format("{} is there already, and is no file", file.string()));
  if (status.st_uid != owner.user)
    refuse(fmt::format("{} is there already, and belongs to the user {}, not to {}: chown {} {}", file.string(), status.st_uid, owner.user,
                       owner.user, file.string()));
  if (const auto secret = process::read_secret_file(file); !secret) refuse(secret.error());
}

/// The file of a cluster's password. One that is there stays as it is.
std::string keep_secret(const Import& import, const std::string& cluster, const std::string& password, Imported& line) {
  const fs::path folder{path_of(import.call, "directory", kUsualDirectory)};
  const auto file = folder / (cluster + ".secret");
  const auto owner = owner_of_secrets(line);
  std::error_code unknown;
  if (fs::exists(fs::symlink_status(file, unknown))) {
    check_secret(file, owner);
    line.remarks.push_back(fmt::format("{} is there already: its password is used", file.string()));
  } else if (!import.is_trial()) {
    fs::create_directories(folder, unknown);
    process::write_whole_file(file, password + "\n", 0600, owner);
    line.remarks.push_back(fmt::format("its password is in {}", file.string()));
  } else {
    line.remarks.push_back(fmt::format("its password would be in {}", file.string()));
  }
  return file.string();
}

/// How the grid is known to the cluster's API. False: something is left to do, as the remarks say.
bool take_authentication(const Import& import, const store::cigri::Cluster& found, store::Cluster& cluster, Imported& line) {
  const auto edit = fmt::format("'gridctl cluster edit {}", found.name);
  const auto enable = fmt::format(", then 'gridctl cluster enable {}'", found.name);
  if (found.batch == "oar3") {
    cluster.authentication = "token";
    line.remarks.push_back(fmt::format("its users' tokens are not taken: each user gives one by 'gridtoken add {}'{}", found.name, enable));
    return false;
  }
  if (found.authentication == "none") return true;
  if (found.authentication == "password") {
    cluster.authentication = "basic";
    cluster.login = found.login;
    const bool is_whole = !found.login.empty() && !found.password.empty() && found.password.find('\n') == std::string::npos;
    if (is_whole) cluster.secret_file = keep_secret(import, found.name, found.password, line);
    else
      line.remarks.push_back(
          fmt::format("it has no login and password in CiGri: {} --auth basic --login LOGIN --secret-file FILE'{}", edit, enable));
    return is_whole;
  }
  if (found.authentication == "cert") {
    cluster.authentication = "certificate";
    cluster.certificate_file = path_of(import.call, "certificate");
    cluster.key_file = path_of(import.call, "key");
    const bool is_whole = !cluster.certificate_file.empty() && !cluster.key_file.empty();
    if (!is_whole)
      line.remarks.push_back(
          fmt::format("its certificate is in CiGri's configuration, not in its database: import with --certificate and --key, or {} "
                      "--certificate FILE --key FILE'{}",
                      edit, enable));
    return is_whole;
  }
  line.remarks.push_back(
      fmt::format("users' tokens ({}) are not known here: let its web server know the grid by a certificate or a "
                  "password, {} --auth certificate --certificate FILE --key FILE'{}",
                  found.authentication, edit, enable));
  return false;
}

bool is_header(const std::string& name) {
  return !name.empty() && std::ranges::all_of(name, [](unsigned char c) { return std::isalnum(c) != 0 || c == '-' || c == '_'; });
}

/// A site of Grid'5000. Empty: nothing keeps it from being enabled.
std::optional<std::string> unusable_site(const store::Cluster& cluster) {
  const auto edit = fmt::format("it is disabled until 'gridctl cluster edit {}", cluster.name);
  const auto enable = fmt::format("' and 'gridctl cluster enable {}'", cluster.name);
  if (!names_site(cluster.url))
    return fmt::format("its URL names no site of Grid'5000: {} --url https://api.grid5000.fr/stable/sites/SITE{}", edit, enable);
  if (cluster.authentication != "basic")
    return fmt::format("Grid'5000's API knows who asks by a login and a password: {} --auth basic --login LOGIN --secret-file FILE{}", edit,
                       enable);
  return std::nullopt;
}

/// Empty: its API is one that the grid knows, and can be asked as it stands.
std::optional<std::string> unusable_api(const store::cigri::Cluster& found, const store::Cluster& cluster) {
  if (found.batch == "g5k") return unusable_site(cluster);
  if (found.batch == "oar2_5" || found.batch == "oar3") return std::nullopt;
  return fmt::format("its API is '{}', and only those of OAR 2, OAR 3 and Grid'5000 are known here: it is disabled", found.batch);
}

/// A cluster of this name that is here stays as it is.
void note_present(Import& import, const store::cigri::Cluster& found, Imported& line) {
  const auto is_other = [&](const Imported& other) { return other.kind == line.kind && other.here == found.name; };
  if (std::ranges::any_of(import.lines, is_other)) refuse("CiGri has another cluster of this name, which is the one here");
  line.fate = Fate::present;
  if (const auto& url = import.clusters.at(found.name); url != found.url)
    line.remarks.push_back(fmt::format("here it is reached at {}, not at CiGri's URL, and stays so", url));
  auto transaction = import.here.begin();
  if (const auto here = store::find_cluster(transaction, found.name); here && !here->enabled)
    line.remarks.push_back(fmt::format("it is disabled here: 'gridctl cluster enable {}'", found.name));
}

/// CiGri only counts the resources that have them; here, jobs of the grid get no others.
std::string taken_properties(const store::cigri::Cluster& found, Imported& line) {
  if (found.properties.empty()) return {};
  if (const auto why = grid::wrong_properties(found.properties)) {
    line.remarks.push_back(fmt::format("its properties '{}' are not taken: {}", found.properties, *why));
    return {};
  }
  line.remarks.push_back(fmt::format(
      "its properties '{}' hold for all jobs there now, where CiGri only counted the resources that have them: 'gridctl cluster "
      "edit {} --properties none' takes them away",
      found.properties, found.name));
  return found.properties;
}

bool import_cluster(Import& import, std::int64_t id, Imported& line) {
  const auto found = read_row(import, [&](auto& transaction) { return store::cigri::cluster(transaction, id); });
  line.source = found.name;
  check_cluster_name(found.name);
  line.here = found.name;
  if (import.clusters.contains(found.name)) {
    note_present(import, found, line);
    return true;
  }
  check_cluster_url(found.url);
  store::Cluster cluster;
  cluster.name = found.name;
  cluster.url = found.url;
  if (found.batch == "oar3") cluster.api = "oar3";
  if (found.batch == "g5k") {
    cluster.api = "g5k";
    cluster.array_size = kArraySizeOfGrid5000;
  }
  cluster.ca_file = path_of(import.call, "ca-file");
  if (is_header(found.header)) cluster.identity_header = found.header;
  cluster.enabled = take_authentication(import, found, cluster, line) && found.enabled;
  cluster.insecure = import.call.has("insecure");
  if (fleet::would_send_in_clear(cluster) && !cluster.insecure)
    line.remarks.push_back(fmt::format(
        "its password is not sent, as it would go in clear over http: 'gridctl cluster edit {0} --url https://...', or, if nobody "
        "can read what is sent there, 'gridctl cluster edit {0} --insecure'",
        found.name));
  if (const auto unusable = unusable_api(found, cluster)) {
    cluster.enabled = false;
    line.remarks.push_back(*unusable);
  }
  if (!found.enabled) line.remarks.emplace_back("it is disabled, as in CiGri");
  const auto properties = taken_properties(found, line);
  if (!import.is_trial()) {
    store::transact(import.here, std::nullopt, [&](store::Transaction& transaction) {
      store::set_cluster_properties(transaction, store::add_cluster(transaction, cluster), properties);
      store::wake_up(transaction);
    });
  }
  import.clusters.emplace(found.name, found.url);
  return true;
}

/// The cluster's id here. Throws process::Error where the cluster is not here. Empty: it is only to be made.
std::optional<grid::ClusterId> cluster_here(const Import& import, store::Transaction& transaction,
                                            const store::cigri::ClusterOfUser& found) {
  const auto& name = found.name;
  if (name.empty()) refuse("CiGri has no such cluster any more");
  if (!import.clusters.contains(name)) refuse(fmt::format("there is no cluster '{}' here", name));
  if (found.shared_url && *found.shared_url != import.clusters.at(name))
    refuse(fmt::format("CiGri has several clusters '{}', and this is of another than the one at {}", name, import.clusters.at(name)));
  const auto cluster = store::find_cluster(transaction, name);
  return cluster ? std::optional{cluster->id} : std::nullopt;
}

/// `Bearer TOKEN`, or a JSON Web Token without that word.
bool looks_like_token(const std::string& login) {
  return login.starts_with("Bearer") || login.starts_with("bearer") || (login.starts_with("eyJ") && std::ranges::count(login, '.') == 2);
}

bool import_login(Import& import, std::int64_t id, Imported& line) {
  const auto found = read_row(import, [&](auto& transaction) { return store::cigri::login(transaction, id); });
  if (!import.wants_user(found.user)) return false;
  line.source = fmt::format("login on {}", found.cluster.name);
  line.user = found.user;
  check_login(found.user);
  if (found.login.empty()) refuse("CiGri has no login of this user there");
  if (found.is_token || looks_like_token(found.login))
    refuse("it is a token, and those are not known here: the grid is known by a certificate or a password");
  if (!is_login(found.login)) refuse("it is no name of a user, and may be a secret: not shown");
  line.here = found.login;
  store::transact(import.here, std::nullopt, [&](store::Transaction& transaction) {
    const auto cluster = cluster_here(import, transaction, found.cluster);
    if (found.login == found.user) {
      line.fate = Fate::empty;  // the same name everywhere needs no mapping
      return;
    }
    for (const auto& mapping : store::user_mappings(transaction)) {
      if (mapping.user != found.user || mapping.cluster != found.cluster.name) continue;
      line.fate = Fate::present;
      if (mapping.login != found.login) line.remarks = {fmt::format("the login here is {}, and stays", mapping.login)};
      return;
    }
    if (cluster && !import.is_trial()) store::map_user(transaction, found.user, *cluster, found.login);
  });
  return true;
}

bool import_priority(Import& import, std::int64_t id, Imported& line) {
  const auto found = read_row(import, [&](auto& transaction) { return store::cigri::priority(transaction, id); });
  if (!import.wants_user(found.user)) return false;
  line.source = fmt::format("priority {} on {}", found.priority, found.cluster.name);
  line.user = found.user;
  check_login(found.user);
  if (found.priority <= 0) refuse("nobody is served last on one cluster here: 'gridctl user priority' holds on all of them");
  line.here = "affinity";
  store::transact(import.here, std::nullopt, [&](store::Transaction& transaction) {
    const auto cluster = cluster_here(import, transaction, found.cluster);
    const auto known = store::affinities(transaction);
    if (cluster && std::ranges::any_of(known, [&](const auto& one) { return one.user == found.user && one.cluster == *cluster; }))
      line.fate = Fate::present;
    else if (cluster && !import.is_trial()) store::set_affinity(transaction, found.user, *cluster);
  });
  return true;
}

}  // namespace

void import_clusters(Import& import) {
  for (const auto id : ids_of(import, store::cigri::cluster_ids))
    import_one(import, {.kind = "cluster", .source = fmt::format("number {}", id)},
               [&](Imported& line) { return import_cluster(import, id, line); });
}

void import_users(Import& import) {
  for (const auto id : ids_of(import, store::cigri::login_ids))
    import_one(import, {.kind = "user", .source = fmt::format("users_mapping {}", id)},
               [&](Imported& line) { return import_login(import, id, line); });
  for (const auto id : ids_of(import, store::cigri::priority_ids))
    import_one(import, {.kind = "user", .source = fmt::format("users_priority {}", id)},
               [&](Imported& line) { return import_priority(import, id, line); });
}

}  // namespace gleaner::gridctl
