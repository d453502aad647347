#pragma once
#include <string>

#include "lib/jdl/sections.hpp"
#include "lib/jdl/tree.hpp"

/// The keys of a campaign's scripts on a cluster: prologue, epilogue. Readers for the table in sections.cpp.
namespace gleaner::jdl {

void read_prologue(const Node& node, const std::string& path, SectionLevel& into, Findings& findings);
void read_epilogue(const Node& node, const std::string& path, SectionLevel& into, Findings& findings);

}  // namespace gleaner::jdl
