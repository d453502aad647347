#include "lib/jdl/unbuilt_keys.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <string_view>

#include "lib/jdl/text.hpp"
#include "lib/jdl/values.hpp"

namespace gleaner::jdl {
namespace {

enum class Loss { none, some };
struct UnbuiltKey {
  std::string_view name;
  std::string_view instead;  ///< the remedy, as the end of the sentence
  Loss loss = Loss::some;    ///< of a user whose file has it; none: CiGri does nothing with it either, or it only saves time
};
constexpr std::string_view kWholeCampaign = " for one cluster: write it for the whole campaign";
constexpr std::array kUnbuiltKeys{
    UnbuiltKey{"temporal_grouping", kWholeCampaign, Loss::none},
    UnbuiltKey{"dimensional_grouping", kWholeCampaign, Loss::none},
    UnbuiltKey{"temporal_grouping_batch_duration", ", as in CiGri", Loss::none},
    UnbuiltKey{"checkpointing_type", ", as in CiGri", Loss::none},
    UnbuiltKey{"checkpoint_type", "", Loss::none},
    UnbuiltKey{"checkpoint_period", "", Loss::none},
    UnbuiltKey{"desktop_computing", ""},
    UnbuiltKey{"data_to_transfer", ": copy the data to the clusters first"},
    UnbuiltKey{"transfer_timeout", "", Loss::none},
    UnbuiltKey{"weight", ": write resources, e.g. /nodes=1/core=2"},
    UnbuiltKey{"max_duration", ""},
    UnbuiltKey{"dependencies", ""},
};

}  // namespace

bool is_neutral(const Node& node) {
  const auto text = lower(node.text);
  switch (node.kind) {
    case NodeKind::null: return true;
    case NodeKind::boolean: return text == "false";
    case NodeKind::number: return text == "0";
    case NodeKind::string: return text.empty() || text == "false" || text == "none" || text == "null" || text == "0";
    case NodeKind::array: return node.elements.empty();
    case NodeKind::object: return node.members.empty();
  }
  return false;
}

bool is_unbuilt_key(std::string_view name) { return std::ranges::find(kUnbuiltKeys, name, &UnbuiltKey::name) != kUnbuiltKeys.end(); }

bool report_unbuilt_key(const Member& member, const std::string& path, Findings& findings) {
  const auto unbuilt = std::ranges::find(kUnbuiltKeys, member.key, &UnbuiltKey::name);
  if (unbuilt == kUnbuiltKeys.end()) return false;
  if (is_neutral(member.value)) return true;
  if (unbuilt->loss == Loss::none)
    findings.doubt(member.offset, path, shown(member.value), fmt::format("'{}' has no effect{}", member.spelling, unbuilt->instead));
  else
    findings.add(member.offset, path, shown(member.value),
                 fmt::format("'{}' is not supported by this version{}", member.spelling, unbuilt->instead));
  return true;
}

}  // namespace gleaner::jdl
