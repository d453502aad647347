#pragma once
#include "lib/store/views_grid.hpp"
#include "lib/text/json_writer.hpp"

namespace gleaner::api {

/// Writes an event as an object.
void write_event(text::JsonWriter& json, const store::views::EventView& event);

}  // namespace gleaner::api
