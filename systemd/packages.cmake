# The Debian packages, by cpack -G DEB as ./datum package does it: one for each program that a machine may have alone. COMPONENT of
# install() and PACKAGE of datum_program() say what is in them; all the rest is datumd's.
set(CPACK_GENERATOR DEB)
set(CPACK_DEB_COMPONENT_INSTALL ON)
set(CPACK_COMPONENTS_GROUPING IGNORE)
set(CPACK_PACKAGE_CONTACT "datumd maintainers <root@localhost>")
set(CPACK_PACKAGING_INSTALL_PREFIX /usr)
set(CPACK_STRIP_FILES ON)
set(CPACK_PRE_BUILD_SCRIPTS ${CMAKE_CURRENT_SOURCE_DIR}/debian_docs.cmake)
set(CPACK_DEBIAN_FILE_NAME DEB-DEFAULT)
# 1 (or none) was one package of everything.
set(CPACK_DEBIAN_PACKAGE_RELEASE 2)
set(CPACK_DEBIAN_PACKAGE_SECTION science)
set(CPACK_DEBIAN_PACKAGE_SHLIBDEPS ON)
set(CPACK_DEBIAN_PACKAGE_CONTROL_STRICT_PERMISSION ON)
set(datumd_version ${PROJECT_VERSION}-${CPACK_DEBIAN_PACKAGE_RELEASE})

# datumd_package(NAME DEPENDS DESCRIPTION): its first line is the summary
macro(datumd_package name depends description)
  list(APPEND CPACK_COMPONENTS_ALL ${name})
  string(TOUPPER ${name} datumd_upper)
  set(CPACK_DEBIAN_${datumd_upper}_PACKAGE_NAME ${name})
  set(CPACK_DEBIAN_${datumd_upper}_PACKAGE_DEPENDS "${depends}")
  set(CPACK_DEBIAN_${datumd_upper}_DESCRIPTION "${description}")
  install(FILES ${CMAKE_SOURCE_DIR}/LICENSE DESTINATION share/doc/${name} RENAME copyright COMPONENT ${name})
  install(FILES ${CMAKE_SOURCE_DIR}/CHANGELOG.md DESTINATION share/doc/${name} COMPONENT ${name})
endmacro()
# datumd_service_package(NAME DEPENDS FOLDERS DESCRIPTION): with the scripts of its service; FOLDERS go with a purge
macro(datumd_service_package name depends folders description)
  datumd_package(${name} "${depends}" "${description}")
  set(SERVICE ${name})
  set(FOLDERS "${folders}")
  foreach(script postinst prerm postrm)
    configure_file(service.${script}.in ${name}/${script} @ONLY)
    list(APPEND CPACK_DEBIAN_${datumd_upper}_PACKAGE_CONTROL_EXTRA ${CMAKE_CURRENT_BINARY_DIR}/${name}/${script})
  endforeach()
endmacro()

datumd_package(datumd "systemd, fonts-dejavu-core" "headless inspection controller for boards and machined parts
datumd takes height frames of 3D sensors and positions of coordinate measuring
machines, fits a floor around every component or a model to a machined part,
and reports PASS, FAIL, INCONCLUSIVE or INVALID over serial lines, TCP and
Modbus. Results are stored before they are announced. With it come datumctl for
the operator, and virtual devices for a trial without hardware.")
# Whoever had datumd-view from the package of everything keeps it by an upgrade from a repository.
set(CPACK_DEBIAN_DATUMD_PACKAGE_RECOMMENDS "datumd-view, bash-completion, openssl")
set(CPACK_DEBIAN_DATUMD_PACKAGE_SUGGESTS "datumd-plant, chromium")  # chromium prints reports as PDF
set(CPACK_DEBIAN_DATUMD_PACKAGE_CONTROL_EXTRA
    "${CMAKE_CURRENT_SOURCE_DIR}/postinst;${CMAKE_CURRENT_SOURCE_DIR}/prerm;${CMAKE_CURRENT_SOURCE_DIR}/postrm")

# They read the store and the configuration of the datumd beside them.
if(TARGET datumd-view)
  datumd_service_package(datumd-view "datumd (= ${datumd_version})"
                         "/var/lib/datumd-view /var/cache/datumd-view" "pages of datumd's results for a browser
datumd-view shows the newest boards of an inspection cell, lots, values over
days, studies and health to a browser on this computer. It is a process of an
account of its own that can change nothing.")
  # Its files were in that package.
  set(CPACK_DEBIAN_DATUMD-VIEW_PACKAGE_REPLACES "datumd (<< ${datumd_version})")
  set(CPACK_DEBIAN_DATUMD-VIEW_PACKAGE_BREAKS "datumd (<< ${datumd_version})")
  set(CPACK_DEBIAN_DATUMD-VIEW_PACKAGE_SUGGESTS "chromium")
endif()
if(TARGET datumd-plant)
  datumd_service_package(datumd-plant "datumd (= ${datumd_version})" "/var/lib/datumd-plant" "datumd's results for a plant's broker
datumd-plant sends what the hash chain of an inspection cell's results holds to
a broker by AMQP 1.0: messages of IPC-CFX and the chain's entries, at least
once, with keys that make it once. It is a process of an account of its own
that can change nothing.")
  set(CPACK_DEBIAN_DATUMD-PLANT_PACKAGE_RECOMMENDS "ca-certificates")  # where plant.authority_file is not set
endif()

# Of other machines than the cells.
if(TARGET datumd-collect)
  datumd_service_package(datumd-collect systemd "/var/lib/datumd-collect /etc/datumd/collect.toml" "results of many datumd cells in PostgreSQL
datumd-collect takes the entries of all cells' hash chains from a plant's broker
and writes them into PostgreSQL, each once. It checks each chain and its gaps,
keeps rows by days and sums for ever, and has views for yield and charts.")
  set(CPACK_DEBIAN_DATUMD-COLLECT_PACKAGE_RECOMMENDS "ca-certificates")
  set(CPACK_DEBIAN_DATUMD-COLLECT_PACKAGE_SUGGESTS "postgresql, rabbitmq-server")
endif()
# A program of its own: a cell's pages need no client of PostgreSQL, the plant's computer no datumd.
if(TARGET datumd-plant-view)
  datumd_service_package(datumd-plant-view systemd "/etc/datumd/plant-view.toml" "pages of a plant's datumd cells for a browser
datumd-plant-view shows the database that datumd-collect writes: cells and their
chains, yields, causes, a characteristic over cells and recipes, newest fails.
It reads by an account of PostgreSQL that can change nothing.")
  set(CPACK_DEBIAN_DATUMD-PLANT-VIEW_PACKAGE_SUGGESTS "datumd-collect, postgresql-client")
endif()
if(TARGET datumd-batch)  # its workers start datumd-gpu
  datumd_package(datumd-batch "datumd (= ${datumd_version})" "measures an archive of datumd's frames again
datumd-batch measures stored frames again by another recipe, calibration or
version, on one machine with all its GPUs, under GNU parallel or as a job array
of Slurm, and merges what came out into a new store.")
  set(CPACK_DEBIAN_DATUMD-BATCH_PACKAGE_SUGGESTS "parallel, slurm-client")
endif()
include(CPack)
