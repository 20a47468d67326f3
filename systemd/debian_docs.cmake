# What Debian asks of a package's documents, done where cpack has staged them: manual pages and changelog compressed (without
# a time, so that the same tree gives the same bytes), virtual devices' pages beside them.
set(root ${CPACK_TEMPORARY_DIRECTORY}/usr/share)
if(EXISTS ${root}/doc/datumd/CHANGELOG.md)
  file(RENAME ${root}/doc/datumd/CHANGELOG.md ${root}/doc/datumd/changelog)
endif()
file(GLOB documents ${root}/man/man*/*.[1-9] ${root}/doc/datumd/changelog)
if(documents)
  execute_process(COMMAND gzip -9nf ${documents} COMMAND_ERROR_IS_FATAL ANY)
endif()
