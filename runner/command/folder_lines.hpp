#pragma once
#include <string>
#include <string_view>

/// The lines of the jobs' wrapper for the folder in which tasks run. OAR begins each job in the home: a folder that is given to OAR is read
/// by a shell of the front end (OAR 2.6), which would carry out what stands in it.
namespace gleaner::runner {

/// A folder as a word of the job's shell: variables are expanded with the job's values, and the rest is literal.
[[nodiscard]] std::string folder_word(std::string_view folder);

/// After the claim, once a job: goes to the folder, whose name is in CIGRI_WORKDIR, and gives OAR's three variables of the folder its name.
/// Where that fails nothing is run, and the job notes it (`.f`, lib/grid/evidence.hpp). Empty: `folder` is the home.
[[nodiscard]] std::string enter_folder(std::string_view folder);

/// Whose stdout and stderr become files of the folder (grid::stream_name).
enum class Own { all, one_of_pool };  ///< of each task of the wrapper; of the carrier's own task, as pooled ones have theirs already
/// Right before the command. Where it fails nothing is run, and the job notes it, as above.
[[nodiscard]] std::string open_streams(Own own);

}  // namespace gleaner::runner
