#include "lib/store/programs.hpp"

#include "lib/store/detail.hpp"
#include "lib/text/clean.hpp"

namespace gleaner::store {

using detail::exec;
using detail::exec_prepared;

std::vector<KnownProgram> programs_of(Transaction& transaction, grid::ClusterId cluster) {
  std::vector<KnownProgram> programs;
  for (const auto& row : exec_prepared(transaction, sql::programs_of{.cluster = cluster})) {
    programs.push_back({.login = *row.login,
                        .sha256 = *row.sha256,
                        .tried_at = *row.tried_at,
                        .put_at = row.put_at,
                        .inline_until = row.inline_until,
                        .why = *row.why});
  }
  return programs;
}

void note_program_tried(Transaction& transaction, const ProgramPlace& place, grid::Instant now) {
  exec(transaction, sql::programs_note_try{.cluster = place.cluster, .login = place.login, .sha256 = place.sha256, .now = now});
}

void note_program_put(Transaction& transaction, const ProgramPlace& place, FoundProgram how, grid::Instant now) {
  exec(transaction,
       sql::programs_note_put{
           .written = how == FoundProgram::written, .now = now, .cluster = place.cluster, .login = place.login, .sha256 = place.sha256});
}

void note_program_failed(Transaction& transaction, const ProgramPlace& place, std::string_view why, BrakeLength length, grid::Instant now) {
  exec(transaction, sql::programs_note_failure{.now = now,
                                               .most_s = static_cast<double>(length.most.count()),
                                               .first_s = static_cast<double>(length.first.count()),
                                               .why = text::clean_text(why),
                                               .cluster = place.cluster,
                                               .login = place.login,
                                               .sha256 = place.sha256});
}

ProgramDoubt doubt_program(Transaction& transaction, const ProgramPlace& place, grid::LaunchId launch, std::string_view why,
                           grid::Instant now) {
  const auto rows = exec(transaction, sql::programs_doubt{.again_since = now - kDoubtAgain,
                                                          .inline_until = now + kWithoutProgram,
                                                          .now = now,
                                                          .why = text::clean_text(why),
                                                          .launch = launch,
                                                          .cluster = place.cluster,
                                                          .login = place.login,
                                                          .sha256 = place.sha256});
  if (rows.empty()) return ProgramDoubt::known;
  return rows[0].given_up.as<bool>() ? ProgramDoubt::given_up : ProgramDoubt::put_again;
}

}  // namespace gleaner::store
