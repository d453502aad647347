#pragma once
#include "lib/decisions/decision.hpp"
#include "metascheduler/planner/snapshot.hpp"

/// The words of decisions (lib/decisions), as the planner's code names them.
namespace gleaner::planner {

namespace bound = decisions::bound;
namespace reason = decisions::reason;

using decisions::Bound;
using decisions::ClusterNames;
using decisions::Decision;
using decisions::digest_of;
using decisions::explain;
using decisions::is_one_of;
using decisions::name_of;
using decisions::OfferParts;
using decisions::Reason;
using decisions::Stage;
using decisions::Takers;

}  // namespace gleaner::planner
