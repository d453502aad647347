#pragma once
#include <curl/curl.h>

#include <optional>
#include <string>
#include <string_view>

#include "lib/oar/failure.hpp"

/// Why a transfer of libcurl gave no answer that can be used.
namespace gleaner::oar {

/// NotSent if libcurl failed before it had a connection for the request, else NoAnswer.
/// @param words  of libcurl's error buffer; empty: those of the code
[[nodiscard]] Failure transfer_failure(CURLcode code, CURL* easy, const char* words);

/// The value of a header's line, if that is its name (in small letters).
[[nodiscard]] std::optional<std::string_view> field_of(std::string_view line, std::string_view name);

/// JSON in a Content-Encoding, which this client never accepts. Files may have one: they are passed on as they come.
[[nodiscard]] std::optional<Failure> unusable_answer(std::string_view content_type, std::string_view coding);

/// The target of a redirection (status 3xx). None is followed: the credentials are for the cluster's own URL.
[[nodiscard]] std::optional<std::string> redirection(CURL* easy);

}  // namespace gleaner::oar
