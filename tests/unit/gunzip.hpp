#pragma once
#include <zlib.h>

#include <string>
#include <string_view>

namespace gleaner::tests {

/// The text that gzip's coding stands for; empty: it is none.
[[nodiscard]] inline std::string gunzipped(std::string_view packed) {
  z_stream stream{};
  constexpr int kOnlyGzip = 15 + 16;
  if (inflateInit2(&stream, kOnlyGzip) != Z_OK) return {};
  std::string input{packed}, out;
  stream.next_in = reinterpret_cast<Bytef*>(input.data());
  stream.avail_in = static_cast<uInt>(input.size());
  int state = Z_OK;
  while (state == Z_OK) {
    char piece[16384];
    stream.next_out = reinterpret_cast<Bytef*>(piece);
    stream.avail_out = sizeof piece;
    state = inflate(&stream, Z_NO_FLUSH);
    if (state == Z_OK || state == Z_STREAM_END) out.append(piece, sizeof piece - stream.avail_out);
  }
  inflateEnd(&stream);
  return state == Z_STREAM_END && stream.avail_in == 0 ? out : std::string{};
}

}  // namespace gleaner::tests
