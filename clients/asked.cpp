#include "clients/asked.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <pwd.h>
#include <unistd.h>

#include <algorithm>
#include <charconv>
#include <optional>

#include "lib/process/values.hpp"

namespace gleaner::clients {
namespace {

using process::Error;
using process::ExitCode;

std::optional<std::int64_t> whole_number(std::string_view text) {
  std::int64_t number = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (error != std::errc{} || end != text.data() + text.size()) return std::nullopt;
  return number;
}

}  // namespace

terminal::Form form_of(const process::Arguments& arguments) {
  const std::vector<std::pair<std::string_view, terminal::Form>> forms{{"json", terminal::Form::json}, {"csv", terminal::Form::csv}, {"quiet", terminal::Form::quiet}};
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

std::vector<std::int64_t> ids_of(const std::vector<std::string>& arguments) {
  std::vector<std::int64_t> ids;
  for (const auto& argument : arguments) {
    for (const auto& part : process::split_list(argument)) {
      const auto id = whole_number(part);
      if (!id || *id < 1) throw Error{ExitCode::usage, fmt::format("'{}' is not the id of a campaign: ids are whole numbers, such as 3 or 3,4", part)};
      if (std::ranges::find(ids, *id) == ids.end()) ids.push_back(*id);
    }
  }
  return ids;
}

std::int64_t number_of(const process::Arguments& arguments, std::string_view option, std::int64_t fallback, std::int64_t least, std::int64_t most) {
  const auto given = arguments.value(option);
  if (!given) return fallback;
  const auto read = whole_number(*given);
  if (!read || *read < least || *read > most) throw Error{ExitCode::usage, fmt::format("--{}={}: must be a whole number from {} to {}", option, *given, least, most)};
  return *read;
}

std::string our_name() {
  const auto* user = ::getpwuid(::geteuid());
  return user != nullptr ? user->pw_name : fmt::format("{}", ::geteuid());
}

std::string joined(const std::vector<std::int64_t>& ids) { return fmt::format("{}", fmt::join(ids, ",")); }

}  // namespace gleaner::clients
