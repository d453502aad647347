#pragma once
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <ranges>

#include "lib/grid/resource_request.hpp"
#include "lib/grid/walltime.hpp"
#include "lib/process/log.hpp"
#include "lib/process/options.hpp"
#include "lib/process/values.hpp"
#include "lib/text/address_range.hpp"
#include "lib/text/destination.hpp"
#include "lib/text/numbers.hpp"
#include "lib/text/suggest.hpp"

/// How the values of options are read and written: each codec stands for a member of Config, or for several.
namespace gleaner::process::codecs {

/// The right form; empty when the value was read.
using Wrong = std::optional<std::string>;

template <auto Member>
Wrong read_word(std::string_view value, Config& into) {
  if (value.empty()) return "a name";
  into.*Member = std::string{value};
  return {};
}

template <auto Member>
Wrong read_plain(std::string_view value, Config& into) {
  into.*Member = std::string{value};
  return {};
}

template <auto Member>
Wrong read_path(std::string_view value, Config& into) {
  const auto expanded = expand_home(value);
  if (!value.empty() && !expanded.is_absolute()) return "an absolute path, or one that begins with ~/";
  into.*Member = expanded;
  return {};
}

template <auto Member>
Wrong read_duration(std::string_view value, Config& into) {
  const auto read = parse_duration(value);
  if (!read) return "a time such as 30s, 5m, 2h, 1d or 200ms";
  into.*Member = *read;
  return {};
}

template <auto Member>
Wrong read_some_time(std::string_view value, Config& into) {
  if (const auto wrong = read_duration<Member>(value, into)) return wrong;
  if ((into.*Member).count() == 0) return "a time longer than 0";
  return {};
}

template <auto Member, int Least, int Most>
Wrong read_integer(std::string_view value, Config& into) {
  const auto read = text::whole_number<int>(value, Least, Most);
  if (!read) return fmt::format("a whole number from {} to {}", Least, Most);
  into.*Member = *read;
  return {};
}

template <auto Member>
Wrong read_size(std::string_view value, Config& into) {
  const auto read = parse_size(value);
  if (!read || *read < 1024) return "a size from 1K, such as 512K, 64M or 4G";
  into.*Member = *read;
  return {};
}

template <auto Member>
Wrong read_size_or_none(std::string_view value, Config& into) {
  const auto read = parse_size(value);
  if (!read || (*read > 0 && *read < 1024)) return "a size from 1K, such as 512K, 64M or 4G; 0: none";
  into.*Member = *read;
  return {};
}

template <auto Member>
Wrong read_fraction(std::string_view value, Config& into) {
  const auto read = text::real_number(value);
  if (!read || *read < 0 || *read > 100) return "a number from 0 to 100, such as 0.5";
  into.*Member = *read;
  return {};
}

template <auto Member>
Wrong read_factor(std::string_view value, Config& into) {
  const auto read = text::real_number(value);
  if (!read || *read <= 1 || *read > 100) return "a number greater than 1, up to 100, such as 1.5";
  into.*Member = *read;
  return {};
}

template <auto Member>
Wrong read_at_least_one(std::string_view value, Config& into) {
  const auto read = text::real_number(value);
  if (!read || *read < 1 || *read > 100) return "a number from 1 to 100, such as 4";
  into.*Member = *read;
  return {};
}

inline Wrong read_level(std::string_view value, Config& into) {
  if (std::ranges::find(log::kLevels, value) == log::kLevels.end())
    return fmt::format("one of {}{}", fmt::join(log::kLevels, ", "), text::did_you_mean(value, log::kLevels));
  into.log_level = std::string{value};
  return {};
}

inline Wrong read_resources(std::string_view value, Config& into) {
  if (const auto read = grid::ResourceRequest::parse(value); !read)
    return fmt::format("a request such as /core=1 or /nodes=1/core=4 ({})", read.error());
  into.default_resources = std::string{value};
  return {};
}

inline Wrong read_walltime(std::string_view value, Config& into) {
  const auto read = grid::parse_walltime(value);
  if (!read) return "a walltime such as 1:00:00 (hours:minutes:seconds)";
  into.default_walltime = *read;
  return {};
}

inline Wrong read_grouping(std::string_view value, Config& into) {
  const auto read = grid::grouping(value);
  if (!read) return "advise, false, true or auto";
  into.temporal_grouping = *read;
  return {};
}

inline Wrong read_headroom(std::string_view value, Config& into) {
  const auto read = grid::headroom(value);
  if (!read) return std::string{grid::kHeadroomForm};
  into.headroom = *read;
  return {};
}

inline Wrong read_availability(std::string_view value, Config& into) {
  constexpr std::array kPolicies{grid::name_of(grid::Availability::dedicated), grid::name_of(grid::Availability::utilized),
                                 grid::name_of(grid::Availability::combined)};
  const auto read = grid::availability(value);
  if (!read) return fmt::format("{}{}", grid::kAvailabilityForm, text::did_you_mean(value, kPolicies));
  into.availability = *read;
  return {};
}

inline Wrong read_read_access(std::string_view value, Config& into) {
  constexpr std::array kNames{name_of(ReadAccess::all), name_of(ReadAccess::project), name_of(ReadAccess::own)};
  const auto read = read_access(value);
  if (!read) return fmt::format("all, project or own{}", text::did_you_mean(value, kNames));
  into.read_access = *read;
  return {};
}

inline Wrong read_load_property(std::string_view value, Config& into) {
  if (!value.empty() && !grid::is_property_name(value))
    return "the name of a property of OAR's resources (letters, digits and '_'); empty: there is none";
  into.load_property = std::string{value};
  return {};
}

inline Wrong read_headroom_weight(std::string_view value, Config& into) {
  const auto read = text::real_number(value);
  if (!read || *read < 0 || *read > 1e6) return "a number from 0 to 1000000, such as 50";
  into.headroom_weight = *read;
  return {};
}

inline Wrong read_address(std::string_view value, Config& into) {
  const bool known = value.starts_with("unix:/") || value.starts_with("http://") || value.starts_with("https://");
  if (!known) return "unix:/path/of/socket, http://host:port or https://host:port";
  into.api = std::string{value};
  return {};
}

/// A factor from 0 to 1.
template <auto Member>
Wrong read_part(std::string_view value, Config& into) {
  const auto read = text::real_number(value);
  if (!read || *read < 0 || *read > 1) return "a number from 0 to 1, such as 0.7";
  into.*Member = *read;
  return {};
}

template <auto Member>
Wrong read_yes_no(std::string_view value, Config& into) {
  if (value != "yes" && value != "no") return "yes or no";
  into.*Member = value == "yes";
  return {};
}

inline Wrong read_listen(std::string_view value, Config& into) {
  auto addresses = split_list(value);
  for (const auto& one : addresses) {
    const auto colon = one.rfind(':');
    const bool has_port = colon != std::string::npos && text::whole_number<std::uint16_t>(std::string_view{one}.substr(colon + 1));
    if (!has_port || colon == 0) return "addresses such as 127.0.0.1:8443, [::1]:8443, with commas between them";
  }
  into.api_listen = std::move(addresses);
  return {};
}

inline Wrong read_ranges(std::string_view value, Config& into) {
  auto ranges = split_list(value);
  for (const auto& one : ranges) {
    if (!text::AddressRange::parse(one))
      return fmt::format("{}, with commas between several ('{}' is neither)", text::AddressRange::kForm, one.substr(0, 100));
  }
  into.api_metrics_addresses = std::move(ranges);
  return {};
}

inline Wrong read_cigri_path(std::string_view value, Config& into) {
  constexpr std::string_view kLetters{"abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-_~"};
  const bool is_path = value.size() > 1 && value.front() == '/' && value.find_first_not_of(kLetters, 1) == std::string_view::npos;
  if (!value.empty() && !is_path) return "a slash and one word of letters, digits, - _ or ~, such as /cigri; empty: off";
  into.api_cigri_path = std::string{value};
  return {};
}

inline Wrong read_param_folders(std::string_view value, Config& into) {
  auto folders = split_list(value);
  for (auto& folder : folders) {
    const bool is_folder =
        folder.size() > 1 && folder.starts_with('/') && folder.find("/../") == std::string::npos && !folder.ends_with("/..");
    if (!is_folder) return "absolute folders such as /home, with commas between several; empty: none";
    while (folder.ends_with('/')) folder.pop_back();
  }
  into.api_cigri_param_files = std::move(folders);
  return {};
}

template <auto Member>
Wrong read_names(std::string_view value, Config& into) {
  into.*Member = split_list(value);
  return {};
}

inline Wrong read_grid_name(std::string_view value, Config& into) {
  constexpr std::size_t kMost = 40;
  const auto is_right = [](char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == ' ' || c == '.' || c == '-' || c == '_';
  };
  if (value.empty() || value.size() > kMost || !std::ranges::all_of(value, is_right))
    return "1 to 40 letters (a-z), digits, blanks, '.', '-' or '_'";
  into.grid_name = std::string{value};
  return {};
}

inline Wrong read_mail_server(std::string_view value, Config& into) {
  constexpr std::array<std::pair<std::string_view, std::string_view>, 2> kSchemes{{{"smtp://", "http://"}, {"smtps://", "https://"}}};
  bool known = value.empty();
  for (const auto& [scheme, web] : kSchemes) {
    if (value.starts_with(scheme) && value.find_first_of("/?", scheme.size()) == std::string_view::npos)
      known = known || text::web_address(fmt::format("{}{}", web, value.substr(scheme.size()))).has_value();
  }
  if (!known) return "smtp://host:port or smtps://host:port; empty: none";
  into.mail_server = std::string{value};
  return {};
}

inline Wrong read_mail_tls(std::string_view value, Config& into) {
  constexpr std::array<std::string_view, 3> kWords{"offered", "required", "never"};
  if (std::ranges::find(kWords, value) == kWords.end())
    return fmt::format("offered, required or never{}", text::did_you_mean(value, kWords));
  into.mail_tls = std::string{value};
  return {};
}

inline Wrong read_mail_from(std::string_view value, Config& into) {
  if (!value.empty() && !text::is_mail_address(value)) return "a mail address such as grid@example.org; empty: gleaner at this host";
  into.mail_from = std::string{value};
  return {};
}

template <auto Member>
Wrong read_mail_addresses(std::string_view value, Config& into) {
  auto addresses = split_list(value);
  if (!std::ranges::all_of(addresses, [](const std::string& one) { return text::is_mail_address(one); }))
    return "mail addresses such as ops@example.org, with commas between them";
  into.*Member = std::move(addresses);
  return {};
}

template <auto Member>
Wrong read_hosts(std::string_view value, Config& into) {
  auto hosts = split_list(value);
  if (!std::ranges::all_of(hosts, [](const std::string& one) { return text::is_host_entry(one); }))
    return "names of hosts such as hooks.example.org, chat.example.org:8443 or *.example.org, with commas between them";
  into.*Member = std::move(hosts);
  return {};
}

/// Each is a part of a header, so nothing but an origin may be in it; a `*` would let every site in.
inline Wrong read_origins(std::string_view value, Config& into) {
  auto origins = split_list(value);
  const auto is_right = [](const std::string& one) {
    const auto scheme = one.find("://");
    if (one == "self") return true;
    return (one.starts_with("https://") || one.starts_with("http://")) && one.find_first_of("/?;,'*", scheme + 3) == std::string::npos &&
           text::web_address(one).has_value();
  };
  if (!std::ranges::all_of(origins, is_right))
    return "origins such as https://portal.example.org or https://portal.example.org:8443, or self, with commas between them; empty: none";
  into.api_frame_ancestors = std::move(origins);
  return {};
}

// Formatters: the result, read again, has the same value.

inline std::string written(const std::string& value) { return value; }
inline std::string written(const std::filesystem::path& value) { return value.string(); }
inline std::string written(Duration value) { return format_duration(value); }
inline std::string written(grid::Seconds value) { return grid::format_walltime(value); }
inline std::string written(std::uint64_t value) { return format_size(value); }
inline std::string written(int value) { return fmt::format("{}", value); }
inline std::string written(double value) { return fmt::format("{}", value); }
inline std::string written(grid::Grouping value) { return std::string{grid::name_of(value)}; }
inline std::string written(const grid::Headroom& value) { return value.text(); }
inline std::string written(grid::Availability value) { return std::string{grid::name_of(value)}; }
inline std::string written(ReadAccess value) { return std::string{name_of(value)}; }
inline std::string written(bool value) { return value ? "yes" : "no"; }
inline std::string written(const std::vector<std::string>& value) { return fmt::format("{}", fmt::join(value, ",")); }

template <auto Member>
std::string write(const Config& config) {
  return written(config.*Member);
}

// The kinds of values in the table.

template <auto Member>
inline constexpr Option::Codec word{read_word<Member>, write<Member>};
template <auto Member>
inline constexpr Option::Codec plain{read_plain<Member>, write<Member>};
template <auto Member>
inline constexpr Option::Codec path{read_path<Member>, write<Member>};
template <auto Member>
inline constexpr Option::Codec duration{read_duration<Member>, write<Member>};
template <auto Member>
inline constexpr Option::Codec some_time{read_some_time<Member>, write<Member>};
template <auto Member>
inline constexpr Option::Codec size{read_size<Member>, write<Member>};
template <auto Member>
inline constexpr Option::Codec size_or_none{read_size_or_none<Member>, write<Member>};
template <auto Member>
inline constexpr Option::Codec fraction{read_fraction<Member>, write<Member>};
template <auto Member>
inline constexpr Option::Codec factor{read_factor<Member>, write<Member>};
template <auto Member>
inline constexpr Option::Codec at_least_one{read_at_least_one<Member>, write<Member>};
template <auto Member>
inline constexpr Option::Codec part{read_part<Member>, write<Member>};
template <auto Member>
inline constexpr Option::Codec yes_no{read_yes_no<Member>, write<Member>};
template <auto Member, int Least, int Most>
inline constexpr Option::Codec integer{read_integer<Member, Least, Most>, write<Member>};
inline constexpr Option::Codec level{read_level, write<&Config::log_level>};
inline constexpr Option::Codec resources{read_resources, write<&Config::default_resources>};
inline constexpr Option::Codec walltime{read_walltime, write<&Config::default_walltime>};
inline constexpr Option::Codec grouping{read_grouping, write<&Config::temporal_grouping>};
inline constexpr Option::Codec headroom{read_headroom, write<&Config::headroom>};
inline constexpr Option::Codec availability{read_availability, write<&Config::availability>};
inline constexpr Option::Codec whose{read_read_access, write<&Config::read_access>};
inline constexpr Option::Codec load_property{read_load_property, write<&Config::load_property>};
inline constexpr Option::Codec headroom_weight{read_headroom_weight, write<&Config::headroom_weight>};
inline constexpr Option::Codec address{read_address, write<&Config::api>};
inline constexpr Option::Codec listen{read_listen, write<&Config::api_listen>};
inline constexpr Option::Codec origins{read_origins, write<&Config::api_frame_ancestors>};
inline constexpr Option::Codec ranges{read_ranges, write<&Config::api_metrics_addresses>};
inline constexpr Option::Codec param_folders{read_param_folders, write<&Config::api_cigri_param_files>};
inline constexpr Option::Codec cigri_path{read_cigri_path, write<&Config::api_cigri_path>};
inline constexpr Option::Codec grid_name{read_grid_name, write<&Config::grid_name>};
inline constexpr Option::Codec mail_server{read_mail_server, write<&Config::mail_server>};
inline constexpr Option::Codec mail_tls{read_mail_tls, write<&Config::mail_tls>};
inline constexpr Option::Codec mail_from{read_mail_from, write<&Config::mail_from>};
template <auto Member>
inline constexpr Option::Codec mail_addresses{read_mail_addresses<Member>, write<Member>};
template <auto Member>
inline constexpr Option::Codec hosts{read_hosts<Member>, write<Member>};
template <auto Member>
inline constexpr Option::Codec names{read_names<Member>, write<Member>};

}  // namespace gleaner::process::codecs
