#include <fmt/format.h>
#include <fmt/ranges.h>
#include <sys/stat.h>

#include <algorithm>
#include <array>
#include <cctype>
#include <cstdlib>
#include <fstream>
#include <stdexcept>

#include "lib/process/options.hpp"
#include "lib/process/values.hpp"
#include "lib/text/line_ends.hpp"
#include "lib/text/suggest.hpp"

namespace gleaner::process {
namespace {

namespace fs = std::filesystem;

constexpr std::string_view kPrefix = "GLEANER_";
// Variables that are not options: those of run, of almighty, of the failpoints where they are compiled in, of the tests' tiers.
constexpr auto kOtherVariables = std::to_array<std::string_view>({
    "CONFIG",
    "TURNS",
#ifdef GLEANER_FAILPOINTS
    "FAILPOINT",
#endif
    "SOURCE_DIR",
    "BIN_DIR",
});
constexpr std::array<std::string_view, 6> kOtherPrefixes{"TEST_", "DB_", "CONTRACT_", "SYSTEM_", "CHAOS_", "BENCH_"};

bool is_no_option(std::string_view name) {
  return std::ranges::find(kOtherVariables, name) != kOtherVariables.end() ||
         std::ranges::any_of(kOtherPrefixes, [&](std::string_view prefix) { return name.starts_with(prefix); });
}

std::string unknown_key(std::string_view key, const std::string& origin) {
  return fmt::format("{}: unknown option '{}'{}", origin, key, text::did_you_mean(key, option_keys()));
}

std::string lower(std::string_view text) {
  std::string result{text};
  std::ranges::transform(result, result.begin(), [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
  return result;
}

/// A comment begins with a `#` at the beginning or after a blank: a `#` in a URI is kept.
std::string_view without_comment(std::string_view line) {
  for (std::size_t at = line.find('#'); at != std::string_view::npos; at = line.find('#', at + 1)) {
    if (at == 0 || line[at - 1] == ' ' || line[at - 1] == '\t') return line.substr(0, at);
  }
  return line;
}

std::optional<std::string> exposed_password(std::string_view key, const Given& given, const fs::path& file) {
  if (key != "database" || !holds_password(given.value)) return std::nullopt;
  struct stat status {};
  if (::stat(file.c_str(), &status) == 0 && (status.st_mode & (S_IRGRP | S_IROTH)) == 0) return std::nullopt;
  return fmt::format("{}: 'database' holds a password, and others can read the file: chmod 600 {}, or use ~/.pgpass", given.origin,
                     file.string());
}

class FileReader {
 public:
  FileReader(fs::path file, Complaints& complaints) : file_{std::move(file)}, complaints_{complaints} {}

  GivenOptions read() {
    std::ifstream input{file_};
    if (!input) complaints_.push_back(fmt::format("{}: cannot be read", file_.string()));
    std::string line;
    while (std::getline(input, line)) {
      ++number_;
      if (text::lone_return(line) == std::string::npos) take(trim(without_comment(line)));
      else complaints_.push_back(fmt::format("{}:{}: {}", file_.string(), number_, text::kLoneReturn));
    }
    if (input.bad()) complaints_.push_back(fmt::format("{}: cannot be read", file_.string()));
    return std::move(given_);
  }

 private:
  void take(std::string_view line) {
    if (line.empty()) return;
    const auto origin = fmt::format("{}:{}", file_.string(), number_);
    const auto equals = line.find('=');
    if (equals == std::string_view::npos) {
      complaints_.push_back(fmt::format("{}: '{}' is not a line 'key = value'", origin, line));
      return;
    }
    const auto key = trim(line.substr(0, equals));
    const Given given{std::string{trim(line.substr(equals + 1))}, origin};
    if (find_option(key) == nullptr) {
      complaints_.push_back(unknown_key(key, origin));
    } else if (const auto before = given_.find(key); before != given_.end()) {
      complaints_.push_back(fmt::format("{}: '{}' was given already at {}", origin, key, before->second.origin));
    } else if (const auto exposed = exposed_password(key, given, file_)) {
      complaints_.push_back(*exposed);
    } else {
      given_.emplace(key, given);
    }
  }

  fs::path file_;
  int number_ = 0;
  GivenOptions given_;
  Complaints& complaints_;
};

std::optional<std::string> wrong_choice(const Option& option, std::string_view value, std::span<const Use> uses) {
  const auto use = std::ranges::find(uses, option.key, &Use::key);
  if (use != uses.end() && use->check) return use->check(value);
  if (use == uses.end() || use->choices.empty() || std::ranges::find(use->choices, value) != use->choices.end()) return std::nullopt;
  return fmt::format("one of {}{}", fmt::join(use->choices, ", "), text::did_you_mean(value, use->choices));
}

}  // namespace

bool holds_password(std::string_view database) {
  if (lower(database).find("password") != std::string::npos) return true;
  const auto scheme = database.find("://");
  if (scheme == std::string_view::npos) return false;
  const auto user_end = database.find('@', scheme + 3);
  return user_end != std::string_view::npos && database.substr(scheme + 3, user_end - scheme - 3).find(':') != std::string_view::npos;
}

GivenOptions read_file(const fs::path& file, Complaints& complaints) { return FileReader{file, complaints}.read(); }

GivenOptions read_environment(char** environment, Complaints& complaints) {
  GivenOptions given;
  for (char** entry = environment; entry != nullptr && *entry != nullptr; ++entry) {
    const std::string_view text{*entry};
    if (!text.starts_with(kPrefix)) continue;
    const auto equals = text.find('=');
    const auto name = text.substr(0, equals);
    const auto rest = name.substr(kPrefix.size());
    const auto value = equals == std::string_view::npos ? std::string_view{} : text.substr(equals + 1);
    if (is_no_option(rest)) continue;
    if (find_option(lower(rest)) == nullptr) {
      complaints.push_back(unknown_key(lower(rest), std::string{name}));
    } else if (!value.empty()) {
      given.emplace(lower(rest), Given{std::string{value}, std::string{name}});
    }
  }
  return given;
}

Config default_config() {
  auto config = build_config({}, {});
  if (!config) throw std::logic_error{config.error().front()};
  return *std::move(config);
}

tl::expected<Config, Complaints> build_config(std::span<const GivenOptions> sources, std::span<const Use> uses) {
  Config config;
  Complaints complaints;
  for (const auto& option : options()) {
    Given given{std::string{option.fallback}, "the default"};
    for (const auto& source : sources) {
      if (const auto found = source.find(option.key); found != source.end()) {
        given = found->second;
        break;
      }
    }
    auto wrong = option.value.read(given.value, config);
    if (!wrong) wrong = wrong_choice(option, given.value, uses);
    if (wrong) complaints.push_back(fmt::format("{}: {} = '{}' is wrong: it must be {}", given.origin, option.key, given.value, *wrong));
  }
  if (!complaints.empty()) return tl::unexpected{std::move(complaints)};
  return config;
}

tl::expected<std::optional<fs::path>, Complaints> find_config_file(const std::optional<std::string>& asked) {
  const char* variable = std::getenv("GLEANER_CONFIG");
  for (const auto& [name, origin] : {std::pair{asked ? asked->c_str() : nullptr, "--config"}, std::pair{variable, "GLEANER_CONFIG"}}) {
    if (name == nullptr || *name == '\0') continue;
    const auto file = expand_home(name);
    std::error_code ignored;
    if (!fs::exists(file, ignored)) return tl::unexpected{Complaints{fmt::format("{}: there is no file {}", origin, file.string())}};
    return file;
  }
  for (const auto* name : {"~/.config/gleaner/gleaner.conf", "/etc/gleaner/gleaner.conf"}) {
    std::error_code ignored;
    if (const auto file = expand_home(name); file.is_absolute() && fs::exists(file, ignored)) return file;
  }
  return std::nullopt;
}

}  // namespace gleaner::process
