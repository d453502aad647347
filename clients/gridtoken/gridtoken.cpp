#include "clients/gridtoken/gridtoken.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <termios.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstdio>
#include <cstring>
#include <string>
#include <vector>

#include "clients/act.hpp"
#include "clients/api_client.hpp"
#include "clients/asked.hpp"
#include "lib/process/descriptor.hpp"
#include "lib/terminal/output.hpp"
#include "lib/terminal/text.hpp"
#include "lib/text/suggest.hpp"

namespace gleaner::gridtoken {
namespace {

using clients::ApiClient;
using clients::Json;
using process::Error;
using process::ExitCode;
using terminal::Cell;

constexpr const char* kPath = "/v1/tokens";
constexpr std::size_t kLongest = 16384;

/// Nothing that is typed at the terminal is shown there.
class Unseen {
 public:
  Unseen() : is_terminal_{::tcgetattr(STDIN_FILENO, &before_) == 0} {
    if (!is_terminal_) return;
    auto quiet = before_;
    quiet.c_lflag &= ~static_cast<tcflag_t>(ECHO | ICANON);
    quiet.c_cc[VMIN] = 1;
    quiet.c_cc[VTIME] = 0;
    ::tcsetattr(STDIN_FILENO, TCSAFLUSH, &quiet);
  }
  Unseen(const Unseen&) = delete;
  Unseen& operator=(const Unseen&) = delete;
  ~Unseen() {
    if (is_terminal_) ::tcsetattr(STDIN_FILENO, TCSAFLUSH, &before_);
  }
  [[nodiscard]] bool is_terminal() const { return is_terminal_; }

 private:
  termios before_{};
  bool is_terminal_;
};

/// The first bytes of a file; of a terminal, the first line.
std::string content_of(int file, bool is_terminal, const std::string& name) {
  constexpr char kEndOfInput = 4;
  std::string content;
  std::array<char, 1024> block{};
  while (content.size() <= kLongest) {
    const auto got = ::read(file, block.data(), block.size());
    if (got < 0 && errno == EINTR) continue;
    if (got < 0) throw Error{ExitCode::usage, fmt::format("{}: cannot be read: {}", name, std::strerror(errno))};
    if (got == 0) break;
    content.append(block.data(), static_cast<std::size_t>(got));
    if (is_terminal && content.find_first_of(std::string{"\n\r"} + kEndOfInput) != std::string::npos) break;
  }
  while (!content.empty() && (content.back() == kEndOfInput || content.back() == '\n' || content.back() == '\r')) content.pop_back();
  return content;
}

/// Whether it looks as if somebody wrote the token itself.
bool looks_like_token(const std::string& word) { return word.starts_with("ey") && word.find('.') != std::string::npos && word.size() > 40; }

/// The line of the token: `oarsub -T` prints `OAR_API_TOKEN=...`, possibly after others.
std::string token_in(const std::string& content, const std::string& name) {
  constexpr std::string_view kPrinted{"OAR_API_TOKEN="};
  auto token = content;
  if (const auto at = content.find(kPrinted); at != std::string::npos) token = content.substr(at + kPrinted.size());
  const auto first = token.find_first_not_of(" \t\r\n\"'");
  token = first == std::string::npos ? std::string{} : token.substr(first);
  token = token.substr(0, token.find_first_of(" \t\r\n\"'"));
  if (token.empty()) throw Error{ExitCode::usage, fmt::format("{}: it has no token", name)};
  if (token.size() > kLongest) throw Error{ExitCode::usage, fmt::format("{}: it is too long for a token", name)};
  return token;
}

std::string read_token(const std::string& file) {
  if (looks_like_token(file))
    throw Error{
        ExitCode::usage,
        "a token is not for the command line, which everybody on this machine can read, and your shell keeps: take this one for known "
        "to others, get another by 'oarsub -T', and give it on stdin or in a file"};
  if (file != "-") {
    const process::Descriptor opened{::open(file.c_str(), O_RDONLY | O_CLOEXEC)};
    if (opened.number() < 0) throw Error{ExitCode::usage, fmt::format("{}: cannot be read: {}", file, std::strerror(errno))};
    return token_in(content_of(opened.number(), false, file), file);
  }
  std::string content;
  {
    const Unseen unseen;
    if (unseen.is_terminal()) std::fputs("token (as 'oarsub -T' prints it; it is not shown here): ", stderr);
    content = content_of(STDIN_FILENO, unseen.is_terminal(), "stdin");
    if (unseen.is_terminal()) std::fputs("\n", stderr);
  }
  return token_in(content, "stdin");
}

terminal::Table table_of(const std::vector<Json>& items) {
  terminal::Table table{{{"cluster", "Cluster", terminal::Align::left, terminal::Shrink::last},
                         {"login", "As"},
                         {"state", "State"},
                         {"expires", "Expires"},
                         {"last_used", "Last used"},
                         {"fingerprint", "Fingerprint"},
                         {"renewal_error", "Not renewed", terminal::Align::left, terminal::Shrink::when_needed}},
                        {},
                        "No cluster has a token of yours: gridtoken add CLUSTER"};
  for (const auto& item : items) {
    const auto shown = [&](std::string_view name, std::string_view none) {
      const auto& value = item[name];
      return value.is_null() ? Cell{std::monostate{}, std::string{none}} : Cell{value.text(), terminal::printable(value.text())};
    };
    table.rows.push_back({shown("cluster", ""), shown("login", ""), shown("state", ""), shown("expires", "never"),
                          shown("last_used", "never"), shown("fingerprint", ""), shown("renewal_error", "")});
  }
  return table;
}

std::string cigri_lines(const std::vector<Json>& items) {
  std::string text;
  for (const auto& item : items)
    text += fmt::format(" - Cluster #{} : fingerprint:{}\n", item["cluster_id"].integer(), terminal::printable(item["fingerprint"].text()));
  return text;
}

process::Outcome list(const process::Context& context, ApiClient& api, terminal::Output& output, terminal::Form form) {
  const auto items = api.get(kPath).json["items"].items();
  auto table = table_of(items);
  const bool is_cigri = clients::manner_of(context, form) != clients::Manner::gleaner;
  output.show({.table = table,
               .text = is_cigri ? cigri_lines(items) : terminal::render_human(table, output.screen()),
               .json = clients::dump(Json::of(std::vector<Json::Member>{{"items", Json::of(items)}}), clients::Layout::one_line)});
  return ExitCode::ok;
}

process::Outcome add(ApiClient& api, terminal::Output& output, const std::string& cluster, const std::string& file) {
  const auto token = read_token(file);
  const auto reply = api.ask(fmt::format("{}/{}", kPath, clients::url_encoded(cluster)),
                             clients::dump(Json::of(std::vector<Json::Member>{{"token", Json::of(token)}}), clients::Layout::one_line));
  output.report(terminal::printable(reply.json["message"].text()));
  return ExitCode::ok;
}

process::Outcome remove(ApiClient& api, terminal::Output& output, const std::string& cluster) {
  const auto reply = api.remove(fmt::format("{}/{}", kPath, clients::url_encoded(cluster)));
  output.report(terminal::printable(reply.json["message"].text()));
  return ExitCode::ok;
}

/// The act that is wished, by a command or by CiGri's options.
struct Wish {
  std::string what = "list";
  std::string cluster{};
  std::string file = "-";
};

Wish by_command(const process::Arguments& arguments) {
  constexpr std::array<std::string_view, 4> kKnown{"list", "add", "delete", "remove"};
  const auto& words = arguments.positional;
  Wish wish{.what = words[0] == "remove" ? "delete" : words[0]};
  if (std::ranges::find(kKnown, std::string_view{words[0]}) == kKnown.end())
    throw Error{ExitCode::usage, looks_like_token(words[0])
                                     ? "a token is not for the command line: 'gridtoken add CLUSTER' reads it on stdin"
                                     : fmt::format("unknown command '{}'{}; known: list, add CLUSTER [FILE], delete CLUSTER", words[0],
                                                   text::did_you_mean(words[0], kKnown))};
  const std::size_t most = wish.what == "list" ? 1 : wish.what == "add" ? 3 : 2;
  if (words.size() > most || (most > 1 && words.size() < 2))
    throw Error{ExitCode::usage, "usage: gridtoken [list | add CLUSTER [FILE] | delete CLUSTER]"};
  for (const auto* option : {"list", "cluster-id", "token", "remove"}) {
    if (arguments.has(option)) throw Error{ExitCode::usage, fmt::format("'{}' and --{}: write one of them", words[0], option)};
  }
  if (words.size() > 1) wish.cluster = words[1];
  if (words.size() > 2) wish.file = words[2];
  return wish;
}

Wish by_options(const process::Arguments& arguments) {
  const auto cluster = arguments.value("cluster-id");
  const auto token = arguments.value("token");
  if (token && arguments.has("remove")) throw Error{ExitCode::usage, "--token and --remove: write one of them"};
  if ((token || arguments.has("remove")) && !cluster)
    throw Error{ExitCode::usage, "--cluster-id is missing: write the cluster's id or name"};
  if (cluster && !token && !arguments.has("remove")) throw Error{ExitCode::usage, "--cluster-id belongs to --token or --remove"};
  if (token) return {.what = "add", .cluster = *cluster, .file = *token};
  if (arguments.has("remove")) return {.what = "delete", .cluster = *cluster};
  return {};
}

}  // namespace

process::Outcome gridtoken(const process::Context& context) {
  const auto& arguments = context.arguments;
  const auto form = clients::form_of(arguments);
  const auto wish = arguments.positional.empty() ? by_options(arguments) : by_command(arguments);
  const auto output = terminal::make_output(form);
  ApiClient api{context.config};
  if (wish.what == "add") return add(api, *output, wish.cluster, wish.file);
  if (wish.what == "delete") return remove(api, *output, wish.cluster);
  return list(context, api, *output, form);
}

}  // namespace gleaner::gridtoken
