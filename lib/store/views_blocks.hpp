#pragma once
#include <cstdint>
#include <vector>

#include "lib/store/views.hpp"

/// The tasks of a campaign for pictures: by number as a strip of blocks, and by time.
namespace gleaner::store::views {

struct TaskBlock {
  std::int64_t first = 0;  ///< the number of its first task
  std::int64_t tasks = 0;
  TaskCounts counts;  ///< `waiting` are those that the other states leave of the block
};

struct Strip {
  std::int64_t width = 1;         ///< tasks of a block; the last one may have fewer
  std::vector<TaskBlock> blocks;  ///< without those in which all tasks wait
};

/// At most `most` blocks, as many as there can be. Counts are kept by thousands of tasks; those of a campaign of up to twenty thousand are
/// counted when they are asked for, so that its blocks may be smaller.
[[nodiscard]] Strip strip(Transaction& transaction, const Campaign& campaign, std::int64_t most);

/// The tasks of a campaign that ended, done or failed, by slices of time.
struct Progress {
  struct Slice {
    grid::Instant time;      ///< its start
    std::int64_t tasks = 0;  ///< a task that is tried again counts each time that it ends
  };
  grid::Seconds step{60};
  std::vector<Slice> slices;  ///< without those in which none ended
};

/// At most `most` slices from the first end to the last one.
[[nodiscard]] Progress progress(Transaction& transaction, grid::CampaignId campaign, std::int64_t most);

}  // namespace gleaner::store::views
