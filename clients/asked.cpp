#include "clients/asked.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <pwd.h>
#include <unistd.h>

#include <algorithm>
#include <optional>

#include "lib/process/values.hpp"
#include "lib/text/numbers.hpp"
#include "lib/text/ranges.hpp"

namespace gleaner::clients {
namespace {

using process::Error;
using process::ExitCode;

}  // namespace

terminal::Form form_of(const process::Arguments& arguments) {
  const std::vector<std::pair<std::string_view, terminal::Form>> forms{
      {"json", terminal::Form::json}, {"csv", terminal::Form::csv}, {"quiet", terminal::Form::quiet}};
  auto form = terminal::Form::human;
  std::string_view first;
  for (const auto& [name, meant] : forms) {
    if (!arguments.has(name)) continue;
    if (!first.empty()) throw Error{ExitCode::usage, fmt::format("--{} and --{} exclude each other", first, name)};
    first = name;
    form = meant;
  }
  return form;
}

std::vector<std::int64_t> ids_of(const std::vector<std::string>& arguments, std::string_view what) {
  std::vector<std::int64_t> ids;
  for (const auto& argument : arguments) {
    for (const auto& part : process::split_list(argument)) {
      const auto id = text::whole_number(part, std::int64_t{1});
      if (!id) throw Error{ExitCode::usage, fmt::format("'{}' is not the id of {}: ids are whole numbers, such as 3 or 3,4", part, what)};
      if (std::ranges::find(ids, *id) == ids.end()) ids.push_back(*id);
    }
  }
  return ids;
}

std::vector<std::string> task_lists(const process::Arguments& arguments, const std::vector<std::int64_t>& campaigns) {
  constexpr std::size_t kMostListed = 4000;
  if (!arguments.has("task")) return {};
  if (campaigns.size() != 1) throw Error{ExitCode::usage, "--task is for the tasks of one campaign: give one id, such as 12 --task 7,9-12"};
  const auto ranges = text::parse_ranges(fmt::format("{}", fmt::join(arguments.all("task"), ",")));
  if (!ranges) throw Error{ExitCode::usage, fmt::format("--task: {}", ranges.error())};
  std::vector<std::string> lists{""};
  for (const auto& range : *ranges) {
    if (lists.back().size() > kMostListed) lists.emplace_back();
    lists.back() += (lists.back().empty() ? "" : ",") + text::to_text({range});
  }
  return lists;
}

std::int64_t number_of(const process::Arguments& arguments, std::string_view option, std::int64_t fallback, std::int64_t least,
                       std::int64_t most) {
  const auto given = arguments.value(option);
  if (!given) return fallback;
  const auto read = text::whole_number(*given, least, most);
  if (!read) throw Error{ExitCode::usage, fmt::format("--{}={}: must be a whole number from {} to {}", option, *given, least, most)};
  return *read;
}

std::filesystem::path parameter_path(std::string_view path, const std::filesystem::path& campaign_file) {
  std::string expanded{path};
  for (const std::string_view home : {"{HOME}", "${HOME}", "$HOME"}) {
    const auto rest = path.substr(std::min(home.size(), path.size()));
    if (path.starts_with(home) && (rest.empty() || rest.starts_with('/'))) expanded = fmt::format("~{}", rest);
  }
  return campaign_file.parent_path() / process::expand_home(expanded);
}

std::string our_name() {
  const auto* user = ::getpwuid(::geteuid());
  return user != nullptr ? user->pw_name : fmt::format("{}", ::geteuid());
}

std::string joined(const std::vector<std::int64_t>& ids) { return fmt::format("{}", fmt::join(ids, ",")); }

}  // namespace gleaner::clients
