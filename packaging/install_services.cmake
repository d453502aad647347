# Run by `cmake --install`: systemd's units, with the paths of the installed programs, and logrotate's file. The prefix /usr has its
# configuration in /etc, another one in its own etc/.
set(etc ${CMAKE_INSTALL_PREFIX}/etc)
if(CMAKE_INSTALL_PREFIX STREQUAL "/usr")
  set(etc /etc)
endif()
file(INSTALL ${CMAKE_CURRENT_LIST_DIR}/gleaner.logrotate DESTINATION ${etc}/logrotate.d RENAME gleaner)

foreach(name gleaner-almighty.service gleaner-api.service gleaner-herald.service gleaner-param-file.socket gleaner-param-file@.service)
  set(unit ${CMAKE_INSTALL_PREFIX}/lib/systemd/system/${name})
  file(READ ${CMAKE_CURRENT_LIST_DIR}/${name} text)
  string(REPLACE "/usr/bin/" "${CMAKE_INSTALL_PREFIX}/${gleaner_bindir}/" text "${text}")
  string(REPLACE "/usr/libexec/" "${CMAKE_INSTALL_PREFIX}/${gleaner_libexecdir}/" text "${text}")
  file(WRITE $ENV{DESTDIR}${unit} "${text}")
  list(APPEND CMAKE_INSTALL_MANIFEST_FILES ${unit})
  message(STATUS "Installing: $ENV{DESTDIR}${unit}")
endforeach()
