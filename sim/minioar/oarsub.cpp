#include "sim/minioar/oarsub.hpp"

#include <algorithm>
#include <array>
#include <cctype>
#include <ctime>
#include <filesystem>
#include <fstream>
#include <sstream>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "lib/text/numbers.hpp"
#include "sim/minioar/command_line.hpp"
#include "sim/minioar/job_environment.hpp"

namespace gleaner::minioar {

namespace {

constexpr std::array<std::string_view, 13> kTypes{"besteffort", "idempotent",      "timesharing",    "deploy", "desktop_computing",
                                                  "cosystem",   "container",       "inner",          "noop",   "placeholder",
                                                  "allowed",    "set_placeholder", "use_placeholder"};

struct Failure {
  int status;
  std::string output;
};

std::int64_t number(const std::string& option, const std::string& text) {
  const auto value = text::whole_number(text);
  if (!value) throw Failure{1, fmt::format("Value \"{}\" invalid for option {} (number expected)\n", text, option)};
  return *value;
}

std::int64_t local_time(const std::string& text, const Dialect& dialect) {
  std::tm parts{};
  if (strptime(text.c_str(), "%Y-%m-%d %H:%M:%S", &parts) == nullptr) {
    throw Failure{7, words(dialect.wrong_date, fmt::arg("date", text))};
  }
  parts.tm_isdst = -1;
  return std::mktime(&parts);
}

/// The parsed options of one oarsub.
class Options {
 public:
  explicit Options(const Dialect& dialect) : dialect_{dialect} {}

  void read(const std::vector<std::string>& arguments, const std::string& command_hint) {
    for (const auto& argument : arguments) {
      if (argument.starts_with("--")) {
        const auto equal = argument.find('=');
        set(argument.substr(2, equal == std::string::npos ? equal : equal - 2),
            equal == std::string::npos ? "" : argument.substr(equal + 1));
      } else {
        command = argument;
      }
    }
    if (command.empty()) command = command_hint;
  }

  void set(const std::string& name, const std::string& value) {
    auto& s = submission;
    if (name == "resource") {
      s.resources.push_back(value);
    } else if (name == "name") {
      s.name = value;
    } else if (name == "project") {
      s.project = value;
    } else if (name == "queue") {
      s.queue = value;
    } else if (name == "type") {
      s.types.push_back(value);
    } else if (name == "property") {
      s.property = value;
    } else if (name == "directory") {
      s.directory = value;
    } else if (name == "stdout") {
      s.stdout_file = value;
    } else if (name == "stderr") {
      s.stderr_file = value;
    } else if (name == "hold") {
      s.starts_on_hold = true;
    } else if (!set_number(name, value) && name != "scanscript" && name != "notify" && name != "use-job-key" && name != "stagein") {
      throw Failure{1, fmt::format("Unknown option: {}\n", name)};
    }
  }

  Submission submission;
  std::string command;
  std::optional<std::int64_t> array;

 private:
  bool set_number(const std::string& name, const std::string& value) {
    if (name == "checkpoint") {
      submission.checkpoint = number(name, value);
    } else if (name == "signal") {
      submission.signal = static_cast<int>(number(name, value));
    } else if (name == "array") {
      array = number(name, value);
    } else if (name == "anterior") {
      submission.after.push_back(number(name, value));
    } else if (name == "reservation") {
      submission.not_before = local_time(value, dialect_);
    } else {
      return false;
    }
    return true;
  }

  const Dialect& dialect_;
};

bool known_type(const std::string& type) {
  const auto base = type.substr(0, type.find('='));
  return std::find(kTypes.begin(), kTypes.end(), base) != kTypes.end();
}

/// The admission rules of a fresh OAR, with the messages that they print.
std::string admit(Submission& submission) {
  std::string said;
  const auto say = [&](std::string_view text) { said += fmt::format("[ADMISSION RULE] {}\n", text); };
  const auto refuse = [&](std::string_view text) { throw Failure{254, fmt::format("{}[ADMISSION RULE] {}\n\n", said, text)}; };
  if (submission.user == "root" || submission.user == "oar") refuse("root and oar users are not allowed to submit jobs.");
  if (submission.queue == "admin") refuse("Only member of the group admin can submit jobs in the admin queue");
  if (submission.queue == "besteffort" && !submission.best_effort()) {
    submission.types.emplace_back("besteffort");
    say("Automatically add the besteffort type");
  }
  if (submission.best_effort()) {
    if (submission.queue != "besteffort") say("Automatically redirect in the besteffort queue");
    submission.queue = "besteffort";
    say("Automatically add the besteffort constraint on the resources");
    if (submission.not_before != 0) refuse("Error: a job cannot both be of type besteffort and be a reservation.");
  }
  const bool default_walltime =
      submission.resources.empty() || std::any_of(submission.resources.begin(), submission.resources.end(), [](const auto& text) {
        const auto moldable = parse_moldable(text);
        return moldable ? !moldable->walltime_given : text.find("walltime=") == std::string::npos;
      });
  if (default_walltime) say(fmt::format("Set default walltime to {}.", kDefaultWalltime));
  for (const auto& type : submission.types) {
    if (!known_type(type)) refuse(fmt::format("Error: unknown job type: {}", type));
  }
  say("Modify resource description with type constraints");
  return said;
}

std::vector<std::string> commands_of(const Options& options, const std::string& param_file) {
  std::vector<std::string> commands;
  std::istringstream lines{param_file};
  for (std::string line; std::getline(lines, line);) {
    const auto begin = line.find_first_not_of(" \t\r");
    if (begin == std::string::npos || line[begin] == '#') continue;
    commands.push_back(options.command + " " + line);
  }
  if (param_file.empty()) commands.assign(static_cast<std::size_t>(options.array.value_or(1)), options.command);
  return commands;
}

/// Lines such as `#OAR -n NAME` of a script.
void scan(const std::string& script, Options& options) {
  std::istringstream lines{script};
  for (std::string line; std::getline(lines, line);) {
    std::istringstream words{line};
    std::string mark;
    std::string option;
    std::string value;
    if (!(words >> mark >> option) || mark != "#OAR") continue;
    std::getline(words >> std::ws, value);
    if (option == "-n") options.set("name", value);
    if (option == "-l") options.set("resource", value);
    if (option == "-t") options.set("type", value);
    if (option == "-p") options.set("property", value);
    if (option == "-q") options.set("queue", value);
  }
}

std::string write_script(Engine& engine, const std::string& directory, const std::string& script) {
  const auto name = "oarapi.subscript." + engine.random_suffix();
  const auto path = directory + "/" + name;
  std::ofstream{path, std::ios::binary} << script;
  std::filesystem::permissions(path, std::filesystem::perms{0755});
  return "./" + name;
}

void check_syntax(const Submission& submission, const Dialect& dialect) {
  for (const auto& text : submission.resources) {
    const auto moldable = parse_moldable(text);
    if (moldable || moldable.error().kind == RequestError::Kind::resource) continue;
    const bool whole = moldable.error().kind == RequestError::Kind::unrecognized_description;
    throw Failure{dialect.unrecognized,
                  words(whole ? dialect.unrecognized_description : dialect.unrecognized_part, fmt::arg("text", moldable.error().message))};
  }
}

void check_file_names(const Submission& submission, const Dialect& dialect) {
  const auto check = [&](const std::string& name, std::string_view file, int status) {
    const auto allowed = [](unsigned char c) {
      return std::isalnum(c) != 0 || std::string_view{"_./-%\\ "}.find(static_cast<char>(c)) != std::string_view::npos;
    };
    if (!std::all_of(name.begin(), name.end(), allowed)) throw Failure{status, words(dialect.wrong_file, fmt::arg("file", file))};
  };
  check(submission.stdout_file, "stdout", 244);
  check(submission.stderr_file, "stderr", 243);
}

void complete_files(Submission& submission, const std::string& working_directory) {
  if (submission.directory.empty()) submission.directory = working_directory;
  const auto stem = submission.name ? fmt::format("OAR.{}.%jobid%", *submission.name) : std::string{"OAR.%jobid%"};
  if (submission.stdout_file.empty()) submission.stdout_file = stem + ".stdout";
  if (submission.stderr_file.empty()) submission.stderr_file = stem + ".stderr";
}

Accepted submit(Engine& engine, const std::string& user, const PostedOptions& posted, const CommandLine& line) {
  const auto& dialect = engine.dialect();
  Options options{dialect};
  const auto& directory = line.folder;
  std::string script;
  if (posted.script) script = write_script(engine, directory, *posted.script);
  options.read(line.arguments, script);
  const auto has = [&](std::string_view name) {
    return std::any_of(posted.options.begin(), posted.options.end(), [&](const auto& option) { return option.first == name; });
  };
  if (posted.script && has("scanscript")) scan(*posted.script, options);
  if (options.array && *options.array <= 0) throw Failure{6, std::string{dialect.no_sub_jobs}};
  auto& submission = options.submission;
  submission.user = user;
  submission.initial_request = fmt::format("oarsub {}{}", fmt::join(line.arguments, " "), script.empty() ? "" : " " + script);
  if (!posted.param_file.empty()) submission.initial_request += " --array-param-file=/tmp/oarapi.paramfile." + engine.random_suffix();
  check_syntax(submission, dialect);
  check_file_names(submission, dialect);
  auto said = line.noise + admit(submission);
  if (submission.queue != "default" && submission.queue != "besteffort") {
    throw Failure{248, said + words(dialect.no_queue, fmt::arg("queue", submission.queue))};
  }
  complete_files(submission, directory);
  if (submission.not_before != 0 && submission.not_before < engine.date()) {
    throw Failure{
        10, fmt::format("{}{}{}Reservation not valid --> KO (Reservation too old)\n", said, dialect.reservation_waits, dialect.remark)};
  }
  const bool reservation = submission.not_before != 0;
  auto commands = commands_of(options, posted.param_file);
  if (commands.empty()) throw Failure{6, std::string{dialect.no_sub_jobs}};
  const auto ids = engine.submit(std::move(submission), std::move(commands));
  if (!ids) throw Failure{8, fmt::format("{}{}{}\n{}", said, dialect.remark, ids.error().message, dialect.not_submitted)};
  if (ids->size() > 1) said += dialect.array_begins;
  for (const auto id : *ids) said += fmt::format("OAR_JOB_ID={}\n", id);
  if (ids->size() > 1) said += fmt::format("OAR_ARRAY_ID={}\n", ids->front());
  engine.log(fmt::format("{{\"what\":\"post\",\"user\":\"{}\",\"first\":{},\"count\":{},\"time\":{}}}\n", user, ids->front(), ids->size(),
                         engine.date()));
  // The jobs exist all the same, and run once the server does.
  if (!engine.server_lives()) {
    throw Failure{9, said + words(dialect.server_is_dead, fmt::arg("host", engine.options().shape.name), fmt::arg("port", kServerPort))};
  }
  if (reservation) said += fmt::format("{}{}Reservation valid --> OK\n", dialect.reservation_waits, dialect.remark);
  return {*ids, std::move(said)};
}

ApiError api_error(const Dialect& dialect, int status, const std::string& output, const std::string& shown) {
  const bool theirs = std::find(dialect.user_faults.begin(), dialect.user_faults.end(), status) != dialect.user_faults.end();
  return {theirs ? 400U : 500U, theirs ? "Bad query" : "Oar server error",
          dialect.refusal == RefusalIs::as_printed
              ? output
              : fmt::format("Oarsub command exited with status {}: {}\nCmd:\n{}", status, output, shown)};
}

}  // namespace

tl::expected<Accepted, ApiError> oarsub(Engine& engine, const std::string& user, const PostedOptions& posted) {
  const auto home = engine.home_of(user);
  const auto& dialect = engine.dialect();
  const auto line = read_by_shell(posted, home, login_environment(user, home), dialect.folder);
  if (!line) return tl::unexpected{api_error(dialect, line.error().status, line.error().output, line.error().shown)};
  try {
    return submit(engine, user, posted, *line);
  } catch (const Failure& failure) {
    return tl::unexpected{api_error(dialect, failure.status, failure.output, line->shown)};
  }
}

}  // namespace gleaner::minioar
