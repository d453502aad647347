#pragma once
#include "lib/store/views_grid.hpp"
#include "lib/text/json_writer.hpp"

namespace gleaner::api {

/// The reader of an event.
enum class Audience {
  owner,   ///< the campaign's user, or an administrator: the message ends with the last lines of stderr
  others,  ///< the message states that there are such lines
};

/// Writes an event as an object.
void write_event(text::JsonWriter& json, const store::views::EventView& event, Audience audience);

}  // namespace gleaner::api
