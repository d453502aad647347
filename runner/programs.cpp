#include "runner/programs.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <tuple>
#include <variant>

#include "lib/grid/clock.hpp"
#include "lib/grid/program_file.hpp"
#include "lib/oar/outputs.hpp"
#include "lib/process/log.hpp"
#include "lib/store/clock.hpp"
#include "runner/limits.hpp"

namespace gleaner::runner {
namespace {

/// The limit of one turn and cluster.
constexpr std::chrono::seconds kPutPatience{2};
/// After which a program that is there is looked for again.
constexpr std::chrono::minutes kLookAgain{10};

bool is_refused_with(const oar::Failure& error, int status) {
  const auto* const refused = std::get_if<oar::Refused>(&error);
  return refused != nullptr && refused->status == status;
}

}  // namespace

Programs::Programs(fleet::Visit& visit) : visit_{visit} {}

void Programs::read(store::Transaction& transaction) {
  now_ = store::now(transaction);
  known_.clear();
  for (auto& program : store::programs_of(transaction, visit_.cluster.id)) {
    Place place{program.login, program.sha256};
    known_.emplace(std::move(place), std::move(program));
  }
}

bool Programs::may_call(const std::string& login, const ProgramFile& program) const {
  const auto found = known_.find({login, program.sha256});
  return found != known_.end() && found->second.put_at && *found->second.put_at + visit_.config.evidence_delay <= now_;
}

void Programs::want(const std::string& login, const ProgramFile& program) {
  // Only a listing of the folder shows that a file was written whole: without one, the commands of jobs have the program in them.
  if (!oar::takes_files(visit_.client.access().api)) return;
  wanted_.try_emplace({login, program.sha256}, program);
}

bool Programs::is_due(const Place& place) const {
  const auto found = known_.find(place);
  if (found == known_.end()) return true;
  const auto& program = found->second;
  if (program.put_at) return program.tried_at + kLookAgain <= now_;
  return !program.inline_until || *program.inline_until <= now_;
}

/// Those of a login that waits longest come first; those that are there already come last.
std::vector<Programs::Place> Programs::due() const {
  std::vector<std::tuple<bool, grid::Instant, Place>> sorted;
  for (const auto& [place, program] : wanted_) {
    if (!is_due(place)) continue;
    const auto found = known_.find(place);
    if (found == known_.end()) sorted.emplace_back(false, grid::Instant{}, place);
    else sorted.emplace_back(found->second.put_at.has_value(), found->second.tried_at, place);
  }
  std::ranges::sort(sorted);
  std::vector<Place> places;
  for (auto& one : sorted) places.push_back(std::move(std::get<Place>(one)));
  return places;
}

tl::expected<bool, Programs::Put> Programs::is_listed(const Place& place, const std::string& content) const {
  const auto& [login, sha256] = place;
  const auto listed = oar::list_files(visit_.client.access(), fleet::file_limits_of(visit_.config), login, grid::kProgramsFolder);
  constexpr int kNotFound = 404;
  if (!listed && is_refused_with(listed.error(), kNotFound)) return false;
  if (!listed) {
    return tl::unexpected{Put{.why = fmt::format("{} cannot be listed: {}", grid::kProgramsFolder, oar::describe(listed.error())),
                              .is_silent = fleet::was_silent(listed.error())}};
  }
  return std::ranges::any_of(*listed, [&](const auto& file) { return file.name == sha256 && file.size == std::ssize(content); });
}

/// OAR answers success also where the disk is full, so the listing decides. A file that a job could not use is written again, whatever its
/// size is: other bytes may be in it.
Programs::Put Programs::put_one(oar::Client& client, const Place& place, const std::string& content) const {
  const auto known = known_.find(place);
  const bool is_doubted = known != known_.end() && !known->second.put_at && !known->second.why.empty();
  if (!is_doubted) {
    const auto listed = is_listed(place, content);
    if (!listed) return listed.error();
    if (*listed) return {};
  }
  const auto path = fmt::format("{}/{}", grid::kProgramsFolder, place.second);
  const oar::FileOf file{{place.first, path}, content};
  if (const auto written = std::move(client.write_files({&file, 1}).front()); !written) {
    return {.why = fmt::format("{} cannot be written: {}", path, oar::describe(written.error())),
            .is_silent = fleet::was_silent(written.error())};
  }
  const auto listed = is_listed(place, content);
  if (!listed) return listed.error();
  if (!*listed) return {.why = fmt::format("only a part of {} was written: is the home of {} full?", path, place.first)};
  return {.how = store::FoundProgram::written};
}

void Programs::note(const Place& place, const Put& put) {
  const store::ProgramPlace where{.cluster = visit_.cluster.id, .login = place.first, .sha256 = place.second};
  if (put.why)
    process::log::warning("program of jobs not put", {{"cluster", visit_.cluster.name}, {"login", place.first}, {"error", *put.why}});
  visit_.database.transact([&](store::Transaction& transaction) {
    const auto now = store::now(transaction);
    if (put.why) store::note_program_failed(transaction, where, *put.why, brake_of(visit_.config), now);
    else store::note_program_put(transaction, where, put.how, now);
  });
}

void Programs::put(Counts& counts) {
  const auto ends = grid::SteadyClock::now() + kPutPatience;
  oar::Client client{visit_.client.access(), fleet::file_limits_of(visit_.config)};
  for (const auto& place : due()) {
    if (grid::SteadyClock::now() >= ends || visit_.time_left() <= process::Duration{0}) return;
    // Whatever this process dies of, others come first in the next turn.
    visit_.database.transact([&](store::Transaction& transaction) {
      store::note_program_tried(transaction, {.cluster = visit_.cluster.id, .login = place.first, .sha256 = place.second},
                                store::now(transaction));
    });
    const auto put = put_one(client, place, wanted_.at(place).content);
    note(place, put);
    if (!put.why && put.how == store::FoundProgram::written) ++counts.programs;
    if (put.is_silent) return;
  }
}

}  // namespace gleaner::runner
