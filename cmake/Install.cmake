# The destinations of `cmake --install` (GNUInstallDirs), in five components: the commands of users, the server, the tools that need no
# cluster, the Python package, and the commands for workflow engines. Programs that only other programs start are helpers, outside of PATH.
set(gleaner_clients gridsub gridstat gridget gridevents gridclusters griddel gridclean gridnotify gridtoken gridusage gridwait)
set(gleaner_server almighty gridapi gridctl herald)
set(gleaner_server_helpers metascheduler predictor updator runner nikita admission param-file what-if)
set(gleaner_tools gridsim gridlocal minioar)
set(gleaner_tools_helpers minioar-job)

foreach(component clients server tools)
  install(TARGETS ${gleaner_${component}} RUNTIME DESTINATION ${CMAKE_INSTALL_BINDIR} COMPONENT ${component})
  if(gleaner_${component}_helpers)
    install(TARGETS ${gleaner_${component}_helpers} RUNTIME DESTINATION ${CMAKE_INSTALL_LIBEXECDIR}/gleaner COMPONENT ${component})
  endif()
  set(gleaner_doc_${component} ${CMAKE_INSTALL_DATADIR}/doc/gleaner-${component})
  install(FILES ${CMAKE_SOURCE_DIR}/LICENSE DESTINATION ${gleaner_doc_${component}} COMPONENT ${component})
endforeach()

install(FILES README.md docs/commands.md docs/from-cigri.md docs/careless.md docs/glossary.md docs/tutorial.md DESTINATION ${gleaner_doc_clients} COMPONENT clients)
install(DIRECTORY examples DESTINATION ${gleaner_doc_clients} COMPONENT clients PATTERN shared-clusters.json EXCLUDE PATTERN portal.py EXCLUDE)
install(FILES docs/simulator.md DESTINATION ${gleaner_doc_tools} COMPONENT tools)
install(FILES examples/shared-clusters.json DESTINATION ${gleaner_doc_tools}/examples COMPONENT tools)
install(FILES ARCHITECTURE.md docs/administration.md docs/admission-rules.md docs/policies.md docs/prediction.md docs/reliability.md
        DESTINATION ${gleaner_doc_server} COMPONENT server)
install(FILES packaging/gleaner.conf packaging/gleaner.cron DESTINATION ${gleaner_doc_server}/examples COMPONENT server)
install(PROGRAMS packaging/oar/gleaner-call DESTINATION ${gleaner_doc_server}/examples/oar COMPONENT server)
install(FILES packaging/prometheus/gleaner.rules.yml packaging/prometheus/gleaner.dashboard.json packaging/prometheus/prometheus.example.yml
        DESTINATION ${gleaner_doc_server}/examples/prometheus COMPONENT server)

# Manual pages and completions, which each program has written after its link (gleaner_program).
function(gleaner_install_pages component section)
  foreach(program ${ARGN})
    install(FILES ${GLEANER_PAGES}/man${section}/${program}.${section} DESTINATION ${CMAKE_INSTALL_MANDIR}/man${section} COMPONENT ${component})
    install(FILES ${GLEANER_PAGES}/bash/${program} DESTINATION ${CMAKE_INSTALL_DATADIR}/bash-completion/completions COMPONENT ${component})
    install(FILES ${GLEANER_PAGES}/zsh/_${program} DESTINATION ${CMAKE_INSTALL_DATADIR}/zsh/vendor-completions COMPONENT ${component})
    install(FILES ${GLEANER_PAGES}/fish/${program}.fish DESTINATION ${CMAKE_INSTALL_DATADIR}/fish/vendor_completions.d COMPONENT ${component})
  endforeach()
endfunction()
gleaner_install_pages(clients 1 ${gleaner_clients})
gleaner_install_pages(server 8 ${gleaner_server})
gleaner_install_pages(tools 1 ${gleaner_tools})
install(FILES ${GLEANER_PAGES}/man5/gleaner-jdl.5 ${GLEANER_PAGES}/man5/gleaner.conf.5 DESTINATION ${CMAKE_INSTALL_MANDIR}/man5 COMPONENT clients)

# The units name the programs, and so depend on the prefix that `cmake --install` is given.
install(CODE "set(gleaner_bindir \"${CMAKE_INSTALL_BINDIR}\")\nset(gleaner_libexecdir \"${CMAKE_INSTALL_LIBEXECDIR}\")" COMPONENT server)
install(SCRIPT packaging/install_services.cmake COMPONENT server)

# Debian's python3 finds modules there, whatever its version.
set(gleaner_modules lib/python3/dist-packages)
set(gleaner_doc_python ${CMAKE_INSTALL_DATADIR}/doc/python3-gleaner)
install(DIRECTORY clients/python/gleaner DESTINATION ${gleaner_modules} COMPONENT python FILES_MATCHING PATTERN "*.py" PATTERN py.typed PATTERN __pycache__ EXCLUDE)
install(FILES docs/python.md DESTINATION ${gleaner_doc_python} COMPONENT python)
install(PROGRAMS examples/portal.py DESTINATION ${gleaner_doc_python}/examples COMPONENT python)
install(DIRECTORY clients/workflows/gleaner_workflows DESTINATION ${gleaner_modules} COMPONENT workflows FILES_MATCHING PATTERN "*.py" PATTERN py.typed PATTERN __pycache__ EXCLUDE)
foreach(program grid-oar grid-snakemake-submit grid-snakemake-status grid-snakemake-cancel)
  install(PROGRAMS clients/workflows/bin/${program} DESTINATION ${CMAKE_INSTALL_BINDIR} COMPONENT workflows)
endforeach()
foreach(program oarsub oarstat oardel)
  install(PROGRAMS clients/workflows/oar/${program} DESTINATION ${CMAKE_INSTALL_LIBEXECDIR}/gleaner/oar COMPONENT workflows)
endforeach()
foreach(page grid-oar grid-snakemake-submit grid-snakemake-status grid-snakemake-cancel)
  install(FILES clients/workflows/${page}.1 DESTINATION ${CMAKE_INSTALL_MANDIR}/man1 COMPONENT workflows)
endforeach()
