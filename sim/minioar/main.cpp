#include <pwd.h>
#include <unistd.h>

#include <algorithm>
#include <csignal>
#include <cstring>
#include <deque>
#include <filesystem>
#include <fstream>
#include <sstream>

#include <fmt/format.h>
#include <boost/program_options.hpp>

#include "lib/http/server.hpp"
#include "lib/process/description.hpp"
#include "lib/process/standard_streams.hpp"
#include "lib/text/numbers.hpp"
#include "sim/minioar/api.hpp"

namespace {

namespace po = boost::program_options;
using namespace gleaner;
using namespace gleaner::minioar;

constexpr int kUsage = 2;
constexpr int kCannotStart = 1;

constexpr const char* kIntroduction =
    "minioar: a small OAR cluster on this machine. It speaks the REST API of OAR 2.5 or 2.6, and runs the jobs as\n"
    "processes of the user who started it. It keeps its jobs in the state directory; those that run when it\n"
    "stops go on, and are found again by the next one. Prints one line of JSON when it listens: {\"url\":…}.\n";

struct Settings {
  EngineOptions engine;
  ApiOptions api;
  http::ServerOptions server;
  std::chrono::milliseconds latency{0};
};

po::options_description options_of(Settings& s, std::string& listen, std::string& socket, std::string& password_file,
                                   std::string& token_key_file, std::vector<std::string>& users) {
  po::options_description all{"Options"};
  auto add = all.add_options();
  add("help,h", "print this");
  add("version", "print the version");
  add("state", po::value(&s.engine.state_directory)->required()->value_name("DIR"), "where the jobs are kept");
  add("homes", po::value(&s.engine.homes)->value_name("DIR"), "the home of USER is DIR/USER (default: STATE/homes)");
  add("oar", po::value<std::string>()->default_value("2.5")->value_name("2.5|2.6"), "the version that it plays");
  add("api", po::value<std::string>()->default_value("oar2")->value_name("oar2|oar3|g5k"),
      "its REST API: that of the version, or that of OAR 3, which takes tokens and no password");
  add("token-key-file", po::value(&token_key_file)->value_name("FILE"),
      "OAR 3: the key that signs tokens, the first line of a file that others cannot read (any signature is taken)");
  add("token-minutes", po::value<long>()->default_value(524160)->value_name("MINUTES"), "OAR 3: the time of a token that it gives");
  add("name", po::value(&s.engine.shape.name)->default_value("minioar")->value_name("NAME"),
      "of the cluster; its nodes are NAME-1, NAME-2…");
  add("nodes", po::value(&s.engine.shape.nodes)->default_value(2)->value_name("N"), "how many");
  add("cores", po::value(&s.engine.shape.cores)->default_value(8)->value_name("N"), "of each node");
  add("mem", po::value(&s.engine.shape.mem)->default_value(16)->value_name("N"), "property mem of each resource");
  add("reserved-nodes", po::value(&s.engine.shape.reserved_nodes)->default_value(0)->value_name("N"),
      "of them, the last ones, that best-effort jobs do not get (besteffort = NO)");
  add("licences", po::value(&s.engine.shape.licences)->default_value(0)->value_name("N"),
      "resources of the type licence, which are no cores: {type = 'licence'}/licence=1");
  add("gpus", po::value(&s.engine.shape.gpus)->default_value(0)->value_name("N"), "of each node, which share its cores: /gpu=1");
  add("listen", po::value(&listen)->default_value("127.0.0.1:0")->value_name("ADDRESS:PORT"), "port 0: a free one");
  add("socket", po::value(&socket)->value_name("PATH"), "listen on a unix socket too");
  add("prefix", po::value(&s.api.prefix)->default_value("/oarapi-grid")->value_name("PREFIX"), "of the paths of the API");
  add("login", po::value(&s.api.login)->value_name("LOGIN"), "the client's name for basic authentication; none is asked without");
  add("password-file", po::value(&password_file)->value_name("FILE"), "its password, the first line of a file that others cannot read");
  add("user", po::value(&users)->composing()->value_name("USER"), "a user of the cluster, may be repeated (default: who starts it)");
  add("any-user", "accept any user");
  add("start-rate", po::value(&s.engine.start_rate)->default_value(0)->value_name("N"), "jobs started per second; 0: as many as fit");
  add("start-delay-ms", po::value<long>()->default_value(0)->value_name("MS"), "between the scheduler's decision and the start of a job");
  add("wake-delay-ms", po::value<long>()->value_name("MS"),
      "energy saving: nodes that are Absent are woken for jobs, and these start so much later (default: such nodes get no job)");
  add("kill-grace-ms", po::value<long>()->default_value(1000)->value_name("MS"), "between SIGTERM and SIGKILL, when a job is killed");
  add("exterminate-after-ms", po::value<long>()->default_value(20000)->value_name("MS"),
      "between the first kill of a job that has no process and its end");
  add("latency-ms", po::value<long>()->default_value(0)->value_name("MS"), "of every answer; a plain CGI API takes 150");
  add("kill-jobs-on-exit", "kill the jobs that run when it stops");
  add("max-connections", po::value(&s.server.max_connections)->default_value(64)->value_name("N"), "at once");
  add("allow-faults", "let tests on this machine break it: POST /_faults, /_server, /_launches, … (sim/minioar/api_admin.cpp)");
  return all;
}

/// Throws when stdout cannot be written.
void print(const std::string& text) {
  const int error = process::write_to_stdout(text);
  if (error != 0) throw std::runtime_error{fmt::format("stdout cannot be written: {}", std::strerror(error))};
}

std::string read_password(const std::string& path) {
  std::error_code error;
  const auto mode = std::filesystem::status(path, error).permissions();
  if (error) throw std::runtime_error{fmt::format("cannot read {}: {}", path, error.message())};
  if ((mode & (std::filesystem::perms::group_all | std::filesystem::perms::others_all)) != std::filesystem::perms::none) {
    throw std::runtime_error{fmt::format("{} can be read by others: chmod 600 {}", path, path)};
  }
  std::string password;
  std::getline(std::ifstream{path}, password);
  return password;
}

std::string invoking_user() {
  const auto* entry = ::getpwuid(::getuid());
  return entry != nullptr ? entry->pw_name : std::to_string(::getuid());
}

http::TcpEndpoint endpoint_of(const std::string& text) {
  const auto colon = text.rfind(':');
  if (colon == std::string::npos) throw std::runtime_error{fmt::format("--listen {}: ADDRESS:PORT is needed", text)};
  const auto port = text::whole_number<std::uint16_t>(std::string_view{text}.substr(colon + 1));
  if (!port) throw std::runtime_error{fmt::format("--listen {}: no such port", text)};
  return {text.substr(0, colon), *port};
}

/// The contents of the manual page and the completions. `texts` keeps what the result refers to.
process::Program program_of(const po::options_description& all, std::deque<std::string>& texts) {
  auto& purpose = texts.emplace_back(kIntroduction + std::strlen("minioar: "));
  purpose.pop_back();
  std::replace(purpose.begin(), purpose.end(), '\n', ' ');
  process::Program program{.name = "minioar", .purpose = purpose, .keys = {}, .configuration = process::Program::Configuration::ignored};
  for (const auto& option : all.options()) {
    const auto& name = option->long_name();
    if (name == "help" || name == "version") continue;                                                          // those of every program
    const auto parameter = option->semantic()->max_tokens() == 0 ? std::string{} : option->format_parameter();  // `N (=2)`
    const auto fallback = parameter.find(" (=");
    const auto& value = texts.emplace_back(parameter.substr(0, fallback));
    const auto& help =
        texts.emplace_back(fallback == std::string::npos ? option->description()
                                                         : fmt::format("{} ({}", option->description(), parameter.substr(fallback + 3)));
    program.options.push_back({name, value, help});
  }
  return program;
}

void print_description(const po::options_description& all, const std::string& form) {
  std::deque<std::string> texts;
  const auto described = process::description(program_of(all, texts), form);
  if (!described) throw po::error{described.error().front()};
  print(*described);
}

/// Empty: the program is finished (--help).
std::optional<Settings> read_settings(int argc, char** argv) {
  Settings s;
  std::string listen;
  std::string socket;
  std::string password_file;
  std::string token_key_file;
  std::vector<std::string> users;
  const auto all = options_of(s, listen, socket, password_file, token_key_file, users);
  po::options_description known;
  known.add(all).add_options()("describe", po::value<std::string>());
  po::variables_map given;
  po::store(po::parse_command_line(argc, argv, known), given);
  if (given.contains("describe")) {
    print_description(all, given["describe"].as<std::string>());
    return std::nullopt;
  }
  if (given.contains("help")) {
    print((std::ostringstream{} << kIntroduction << '\n' << all << '\n').str());
    return std::nullopt;
  }
  if (given.contains("version")) {
    print("minioar " GLEANER_VERSION "\n");
    return std::nullopt;
  }
  po::notify(given);
  s.engine.state_directory = std::filesystem::absolute(s.engine.state_directory).lexically_normal().string();
  s.engine.homes =
      s.engine.homes.empty() ? s.engine.state_directory + "/homes" : std::filesystem::absolute(s.engine.homes).lexically_normal().string();
  s.engine.dialect = dialect_of(given["oar"].as<std::string>());
  if (s.engine.dialect == nullptr) throw po::error{fmt::format("--oar {}: 2.5 or 2.6 is needed", given["oar"].as<std::string>())};
  const auto api = given["api"].as<std::string>();
  if (api != "oar2" && api != "oar3" && api != "g5k") throw po::error{fmt::format("--api {}: oar2, oar3 or g5k is needed", api)};
  if (api == "oar3") s.api.rest_api = RestApi::oar3;
  s.engine.groups_meet = api == "oar3";
  if (api == "g5k") {
    s.api.rest_api = RestApi::g5k;
    if (given["prefix"].defaulted()) s.api.prefix = "/stable/sites/" + s.engine.shape.name;
  }
  if (s.engine.shape.nodes < 1 || s.engine.shape.cores < 1) throw std::runtime_error{"--nodes and --cores are at least 1"};
  if (s.engine.shape.reserved_nodes < 0 || s.engine.shape.reserved_nodes > s.engine.shape.nodes || s.engine.shape.licences < 0)
    throw std::runtime_error{"--reserved-nodes is from 0 to --nodes, and --licences is at least 0"};
  if (s.engine.shape.gpus < 0 || s.engine.shape.gpus > s.engine.shape.cores)
    throw std::runtime_error{fmt::format("--gpus is from 0 to --cores ({}), not {}", s.engine.shape.cores, s.engine.shape.gpus)};
  s.engine.start_delay = std::chrono::milliseconds{given["start-delay-ms"].as<long>()};
  if (given.contains("wake-delay-ms")) {
    const auto delay = given["wake-delay-ms"].as<long>();
    if (delay < 0) throw std::runtime_error{fmt::format("--wake-delay-ms is at least 0, not {}", delay)};
    s.engine.wake_delay = std::chrono::milliseconds{delay};
  }
  s.engine.kill_grace = std::chrono::milliseconds{given["kill-grace-ms"].as<long>()};
  s.engine.exterminate_after = std::chrono::milliseconds{given["exterminate-after-ms"].as<long>()};
  s.latency = std::chrono::milliseconds{given["latency-ms"].as<long>()};
  s.engine.kill_jobs_on_exit = given.contains("kill-jobs-on-exit");
  if (users.empty()) users.push_back(invoking_user());
  s.api.users.insert(users.begin(), users.end());
  s.api.accept = given.contains("any-user") ? Users::any : Users::listed;
  s.api.admin = given.contains("allow-faults") ? Admin::allowed : Admin::refused;
  if (s.api.login.empty() != password_file.empty()) throw std::runtime_error{"--login and --password-file go together"};
  if (!password_file.empty()) s.api.password = read_password(password_file);
  if (!token_key_file.empty()) s.api.token_key = read_password(token_key_file);
  s.api.token_life = std::chrono::minutes{given["token-minutes"].as<long>()};
  s.server.tcp = endpoint_of(listen);
  if (!socket.empty()) s.server.unix_socket = http::UnixEndpoint{socket, 0600};
  s.server.on_problem = [](std::string_view what) { process::write_to_stderr(fmt::format("minioar: {}\n", what)); };
  return s;
}

void wait_for_end() {
  sigset_t signals;
  sigemptyset(&signals);
  for (const int signal : {SIGTERM, SIGINT, SIGHUP}) sigaddset(&signals, signal);
  int caught = 0;
  sigwait(&signals, &caught);
}

int serve(Settings settings) {
  for (const auto& user : settings.api.users) std::filesystem::create_directories(settings.engine.homes + "/" + user);
  auto engine = Engine::start(std::move(settings.engine));
  if (!engine) {
    process::write_to_stderr(fmt::format("minioar: {}\n", engine.error()));
    return kCannotStart;
  }
  const auto prefix = settings.api.prefix;
  Api api{**engine, std::move(settings.api)};
  api.set_latency(settings.latency);
  auto server = http::Server::start(std::move(settings.server), [&](const http::Request& request) { return api.handle(request); });
  if (!server) {
    process::write_to_stderr(fmt::format("minioar: {}\n", server.error()));
    return kCannotStart;
  }
  const auto place = fmt::format("{{\"url\":\"{}{}\",\"port\":{},\"pid\":{}}}\n", (*server)->url(), prefix, (*server)->port(), ::getpid());
  if (process::write_to_stdout(place) != 0) process::write_to_stderr("minioar: stdout cannot be written: " + place);
  wait_for_end();
  api.stop();
  (*server)->stop();
  (*engine)->stop();
  return 0;
}

}  // namespace

int main(int argc, char** argv) {
  process::occupy_standard_streams();
  // Blocked before any thread starts: only wait_for_end takes these signals.
  sigset_t signals;
  sigemptyset(&signals);
  for (const int signal : {SIGTERM, SIGINT, SIGHUP, SIGPIPE}) sigaddset(&signals, signal);
  pthread_sigmask(SIG_BLOCK, &signals, nullptr);
  try {
    auto settings = read_settings(argc, argv);
    return settings ? serve(std::move(*settings)) : 0;
  } catch (const po::error& error) {
    process::write_to_stderr(fmt::format("minioar: {} (see --help)\n", error.what()));
    return kUsage;
  } catch (const std::exception& error) {
    process::write_to_stderr(fmt::format("minioar: {}\n", error.what()));
    return kCannotStart;
  }
}
