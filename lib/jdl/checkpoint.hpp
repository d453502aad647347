#pragma once
#include <rapidjson/document.h>

#include <optional>
#include <string>

#include "lib/grid/checkpoint.hpp"
#include "lib/jdl/tree.hpp"
#include "lib/text/json_writer.hpp"

namespace gleaner::jdl {

struct CampaignFile;

/// Reads the key `checkpoint`: `{ "signal": "USR1", "period": "auto", "cost": "0:01:00" }`, where each may be left out. A wrong value adds
/// a problem; null means none.
[[nodiscard]] std::optional<grid::Checkpointing> read_checkpoint(const Node& node, const std::string& path, Findings& findings);

/// Why the campaign cannot have checkpoints beside its other keys; empty: it can, or has none.
[[nodiscard]] std::optional<std::string> wrong_beside_checkpoint(const CampaignFile& campaign);

/// The stored form: `period` is a number of seconds or "auto", `cost` a number of seconds.
void write_checkpoint(text::JsonWriter& json, const grid::Checkpointing& checkpoint);
/// Reads the stored form; empty: it is not well-formed.
[[nodiscard]] std::optional<grid::Checkpointing> stored_checkpoint(const rapidjson::Value& value);

}  // namespace gleaner::jdl
