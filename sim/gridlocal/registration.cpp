#include "sim/gridlocal/registration.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <fstream>

#include <unistd.h>

#include "lib/process/exit_code.hpp"
#include "sim/gridlocal/database.hpp"

namespace gleaner::gridlocal {
namespace {

using process::Error;
using process::ExitCode;

constexpr process::Duration kLimit = std::chrono::minutes{1};

/// Runs gridctl. Throws an error with its output if it fails.
process::Captured gridctl(const Place& place, const std::vector<std::string>& arguments) {
  const auto said = process::capture(program_command(place, "gridctl", arguments), kLimit);
  if (!said) throw Error{ExitCode::failure, said.error()};
  return *said;
}

void must(const Place& place, const std::vector<std::string>& arguments) {
  const auto said = gridctl(place, arguments);
  if (!said.end.succeeded())
    throw Error{ExitCode::failure, fmt::format("gridctl {} failed ({}):\n{}", fmt::join(arguments, " "), said.end.text(), said.output)};
}

}  // namespace

/// The program that takes the herald's mail: for a grid of one machine, into a file.
void write_sendmail(const Place& place) {
  std::ofstream file{place.sendmail()};
  file << "#!/bin/sh\n# Written by gridlocal up: keeps the grid's mail in a file beside this one.\n"
          "{ cat; echo; } >> \"$(dirname \"$0\")/mail\"\n";
  if (!file.flush()) throw Error{ExitCode::failure, fmt::format("{} cannot be written", place.sendmail().string())};
  fs::permissions(place.sendmail(), fs::perms::owner_all | fs::perms::group_read | fs::perms::others_read);
}

void write_configuration(const Place& place) {
  write_sendmail(place);
  std::ofstream file{place.configuration()};
  // Local clusters answer at once, so short periods are cheap.
  file << "# Written by gridlocal up, and again at each one.\n"
       << fmt::format(
              "cycle_period = 1s\ndatabase = {}\napi = unix:{}\napi_socket = {}\ninput_spool = {}\n"
              // Whoever starts it may use it.
              "least_uid = 0\nrefused_users = \n"
              "herald_delay = 2s\nherald_interval = 10s\nmail_sendmail = {}\n",
              conninfo(place), place.api_socket().string(), place.api_socket().string(), (place.root() / "inputs").string(),
              place.sendmail().string());
  if (!file.flush()) throw Error{ExitCode::failure, fmt::format("{} cannot be written", place.configuration().string())};
}

process::Command program_command(const Place& place, const std::string& name, const std::vector<std::string>& arguments) {
  process::Command command{.arguments = {program(name)}};
  command.arguments.insert(command.arguments.end(), arguments.begin(), arguments.end());
  command.directory = "/";
  // An empty variable counts as unset: only the place's file decides.
  for (char** entry = environ; *entry != nullptr; ++entry) {
    const std::string_view text{*entry};
    if (text.starts_with("GLEANER_")) command.environment.emplace_back(std::string{text.substr(0, text.find('='))}, "");
  }
  command.environment.emplace_back("GLEANER_CONFIG", place.configuration().string());
  return command;
}

void migrate(const Place& place) { must(place, {"db", "migrate"}); }

void register_clusters(const Place& place, const std::vector<LocalCluster>& clusters) {
  for (const auto& cluster : clusters) {
    const std::vector<std::string> how{"--authentication=basic", "--login=" + cluster.login,
                                       "--secret-file=" + cluster.password_file.string(), "--identity-header=" + cluster.identity_header,
                                       // minioar reports 16 GB per node.
                                       "--memory-property=mem", "--memory-unit=1024", "--memory-max=16384"};
    // A kept place has its clusters registered; only their addresses are new.
    std::vector<std::string> edit{"cluster", "edit", cluster.name, "--url=" + cluster.url};
    edit.insert(edit.end(), how.begin(), how.end());
    const auto edited = gridctl(place, edit);
    if (edited.end.exit_status == static_cast<int>(ExitCode::not_found)) {
      std::vector<std::string> add{"cluster", "add", cluster.name, cluster.url};
      add.insert(add.end(), how.begin(), how.end());
      must(place, add);
    } else if (!edited.end.succeeded()) {
      throw Error{ExitCode::failure, fmt::format("gridctl {} failed ({}):\n{}", fmt::join(edit, " "), edited.end.text(), edited.output)};
    }
    if (!cluster.user.empty() && cluster.user != our_name()) must(place, {"user", "map", our_name(), cluster.name, cluster.user});
  }
  // The user of a local grid is its only administrator.
  must(place, {"user", "allow-normal", our_name()});
}

}  // namespace gleaner::gridlocal
