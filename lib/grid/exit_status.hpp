#pragma once

/// Exit statuses of a job that mean something to the grid, as a shell says them.
namespace gleaner::grid {

inline constexpr int kSignalled = 128;  ///< and the number of the signal that ended the job
inline constexpr int kRerunFirst = 66;  ///< the task asks to run again, before the others
inline constexpr int kRerunLast = 67;   ///< the task asks to run again, after the others
/// The wrapper ran nothing: the attempt was claimed by another job, or could not be claimed. The
/// files of the job and its stderr say which.
inline constexpr int kRanNothing = 113;

}  // namespace gleaner::grid
