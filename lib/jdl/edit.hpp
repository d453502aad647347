#pragma once
#include <string_view>
#include <vector>

#include <tl/expected.hpp>

#include "lib/jdl/campaign_file.hpp"
#include "lib/jdl/parse.hpp"
#include "lib/jdl/tree.hpp"

namespace gleaner::jdl {

/// A submitted campaign with some keys changed.
///
/// `changes` is an object of the changed keys, as read_json() reads it from `text`: `{"walltime": "2:0:0", "clusters": {"alpha":
/// {"max_jobs": 50}}}`. All other keys stay. A cluster's key on the top level is changed on every cluster; null gives a key its default
/// again. A cluster may be "off", which is `"max_jobs": 0`, or "on", which takes this limit away. A key whose value is the present one, as
/// to_json() or to_jdl() write it, is no change, so that an answer of the API can be sent back as it is.
///
/// The result is checked as a campaign file is, with the same messages. Keys that cannot change after the submission are refused by name.
/// The parameters stay. The warnings are of keys that have no effect beside others since this change.
[[nodiscard]] tl::expected<Parsed, std::vector<Problem>> edit(const CampaignFile& present, Document changes, std::string_view text,
                                                              const Defaults& defaults, const KnownClusters& clusters);

}  // namespace gleaner::jdl
