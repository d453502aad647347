# Writes the API's document into a source file.
file(READ ${DOCUMENT} text)
# A compiler may refuse string literals of more than 64 kB: pieces are joined by it.
string(LENGTH "${text}" length)
set(pieces "")
set(at 0)
while(at LESS length)
  string(SUBSTRING "${text}" ${at} 8000 piece)
  string(APPEND pieces "R\"json(${piece})json\"\n")
  math(EXPR at "${at} + 8000")
endwhile()
file(WRITE ${OUT} "#include \"api/openapi.hpp\"\nnamespace gleaner::api {\nstd::string_view openapi_document() {\n  return ${pieces};\n}\n}  // namespace gleaner::api\n")
