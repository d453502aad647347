# Settings that all targets of the project share: warnings, sanitizers, libraries, and one function a kind of target.

find_package(Threads REQUIRED)
find_package(PkgConfig REQUIRED)
find_package(fmt REQUIRED)
find_package(spdlog REQUIRED)
find_package(CURL REQUIRED)
find_package(OpenSSL REQUIRED)
find_package(ZLIB REQUIRED)
find_package(Boost 1.74 REQUIRED COMPONENTS program_options)
find_package(tl-expected REQUIRED)
pkg_check_modules(PQXX REQUIRED IMPORTED_TARGET libpqxx)
pkg_check_modules(PQ REQUIRED IMPORTED_TARGET libpq)
pkg_check_modules(SYSTEMD REQUIRED IMPORTED_TARGET libsystemd)
pkg_check_modules(RAPIDJSON REQUIRED IMPORTED_TARGET RapidJSON)
pkg_check_modules(MUPARSER REQUIRED IMPORTED_TARGET muparser)

# Debian's mruby is a static library without a .pc file, and without the header of its predefined
# symbols: MRB_NO_PRESYM makes its other headers do without.
find_path(MRUBY_INCLUDE mruby.h REQUIRED)
find_library(MRUBY_LIBRARY mruby REQUIRED)
add_library(mruby STATIC IMPORTED)
set_target_properties(mruby PROPERTIES
  IMPORTED_LOCATION ${MRUBY_LIBRARY}
  INTERFACE_INCLUDE_DIRECTORIES ${MRUBY_INCLUDE}
  INTERFACE_COMPILE_DEFINITIONS MRB_NO_PRESYM
  INTERFACE_LINK_LIBRARIES m)

add_library(gleaner_flags INTERFACE)
target_compile_options(gleaner_flags INTERFACE -Wall -Wextra -Wpedantic -Wshadow -Wconversion)
if(GLEANER_WARNINGS_AS_ERRORS)
  target_compile_options(gleaner_flags INTERFACE -Werror)
endif()
target_include_directories(gleaner_flags INTERFACE ${CMAKE_SOURCE_DIR})
target_compile_definitions(gleaner_flags INTERFACE GLEANER_VERSION="${PROJECT_VERSION}" SPDLOG_FMT_EXTERNAL)
if(GLEANER_FAILPOINTS)
  target_compile_definitions(gleaner_flags INTERFACE GLEANER_FAILPOINTS)
endif()
if(GLEANER_SANITIZE)
  # The checks of undefined behaviour are a third of a test's compilation: they are in what is tested, and not in the tests' own files.
  set(checks -fsanitize=undefined -fno-sanitize-recover=undefined)
  target_compile_options(gleaner_flags INTERFACE -fsanitize=address -fno-omit-frame-pointer "$<$<NOT:$<BOOL:$<TARGET_PROPERTY:GLEANER_IS_TEST>>>:${checks}>")
  # The compiler's optimisation of the tests' own files, and checks of addresses in line, are another third. The files of the project that
  # they link keep both.
  set(cheap -O0 -fno-sanitize-address-use-after-scope "$<$<CXX_COMPILER_ID:GNU>:SHELL:--param asan-instrumentation-with-call-threshold=0>")
  target_compile_options(gleaner_flags INTERFACE "$<$<BOOL:$<TARGET_PROPERTY:GLEANER_IS_TEST>>:${cheap}>")
  target_link_options(gleaner_flags INTERFACE -fsanitize=address,undefined)
  # At fixed addresses: to relocate the tables of the checks was half of what a program took to begin, and tests begin thousands.
  target_link_options(gleaner_flags INTERFACE -no-pie)
  # Leaves out of each program what it cannot reach: tools/unreached lists the functions that none has.
  target_compile_options(gleaner_flags INTERFACE -ffunction-sections)
  target_link_options(gleaner_flags INTERFACE -Wl,--gc-sections)
endif()

find_program(GLEANER_MOLD mold)
if(GLEANER_MOLD)
  target_link_options(gleaner_flags INTERFACE -fuse-ld=mold)
endif()
find_program(GLEANER_CCACHE ccache)
if(GLEANER_CCACHE)
  # Another checkout, or another build folder of this one, finds what was compiled here.
  set(CMAKE_CXX_COMPILER_LAUNCHER ${CMAKE_COMMAND} -E env CCACHE_BASEDIR=${CMAKE_SOURCE_DIR} CCACHE_NOHASHDIR=true ${GLEANER_CCACHE})
endif()

# gleaner_alone(FILE...): files of this folder that a unity build (CMAKE_UNITY_BUILD, as tools/test makes one) compiles by themselves, as
# their unnamed namespaces have names of other files' too.
function(gleaner_alone)
  set_source_files_properties(${ARGN} PROPERTIES SKIP_UNITY_BUILD_INCLUSION ON)
endfunction()

# gleaner_library(NAME SOURCES ... LINKS ...): a static library gleaner_NAME of this folder.
function(gleaner_library name)
  cmake_parse_arguments(ARG "" "" "SOURCES;LINKS" ${ARGN})
  add_library(gleaner_${name} STATIC ${ARG_SOURCES})
  target_link_libraries(gleaner_${name} PUBLIC gleaner_flags fmt::fmt tl::expected ${ARG_LINKS})
endfunction()

# gleaner_header_library(NAME LINKS ...): the same for a folder that has only headers.
function(gleaner_header_library name)
  cmake_parse_arguments(ARG "" "" "LINKS" ${ARGN})
  add_library(gleaner_${name} INTERFACE)
  target_link_libraries(gleaner_${name} INTERFACE gleaner_flags fmt::fmt tl::expected ${ARG_LINKS})
endfunction()

# Manual pages and completions, below it in man1, man5, man8, bash, zsh and fish.
set(GLEANER_PAGES ${CMAKE_BINARY_DIR}/share)
file(MAKE_DIRECTORY ${GLEANER_PAGES}/man1 ${GLEANER_PAGES}/man5 ${GLEANER_PAGES}/man8 ${GLEANER_PAGES}/bash ${GLEANER_PAGES}/zsh ${GLEANER_PAGES}/fish)

# gleaner_describe(PROGRAM FORM FILE): after each link, the program writes a page or a completion, from the tables of its --help.
function(gleaner_describe program form file)
  add_custom_command(TARGET ${program} POST_BUILD
    COMMAND ${CMAKE_COMMAND} -E env ASAN_OPTIONS=detect_leaks=0 $<TARGET_FILE:${program}> --describe=${form} > ${GLEANER_PAGES}/${file}
    VERBATIM)
endfunction()

# gleaner_program(NAME SOURCES ... LINKS ... [MANUAL SECTION]): a program in build/bin. MANUAL: it is for users (section 1) or
# administrators (8), who get its manual page and its completions.
function(gleaner_program name)
  cmake_parse_arguments(ARG "" "MANUAL" "SOURCES;LINKS" ${ARGN})
  add_executable(${name} ${ARG_SOURCES})
  target_link_libraries(${name} PRIVATE gleaner_flags ${ARG_LINKS})
  if(ARG_MANUAL)
    gleaner_describe(${name} man man${ARG_MANUAL}/${name}.${ARG_MANUAL})
    gleaner_describe(${name} bash bash/${name})
    gleaner_describe(${name} zsh zsh/_${name})
    gleaner_describe(${name} fish fish/${name}.fish)
  endif()
endfunction()

# gleaner_entry(TIER NAME TARGET TIMEOUT [FILTER ...]): an entry of ctest, which runs all tests of a program or those of a filter.
# TIMEOUT orders them: what may take longest begins first, and before it what takes the real clusters, which one entry after the other
# takes (gleaner_takes_oar); then the many short ones of db, which a run on a slow machine is not to leave out.
# It ends hangs alone: no entry is ended before an hour, however slow the machine is.
set(GLEANER_HANG_GUARD 3600)
function(gleaner_entry tier name target timeout)
  set(guard ${timeout})
  if(guard LESS GLEANER_HANG_GUARD)
    set(guard ${GLEANER_HANG_GUARD})
  endif()
  set(cost ${timeout})
  if(tier STREQUAL db AND cost LESS 1000)
    set(cost 1000)
  endif()
  set(filter ${ARGN})
  if(filter)
    set(filter --gtest_filter=${filter})
  endif()
  add_test(NAME ${tier}.${name} COMMAND ${target} --gtest_output=json:${CMAKE_BINARY_DIR}/results/${tier}.${name}.json ${filter})
  set_tests_properties(${tier}.${name} PROPERTIES
    LABELS ${tier} TIMEOUT ${guard} COST ${cost} WORKING_DIRECTORY ${CMAKE_SOURCE_DIR} SKIP_REGULAR_EXPRESSION "TOO LATE . no test was carried out"
    ENVIRONMENT "GLEANER_SOURCE_DIR=${CMAKE_SOURCE_DIR};GLEANER_BIN_DIR=${CMAKE_BINARY_DIR}/bin;LSAN_OPTIONS=suppressions=${CMAKE_SOURCE_DIR}/tests/leaks_of_libraries.txt:print_suppressions=0")
  set_property(GLOBAL APPEND PROPERTY GLEANER_ENTRIES_${tier} ${tier}.${name})
endfunction()

function(gleaner_takes_oar entry timeout)
  math(EXPR cost "100000 + ${timeout}")
  set_tests_properties(${entry} PROPERTIES RESOURCE_LOCK oar COST ${cost})
endfunction()

# gleaner_test(TIER NAME SOURCES ... LINKS ... [TIMEOUT seconds] [SERIAL | OAR [PARTS NAME=FILTER ...] | ON_BOTH]): one test program of a
# tier, one entry of ctest. PARTS: an entry for each (NAME_PART), and one for the rest of the tests (NAME_rest). SERIAL: not beside others (it measures, or takes the whole machine). OAR: it takes the real clusters, which no other does
# meanwhile. ON_BOTH: its tests are on minioar, and those named RealOar, an entry of their own (NAME_real_oar), take the real clusters.
function(gleaner_test tier name)
  cmake_parse_arguments(ARG "SERIAL;OAR;ON_BOTH" "TIMEOUT" "SOURCES;LINKS;PARTS" ${ARGN})
  set(target test_${tier}_${name})
  add_executable(${target} ${ARG_SOURCES})
  target_link_libraries(${target} PRIVATE gleaner_flags gleaner_tests_seed GTest::gmock GTest::gtest GTest::gtest_main ${ARG_LINKS})
  set_target_properties(${target} PROPERTIES RUNTIME_OUTPUT_DIRECTORY ${CMAKE_BINARY_DIR}/tests GLEANER_IS_TEST ON)
  if(NOT ARG_TIMEOUT)
    set(ARG_TIMEOUT 600)
  endif()
  if(ARG_ON_BOTH)
    gleaner_entry(${tier} ${name} ${target} ${ARG_TIMEOUT} -*RealOar*)
    gleaner_entry(${tier} ${name}_real_oar ${target} ${ARG_TIMEOUT} *RealOar*)
    gleaner_takes_oar(${tier}.${name}_real_oar ${ARG_TIMEOUT})
  elseif(ARG_PARTS)
    set(rest "-")
    foreach(part ${ARG_PARTS})
      string(REGEX MATCH "^([a-z]+)=(.+)$" matched ${part})
      gleaner_entry(${tier} ${name}_${CMAKE_MATCH_1} ${target} ${ARG_TIMEOUT} ${CMAKE_MATCH_2})
      gleaner_takes_oar(${tier}.${name}_${CMAKE_MATCH_1} ${ARG_TIMEOUT})
      string(APPEND rest "${CMAKE_MATCH_2}:")
    endforeach()
    gleaner_entry(${tier} ${name}_rest ${target} ${ARG_TIMEOUT} ${rest})
    gleaner_takes_oar(${tier}.${name}_rest ${ARG_TIMEOUT})
  else()
    gleaner_entry(${tier} ${name} ${target} ${ARG_TIMEOUT})
    if(ARG_OAR)
      gleaner_takes_oar(${tier}.${name} ${ARG_TIMEOUT})
    endif()
  endif()
  if(ARG_SERIAL)
    set_tests_properties(${tier}.${name} PROPERTIES RUN_SERIAL ON)
  endif()
endfunction()
