#pragma once
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "lib/grid/id.hpp"
#include "lib/grid/time.hpp"
#include "lib/store/database.hpp"
#include "lib/store/events.hpp"

/// The programs of jobs in homes on clusters (lib/grid/program_file.hpp).
namespace gleaner::store {

/// A program in a home.
struct ProgramPlace {
  grid::ClusterId cluster;
  std::string_view login;
  std::string_view sha256;
};

struct KnownProgram {
  std::string login;
  std::string sha256;
  grid::Instant tried_at;
  std::optional<grid::Instant> put_at;        ///< since then it is there; empty: it is not
  std::optional<grid::Instant> inline_until;  ///< until then it is not put; empty: it may be
  std::string why;                            ///< it is not there
};
[[nodiscard]] std::vector<KnownProgram> programs_of(Transaction& transaction, grid::ClusterId cluster);

void note_program_tried(Transaction& transaction, const ProgramPlace& place, grid::Instant now);
/// How it is known that a program is there: it was written now, or found as it was.
enum class FoundProgram { written, unchanged };
void note_program_put(Transaction& transaction, const ProgramPlace& place, FoundProgram how, grid::Instant now);
/// It is tried again after a time that doubles with each failure in a row.
void note_program_failed(Transaction& transaction, const ProgramPlace& place, std::string_view why, BrakeLength length, grid::Instant now);

/// After the second doubt in kDoubtAgain, jobs do without the program for kWithoutProgram.
inline constexpr std::chrono::hours kDoubtAgain{1};
inline constexpr std::chrono::hours kWithoutProgram{24};
enum class ProgramDoubt { known, put_again, given_up };  ///< known: the launch was sent before the program was put again
/// A job of this launch called a program and could not begin. The program's name is the job's word: one that was never put there changes
/// nothing.
[[nodiscard]] ProgramDoubt doubt_program(Transaction& transaction, const ProgramPlace& place, grid::LaunchId launch, std::string_view why,
                                         grid::Instant now);

}  // namespace gleaner::store
