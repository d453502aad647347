#pragma once
#include <string>
#include <string_view>
#include <vector>

#include <rapidjson/document.h>

#include "lib/jdl/campaign_file.hpp"
#include "lib/jdl/parse.hpp"
#include "lib/jdl/sections.hpp"
#include "lib/jdl/tree.hpp"
#include "lib/text/json_writer.hpp"

/// The table of all keys of a campaign file (keys.cpp): each key's description, reader and stored form. Outside lib/jdl, gridsim reads
/// the keys of a scenario's campaigns with it.
namespace gleaner::jdl {

/// The top level of a file while it is read.
struct CampaignLevel {
  CampaignFile& file;
  SectionLevel& common;  ///< its keys of clusters
  const Defaults& defaults;
  const std::vector<Consumable>* consumables = nullptr;  ///< null: any name is right
};

/// Reads one key if it is a campaign's: sets the value, or adds a problem.
/// @return false when it is no key of a campaign
[[nodiscard]] bool read_key(const Member& member, const std::string& path, CampaignLevel& into, Findings& findings);
/// The same of a cluster's key.
[[nodiscard]] bool read_key(const Member& member, const std::string& path, SectionLevel& into, Findings& findings);

/// Writes the keys that are stored, as members of the object that is open in `json`.
void store_keys(text::JsonWriter& json, const CampaignFile& file);
void store_keys(text::JsonWriter& json, const ClusterSection& section);
/// Reads the stored keys of an object. Throws Malformed (stored_json.hpp).
void take_keys(const rapidjson::Value& object, CampaignFile& into);
void take_keys(const rapidjson::Value& object, ClusterSection& into);

}  // namespace gleaner::jdl
