#include "sim/world/settings.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <functional>
#include <map>
#include <optional>

#include "lib/process/exit_code.hpp"
#include "lib/text/numbers.hpp"
#include "lib/text/suggest.hpp"
#include "sim/world/array.hpp"

namespace gleaner::world {
namespace {

using process::Error;
using process::ExitCode;

template <class Kind, std::size_t Size>
std::set<Kind> all_of(const std::array<std::string_view, Size>& /*names*/) {
  std::set<Kind> all;
  for (std::size_t place = 0; place < Size; ++place) all.insert(static_cast<Kind>(place));
  return all;
}

template <class Kind, std::size_t Size>
std::set<Kind> read_names(std::string_view option, std::string_view text, const std::array<std::string_view, Size>& names) {
  std::set<Kind> kinds;
  while (!text.empty()) {
    const auto name = text.substr(0, text.find(','));
    text.remove_prefix(std::min(text.size(), name.size() + 1));
    if (name == "none") continue;
    const auto found = std::ranges::find(names, name);
    if (found == names.end())
      throw Error{ExitCode::usage, fmt::format("{}: there is no '{}'; there are {}", option, name, fmt::join(names, ", "))};
    kinds.insert(static_cast<Kind>(found - names.begin()));
  }
  return kinds;
}

template <class Number>
Number read_number(std::string_view option, std::string_view text, Number least, Number most) {
  const auto number = text::whole_number<Number>(text);
  if (!number || *number < least || *number > most)
    throw Error{ExitCode::usage, fmt::format("{} {}: a number from {} to {} is needed", option, text, least, most)};
  return *number;
}

double read_rate(std::string_view option, std::string_view text) {
  constexpr double kMost = 100;
  const auto rate = text::real_number(text);
  if (!rate || !(*rate > 0) || *rate > kMost)
    throw Error{ExitCode::usage, fmt::format("{} {}: a rate, from more than 0 to {}, is needed", option, text, kMost)};
  return *rate;
}

double read_hours(std::string_view option, std::string_view text) {
  constexpr double kMostHours = 24.0 * 31;
  const auto hours = text::real_number(text);
  if (!hours || !(*hours > 0) || *hours > kMostHours)
    throw Error{ExitCode::usage, fmt::format("{} {}: hours, from more than 0 to {}, are needed", option, text, kMostHours)};
  return *hours;
}

using Reader = std::function<void(std::string_view option, std::string_view value)>;

std::map<std::string, Reader, std::less<>> readers(Asked& asked) {
  auto& s = asked.settings;
  return {
      {"--seed", [&](auto o, auto v) { s.seed = read_number<std::uint64_t>(o, v, 0, ~std::uint64_t{0}); }},
      {"--seeds", [&](auto o, auto v) { asked.seeds = read_number<std::uint64_t>(o, v, 1, 1'000'000); }},
      {"--hours", [&](auto o, auto v) { s.hours = read_hours(o, v); }},
      {"--clusters", [&](auto o, auto v) { s.clusters = read_number(o, v, 1, 100); }},
      {"--nodes", [&](auto o, auto v) { s.nodes = read_number(o, v, 1, 1000); }},
      {"--cores", [&](auto o, auto v) { s.cores = read_number(o, v, 1, 256); }},
      {"--campaigns", [&](auto o, auto v) { s.campaigns = read_number(o, v, 1, 10'000); }},
      {"--cycle", [&](auto o, auto v) { s.cycle = std::chrono::seconds{read_number(o, v, 1, 3600)}; }},
      {"--faults", [&](auto o, auto v) { s.faults = read_names<Fault>(o, v, kFaultNames); }},
      {"--rate", [&](auto o, auto v) { s.rate = read_rate(o, v); }},
      {"--often", [&](auto o, auto v) { s.often = read_names<Fault>(o, v, kFaultNames); }},
      {"--features", [&](auto o, auto v) { s.features = read_names<Feature>(o, v, kFeatureNames); }},
      {"--statements", [&](auto o, auto v) { s.statements = read_number(o, v, 1, 1000); }},
      {"--trace", [&](auto, auto v) { s.trace = v; }},
      {"--dump", [&](auto, auto v) { s.dump = v; }},
      {"--folder", [&](auto, auto v) { s.folder = v; }},
  };
}

template <class Kind>
std::string names_of(const std::set<Kind>& kinds) {
  std::vector<std::string_view> names;
  for (const auto kind : kinds) names.push_back(name_of(kind));
  return names.empty() ? "none" : fmt::format("{}", fmt::join(names, ","));
}

}  // namespace

std::set<Fault> all_faults() { return all_of<Fault>(kFaultNames); }
std::set<Feature> all_features() {
  auto all = all_of<Feature>(kFeatureNames);
  all.erase(Feature::array);
  return all;
}

std::string command_of(const Settings& settings) {
  const Settings usual;
  auto command = fmt::format("tools/world --seed {} --hours {} --clusters {} --campaigns {}", settings.seed, settings.hours,
                             settings.clusters, settings.campaigns);
  if (settings.nodes != usual.nodes) command += fmt::format(" --nodes {}", settings.nodes);
  if (settings.cores != usual.cores) command += fmt::format(" --cores {}", settings.cores);
  if (settings.cycle != usual.cycle) command += fmt::format(" --cycle {}", settings.cycle.count());
  if (settings.faults != usual.faults) command += " --faults " + names_of(settings.faults);
  if (settings.rate != usual.rate) command += fmt::format(" --rate {}", settings.rate);
  if (!settings.often.empty()) command += " --often " + names_of(settings.often);
  if (settings.features != usual.features) command += " --features " + names_of(settings.features);
  return command;
}

Asked read_arguments(const std::vector<std::string>& arguments) {
  Asked asked;
  const auto known = readers(asked);
  for (std::size_t place = 0; place < arguments.size(); ++place) {
    const auto& argument = arguments[place];
    if (argument == "--help" || argument == "-h") asked.help = true;
    else if (argument == "--no-faults") asked.settings.faults.clear();
    else if (argument == "--shrink") asked.shrink = true;
    else if (argument == "--logs") asked.settings.logs = true;
    else {
      const auto equals = argument.find('=');
      const auto name = argument.substr(0, equals);
      const auto reader = known.find(name);
      if (reader == known.end()) throw Error{ExitCode::usage, fmt::format("there is no option '{}' (see --help)", argument)};
      if (equals == std::string::npos && ++place == arguments.size())
        throw Error{ExitCode::usage, fmt::format("{}: its value is missing", argument)};
      reader->second(name, equals == std::string::npos ? arguments[place] : argument.substr(equals + 1));
    }
  }
  return asked;
}

std::string help_text() {
  const Settings usual;
  return fmt::format(
      "world: a whole grid in one process, on a virtual clock, decided by one seed (docs/architecture/world.md).\n\n"
      "Runs production's modules and API against clusters of minioar, under faults, and judges after each cycle. Exit status: 0 if all held,\n"
      "1 if not, with the command that makes the same world again.\n\n"
      "  --seed N          ({}) decides all\n"
      "  --seeds N         (1) so many worlds, from that seed on\n"
      "  --hours H         ({}) of users and faults; then the grid is left in peace until all is over\n"
      "  --clusters N      ({})   --nodes N ({}) each   --cores N ({}) each\n"
      "  --campaigns N     ({})\n"
      "  --cycle S         ({}) seconds from cycle to cycle\n"
      "  --faults A,B      only these of {}\n"
      "  --no-faults\n"
      "  --rate X          ({}) times the usual number of faults; below 1 no program dies for certain\n"
      "  --often A,B       ten times as many of these\n"
      "  --features A,B    only these of {};\n"
      "                    array: all that a campaign file may say, a user may do and an administrator may configure, in pairs, by the seed:\n"
      "                    alone, with --campaigns {}, 25 seeds play each pair\n"
      "  --trace FILE      all that happens, a line each\n"
      "  --dump FILE       the database as it is when the hours are over, as SQL; the world ends then\n"
      "  --statements N    the N statements that took PostgreSQL longest\n"
      "  --logs            the logs of the modules, on stderr\n"
      "  --shrink          makes a world that fails smaller, as long as it fails\n"
      "  --folder DIR      (/dev/shm) where its files are meanwhile\n",
      usual.seed, usual.hours, usual.clusters, usual.nodes, usual.cores, usual.campaigns, usual.cycle.count(), fmt::join(kFaultNames, ", "),
      usual.rate, fmt::join(kFeatureNames, ", "), kRowsOfWorld);
}

}  // namespace gleaner::world
