// The first installation of a grid, in one command that can be repeated: what is there already stays as it is.
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <pwd.h>
#include <sys/random.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <iostream>

#include "clients/asked.hpp"
#include "clients/gridctl/as_user.hpp"
#include "clients/gridctl/commands.hpp"
#include "clients/gridctl/setup_database.hpp"
#include "lib/process/child.hpp"
#include "lib/process/options.hpp"
#include "lib/process/secret.hpp"
#include "lib/process/standard_streams.hpp"
#include "lib/process/values.hpp"
#include "lib/process/whole_file.hpp"
#include "lib/store/migrations.hpp"

namespace gleaner::gridctl {
namespace {

namespace fs = std::filesystem;
using process::Error;
using process::ExitCode;

/// The answers, by options, by questions, or their defaults.
struct Answers {
  std::string database;
  std::string user;         ///< who runs the services
  std::string listen;       ///< empty: the unix socket alone
  std::string certificate;  ///< with listen, where it is no loopback address
  std::string key;
  fs::path directory;
  [[nodiscard]] fs::path configuration() const { return directory / "gleaner.conf"; }
  [[nodiscard]] fs::path tokens() const { return directory / "tokens"; }
};

std::string ask(const std::string& question, const std::string& fallback) {
  process::write_to_stderr(fmt::format("{} [{}]: ", question, fallback.empty() ? "none" : fallback));
  std::string typed;
  if (!std::getline(std::cin, typed)) throw Error{ExitCode::usage, "the questions ended: nothing was done"};
  const auto answer = process::trim(typed);
  return answer.empty() ? fallback : std::string{answer};
}

/// A configuration from before stays, and says which database it is.
void use_what_is_there(Answers& answers) {
  if (!fs::exists(answers.configuration())) return;
  process::Complaints complaints;
  const auto given = process::read_file(answers.configuration(), complaints);
  if (!complaints.empty()) throw Error{ExitCode::usage, fmt::format("{}", fmt::join(complaints, "\n"))};
  const auto differs = [&](const char* key, const std::string& answer) {
    const auto found = given.find(key);
    return !answer.empty() && (found == given.end() || found->second.value != answer);
  };
  if (differs("api_listen", answers.listen) || differs("api_certificate", answers.certificate) || differs("api_key", answers.key))
    throw Error{ExitCode::refused,
                fmt::format("{} is there already: write api_listen, api_tokens_file, api_certificate and api_key into it",
                            answers.configuration().string())};
  const auto database = given.find("database");
  if (database == given.end()) return;
  const bool is_usual = answers.database == process::find_option("database")->fallback;
  if (!is_usual && answers.database != database->second.value)
    throw Error{ExitCode::refused, fmt::format("{} says database = {}: change it there, or leave --database out", database->second.origin,
                                               database->second.value)};
  answers.database = database->second.value;
}

/// Throws for values that the programs would refuse in the configuration.
void check_values(const Answers& answers) {
  const process::GivenOptions given{{"database", {answers.database, "--database"}},
                                    {"api_listen", {answers.listen, "--listen"}},
                                    {"api_certificate", {answers.certificate, "--certificate"}},
                                    {"api_key", {answers.key, "--key"}}};
  if (const auto config = process::build_config({&given, 1}, {}); !config)
    throw Error{ExitCode::usage, fmt::format("{}", fmt::join(config.error(), "\n"))};
  const bool is_loopback = std::ranges::all_of(process::split_list(answers.listen), [](const std::string& address) {
    return address.starts_with("127.") || address.starts_with("[::1]");
  });
  if (answers.listen.empty() && !(answers.certificate.empty() && answers.key.empty()))
    throw Error{ExitCode::usage, "--certificate and --key are those of an address: add --listen ADDRESS, or leave them out"};
  if (answers.certificate.empty() != answers.key.empty() || (!is_loopback && answers.certificate.empty()))
    throw Error{ExitCode::usage, "--listen: an address that others can reach needs --certificate and --key, both"};
}

Answers asked(const Call& call) {
  Answers answers{.database = call.context.config.database,
                  .user = call.value("user").value_or(kUsualUser),
                  .listen = call.value("listen").value_or(""),
                  .certificate = process::absolute_path(call.value("certificate").value_or("")),
                  .key = process::absolute_path(call.value("key").value_or("")),
                  .directory = process::absolute_path(call.value("directory").value_or(kUsualDirectory))};
  if (!call.has("yes")) {
    if (::isatty(STDIN_FILENO) == 0)
      throw Error{ExitCode::refused,
                  "setup asks questions, and stdin is no terminal: add --yes, and options for what is not usual (see --help)"};
    answers.database = ask("The database of the grid, as libpq writes it", answers.database);
    answers.user = ask("The user that runs the services", answers.user);
    answers.listen = ask("A TCP address for users of other machines, such as 0.0.0.0:8443", answers.listen);
    if (!answers.listen.empty()) {
      answers.certificate =
          process::absolute_path(ask("The API's TLS certificate (PEM); without one, a loopback address", answers.certificate));
      if (!answers.certificate.empty()) answers.key = process::absolute_path(ask("Its private key", answers.key));
    }
  }
  use_what_is_there(answers);
  check_values(answers);
  if (process::holds_password(answers.database))
    throw Error{ExitCode::usage,
                fmt::format("a password in the configuration can be read by others: put it into ~{}/.pgpass", answers.user)};
  return answers;
}

process::FileOwner user_of(const Answers& answers) {
  const auto* user = ::getpwnam(answers.user.c_str());
  if (user == nullptr)
    throw Error{
        ExitCode::refused,
        fmt::format("there is no user '{0}' on this machine: the package gleaner-server makes one, or 'adduser --system --group {0}'",
                    answers.user)};
  return {.user = user->pw_uid, .group = user->pw_gid};
}

std::string fresh_token() {
  std::array<unsigned char, 32> bytes{};
  if (::getrandom(bytes.data(), bytes.size(), 0) != static_cast<ssize_t>(bytes.size()))
    throw Error{ExitCode::failure, "the kernel gives no random bytes"};
  return fmt::format("{:02x}", fmt::join(bytes, ""));
}

std::string configuration_text(const Answers& answers) {
  auto text = fmt::format("# Made by 'gridctl setup'; gleaner.conf(5) has every key.\ndatabase = {}\n", answers.database);
  if (answers.listen.empty()) return text;
  text += fmt::format("api_listen = {}\napi_tokens_file = {}\n", answers.listen, answers.tokens().string());
  if (!answers.certificate.empty()) text += fmt::format("api_certificate = {}\napi_key = {}\n", answers.certificate, answers.key);
  return text;
}

class Setup {
 public:
  Setup(const Call& call, Answers answers) : call_{call}, answers_{std::move(answers)}, user_{user_of(answers_)} {}

  /// With a key that the services cannot read there would be no API at all, not even on the unix socket.
  void check_certificate() {
    if (answers_.certificate.empty()) return;
    const auto wrong = found_as_user(answers_.user, user_, [&]() -> std::optional<std::string> {
      if (std::ifstream certificate{answers_.certificate}; !certificate)
        return fmt::format("the certificate {}: {}", answers_.certificate, std::strerror(errno));
      const auto key = process::read_secret_file(answers_.key);
      return key ? std::nullopt : std::optional{fmt::format("the key: {}", key.error())};
    });
    if (!wrong) return;
    throw Error{ExitCode::refused,
                fmt::format("as {0}, who runs the services: {1}. Nothing was done; give {0} a copy: 'install -D -o {0} -m 600 {2} "
                            "{3}/api.key', then --key {3}/api.key",
                            answers_.user, *wrong, answers_.key, answers_.directory.string())};
  }

  void make_roles_and_database() {
    const auto superuser = call_.value("postgres");
    if (!superuser && !is_local(answers_.database))
      return say("the database is reached over the network: its roles are left to who runs it");
    const auto name = database_name(answers_.database);
    if (!name) throw Error{ExitCode::usage, fmt::format("--database={}: write its name as dbname=NAME", answers_.database)};
    for (const auto& made : make_database({.name = *name,
                            .owner = answers_.user,
                            .administrator = clients::our_name(),
                            .superuser = superuser,
                            .server = server_of(answers_.database)}))
      say("made " + made);
  }

  void write_files() {
    std::error_code failed;
    // Every user reads the configuration, whatever the umask of who runs this.
    if (fs::create_directories(answers_.directory, failed)) fs::permissions(answers_.directory, fs::perms{0755}, failed);
    if (failed)
      throw Error{ExitCode::failure, fmt::format("{} cannot be made: {}: run it as root, or choose another --directory",
                                                 answers_.directory.string(), failed.message())};
    const auto root_owned = ::geteuid() == 0 ? process::our_files() : user_;
    if (fs::exists(answers_.configuration())) {
      say(fmt::format("{} is there already, and stays as it is", answers_.configuration().string()));
    } else {
      process::write_whole_file(answers_.configuration(), configuration_text(answers_), 0644, root_owned);
      say(fmt::format("made {}", answers_.configuration().string()));
    }
    if (answers_.listen.empty() || fs::exists(answers_.tokens())) return;
    process::write_whole_file(answers_.tokens(), fmt::format("{} {} admin\n", fresh_token(), clients::our_name()), 0600, user_);
    say(fmt::format("made {}: a token of {}, who is an administrator; a line 'TOKEN USER' for each user of another machine",
                    answers_.tokens().string(), clients::our_name()));
  }

  void make_tables() {
    store::Database database{answers_.database, limits_of(call_)};
    const auto applied = store::migrate(database);
    say(applied.empty() ? "the tables are up to date" : fmt::format("made the tables ({})", fmt::join(applied, ", ")));
  }

  /// False: they should run, and do not.
  bool start_services() {
    const bool by_systemd = ::geteuid() == 0 && answers_.directory == kUsualDirectory && fs::exists("/run/systemd/system");
    const std::string units{"gleaner-api gleaner-almighty gleaner-herald"};
    if (answers_.user != kUsualUser) {
      left_.push_back(
          fmt::format("the units run as {}: write 'User={}' for them with 'systemctl edit {}', then 'systemctl enable --now {}'",
                      kUsualUser, answers_.user, units, units));
      return true;
    }
    if (!by_systemd) {
      left_.push_back(
          fmt::format("start gridapi and almighty as {0}: 'systemctl enable --now {1}' where systemd runs; elsewhere they need a folder "
                      "for the socket first: 'install -d -o {0} /run/gleaner'",
                      answers_.user, units));
      return true;
    }
    const auto started = process::capture(
        {.arguments = {"systemctl", "enable", "--now", "gleaner-api.service", "gleaner-almighty.service", "gleaner-herald.service"}},
        std::chrono::minutes{2});
    if (started && started->end.succeeded()) {
      say("started the services");
      return true;
    }
    left_.push_back(fmt::format("the services do not start ({}): 'journalctl -u gleaner-api -u gleaner-almighty' says why",
                                process::trim(started ? started->output : started.error())));
    return false;
  }

  void check_all() {
    auto context = call_.context;
    context.config.database = answers_.database;
    static_cast<void>(check(Call{context, call_.words, {}, call_.output}));
  }

  /// Steps that only administrators of clusters can take.
  void say_what_is_left() {
    left_.emplace_back(
        "on each cluster: OAR's REST API over https, whose web server knows the grid by a certificate or a password, and lets it "
        "name the user in the header X_REMOTE_IDENT");
    left_.emplace_back(
        "here, for each cluster: 'gridctl cluster add NAME URL --auth certificate --certificate FILE --key FILE', then 'gridctl check'");
    left_.emplace_back("administrators of the grid: members of the unix group gleaner-admin");
    for (std::size_t i = 0; i < left_.size(); ++i)
      call_.output.report(fmt::format("{}{}. {}", i == 0 ? "Left to do:\n" : "", i + 1, left_[i]));
  }

 private:
  void say(const std::string& sentence) { call_.output.report("gridctl: " + sentence); }

  const Call& call_;
  Answers answers_;
  process::FileOwner user_;
  std::vector<std::string> left_;
};

}  // namespace

process::Outcome setup(const Call& call) {
  Setup first{call, asked(call)};
  first.check_certificate();
  first.make_roles_and_database();
  first.make_tables();
  first.write_files();
  const bool is_started = first.start_services();
  first.check_all();
  first.say_what_is_left();
  return is_started ? ExitCode::ok : ExitCode::failure;
}

}  // namespace gleaner::gridctl
