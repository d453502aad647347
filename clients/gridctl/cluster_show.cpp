// All that is known of one cluster.
#include <fmt/format.h>

#include <limits>

#include "clients/gridctl/commands.hpp"
#include "lib/grid/program_file.hpp"
#include "lib/store/matching.hpp"
#include "lib/store/programs.hpp"
#include "lib/terminal/times.hpp"

namespace gleaner::gridctl {
namespace {

using process::ExitCode;
using terminal::Cell;
using terminal::Shrink;
using terminal::Table;

/// A setting that may be the configuration's.
template <class Number>
Cell own_or_default(const std::optional<Number>& own) {
  if (!own) return {{}, "as configured"};
  if constexpr (std::is_integral_v<Number>) return Cell{std::int64_t{*own}};
  else return Cell{double{*own}};
}

Cell text_cell(const std::string& text) { return {text, text.empty() ? "-" : text}; }

Cell time_cell(const std::optional<grid::Instant>& time, grid::Instant now) {
  return time ? terminal::time_cell(*time, now) : Cell{{}, "-"};
}

/// Whether jobs of a login call their program as a file, or have it in their commands.
Cell program_cell(const store::KnownProgram& program, grid::Instant now) {
  const auto file = fmt::format("{}/{} of {}", grid::kProgramsFolder, program.sha256, program.login);
  if (program.put_at) return Cell{fmt::format("{}: there since {}", file, terminal::near_time(grid::to_unix(*program.put_at), now))};
  const auto until = program.inline_until && *program.inline_until > now
                         ? fmt::format("not put again before {}", terminal::near_time(grid::to_unix(*program.inline_until), now))
                         : std::string{"put with the next jobs"};
  return Cell{fmt::format("{}: not there, {}; commands have it in them{}{}", file, until, program.why.empty() ? "" : ": ", program.why)};
}

}  // namespace

process::Outcome cluster_show(const Call& call) {
  auto database = open_database(call);
  auto transaction = database.begin();
  const auto c = known_cluster(transaction, call.arguments[0]);
  const auto now = call.context.now;
  Table table{{{"what", "What"}, {"value", "Value", terminal::Align::left, Shrink::when_needed}}, {}};
  const auto add = [&](std::string_view what, Cell value) { table.rows.push_back({Cell{std::string{what}}, std::move(value)}); };
  add("name", Cell{c.name});
  add("url", Cell{c.url});
  add("api", Cell{c.api});
  add("authentication", Cell{c.authentication});
  add("login", text_cell(c.login));
  add("secret_file", text_cell(c.secret_file));
  add("identity_header", text_cell(c.identity_header));
  add("ca_file", text_cell(c.ca_file));
  add("certificate_file", text_cell(c.certificate_file));
  add("key_file", text_cell(c.key_file));
  add("homes", c.api == "oar3" ? Cell{c.homes} : Cell{{}, "-"});
  add("properties", text_cell(store::cluster_properties(transaction)[c.id]));
  add("verify_tls", Cell{c.verify_tls});
  add("insecure", Cell{c.insecure});
  grid::for_each_field(grid::kDeclaredFields, [&](const auto& field) { add(field.name, Cell{c.*field.member}); });
  add("flood", own_or_default(c.flood));
  add("array_size", own_or_default(c.array_size));
  add("headroom", c.headroom ? Cell{c.headroom->text()} : Cell{{}, "as configured"});
  add("availability", c.availability ? Cell{std::string{grid::name_of(*c.availability)}} : Cell{{}, "as configured"});
  add("load_property", c.load_property ? text_cell(*c.load_property) : Cell{{}, "as configured"});
  add("shared_home", text_cell(c.shared_home.value_or("")));
  add("utilized_resources", c.load ? Cell{std::int64_t{c.load->utilized}} : Cell{{}, "not known"});
  add("loaded_resources", c.load ? Cell{std::int64_t{c.load->loaded}} : Cell{{}, "not known"});
  add("memory_property", text_cell(c.memory_property));
  add("memory_unit_mb", Cell{std::int64_t{c.memory_unit_mb}});
  add("memory_max_mb", c.memory_max_mb ? Cell{*c.memory_max_mb} : Cell{{}, "not known"});
  add("enabled", Cell{c.enabled});
  add("retired_at", time_cell(c.retired_at, now));
  add("reachable", c.reachable ? Cell{*c.reachable} : Cell{{}, "not asked yet"});
  add("unreachable_since", time_cell(c.unreachable_since, now));
  add("failed_polls", Cell{std::int64_t{c.failed_polls}});
  add("next_probe_at", time_cell(c.next_probe_at, now));
  add("last_error", text_cell(c.last_error));
  add("max_resources", Cell{std::int64_t{c.max_resources}});
  grid::for_each_field(grid::kOutOfUseFields, [&](const auto& field) { add(field.name, Cell{std::int64_t{c.*field.member}}); });
  add("no_resources_since", time_cell(c.no_resources_since, now));
  add("resources_at", time_cell(c.resources_at, now));
  for (const auto& one : grid::upcoming(store::reservations(transaction, c.id), now, std::numeric_limits<int>::max()))
    add("reserved_in_oar", Cell{fmt::format("{} resources from {} to {}", one.resources, terminal::near_time(grid::to_unix(one.from), now),
                                            terminal::near_time(grid::to_unix(one.until), now))});
  for (const auto& program : store::programs_of(transaction, c.id)) add("job_program", program_cell(program, now));
  call.output.show({.table = table, .ids = {c.name}});
  return ExitCode::ok;
}

}  // namespace gleaner::gridctl
