# airlot_group_sources(TARGET FILES file... [ALONE file...] [LARGEST_GROUP files])
#
# With CMAKE_UNITY_BUILD the compiler reads several files of FILES at once, so that it parses the
# headers that they share once. Two files come together only where neither defines a name that the
# other defines, nor one in an anonymous namespace that the other so much as mentions: so a name means
# what it means in the file alone. A file under ALONE is compiled by itself.
function(airlot_group_sources target)
  cmake_parse_arguments(arg "" "LARGEST_GROUP" "FILES;ALONE" ${ARGN})
  set(largest_group 12)
  if(arg_LARGEST_GROUP)
    set(largest_group ${arg_LARGEST_GROUP})
  endif()
  set_target_properties(${target} PROPERTIES UNITY_BUILD_MODE GROUP
    UNITY_BUILD_CODE_BEFORE_INCLUDE "// NOLINTNEXTLINE(bugprone-suspicious-include)")
  set(groups 0)
  foreach(file IN LISTS arg_FILES)
    if(NOT CMAKE_UNITY_BUILD OR file IN_LIST arg_ALONE)
      continue()
    endif()
    file(REAL_PATH ${file} path)
    airlot_read_names(${path})
    set(group 0)
    # The file joins the first group with room for it.
    while(group LESS groups)
      list(LENGTH files_${group} size)
      airlot_count_common(clashes defined defined_${group})
      airlot_count_common(hidden_here words hidden_${group})
      airlot_count_common(hidden_there hidden words_${group})
      if(size LESS largest_group AND "${clashes}${hidden_here}${hidden_there}" STREQUAL "000")
        break()
      endif()
      math(EXPR group "${group} + 1")
    endwhile()
    if(group EQUAL groups)
      math(EXPR groups "${groups} + 1")
    endif()
    list(APPEND files_${group} ${file})
    foreach(kind defined hidden words)
      list(APPEND ${kind}_${group} ${${kind}})
    endforeach()
    set_property(SOURCE ${file} PROPERTY UNITY_GROUP group${group})
  endforeach()
endfunction()

# Sets `result` to how many elements the list `one` has in common with `other`.
function(airlot_count_common result one other)
  set(rest ${${one}})
  list(REMOVE_ITEM rest ${${other}} "")
  list(LENGTH ${one} before)
  list(LENGTH rest after)
  math(EXPR common "${before} - ${after}")
  set(${result} ${common} PARENT_SCOPE)
endfunction()

# Sets `defined` to the names that a file defines at namespace scope, `hidden` to those of them that are
# in anonymous namespaces, and `words` to every word of its code.
function(airlot_read_names file)
  file(READ ${file} text)
  # Semicolons would separate the elements of a list of CMake, and brackets would join them.
  string(REPLACE ";" "\n " text "\n${text}")
  string(REGEX REPLACE "[][]" "" text "${text}")
  airlot_defined_names(defined "${text}")
  set(anonymous "")
  set(rest "${text}")
  string(FIND "${rest}" "\nnamespace {" begin)
  while(NOT begin EQUAL -1)
    string(SUBSTRING "${rest}" ${begin} -1 rest)
    string(FIND "${rest}" "\n}  // namespace\n" end)
    string(SUBSTRING "${rest}" 0 ${end} part)
    string(APPEND anonymous "${part}")
    string(SUBSTRING "${rest}" 1 -1 rest)
    string(FIND "${rest}" "\nnamespace {" begin)
  endwhile()
  airlot_defined_names(hidden "${anonymous}")
  string(REGEX REPLACE "//[^\n]*|\n#include[^\n]*" "" text "${text}")
  string(REGEX MATCHALL "[A-Za-z_][A-Za-z0-9_]*" words "${text}")
  list(REMOVE_DUPLICATES words)
  foreach(kind defined hidden words)
    set(${kind} ${${kind}} PARENT_SCOPE)
  endforeach()
endfunction()

# Sets `result` to the names that a text defines at namespace scope: on a line that is not indented,
# the last word before the first parenthesis, brace, semicolon or equals sign. A name too many does
# no harm.
function(airlot_defined_names result text)
  string(REGEX MATCHALL "\n#define [A-Za-z0-9_]+|\n[A-Za-z_][^\n({=]*" names "${text}")
  list(FILTER names EXCLUDE REGEX "^\n(namespace|template|static_assert|[A-Z_]*TEST[A-Z_]*|using testing::)")
  list(TRANSFORM names REPLACE " : .*" "")
  list(TRANSFORM names REPLACE " final *$" "")
  list(TRANSFORM names REPLACE "[^A-Za-z0-9_]+$" "")
  list(FILTER names EXCLUDE REGEX "::[A-Za-z0-9_]+$")  # Names of members are left out.
  list(TRANSFORM names REPLACE ".*[^A-Za-z0-9_]" "")
  list(REMOVE_DUPLICATES names)
  set(${result} ${names} PARENT_SCOPE)
endfunction()

# airlot_tidy_sources(file...) keeps the full paths of files that clang-tidy will read.
function(airlot_tidy_sources)
  list(TRANSFORM ARGN PREPEND ${CMAKE_CURRENT_SOURCE_DIR}/)
  set_property(GLOBAL APPEND PROPERTY airlot_tidy_sources ${ARGN})
endfunction()

# airlot_add_tidy_target makes a target that is never built: it lists for clang-tidy, in
# compile_commands.json, all sources in few groups across layers. Most of the time of clang-tidy
# goes into the headers that they share.
function(airlot_add_tidy_target)
  get_property(sources GLOBAL PROPERTY airlot_tidy_sources)
  add_library(tidy OBJECT EXCLUDE_FROM_ALL ${sources})
  target_include_directories(tidy PRIVATE ${PROJECT_SOURCE_DIR}/include ${PROJECT_SOURCE_DIR}/src)
  target_link_libraries(tidy PRIVATE airlot_flags ${ARGN})
  airlot_group_sources(tidy FILES ${sources} LARGEST_GROUP 60)
endfunction()
