#pragma once

/// Exit statuses of a job that have a meaning for the grid, as a shell reports them.
namespace gleaner::grid {

inline constexpr int kSignalled = 128;  ///< plus the number of the signal that ended the job
inline constexpr int kRerunFirst = 66;  ///< the task requests another run, before the other tasks
inline constexpr int kRerunLast = 67;   ///< the task requests another run, after the other tasks
/// The wrapper ran nothing: the attempt was claimed by another job, or could not be claimed. The job's files and its stderr show which.
inline constexpr int kRanNothing = 113;

/// The file with the program of a job is damaged (runner/wrapper/file.bash): nothing was begun. No rule believes it: a job that left no
/// file of its own never began, whatever its status is.
inline constexpr int kProgramDamaged = 114;

/// The status of a task that succeeded, but left an output file that could not be gathered (BSD's EX_IOERR).
inline constexpr int kNotGathered = 74;

}  // namespace gleaner::grid
