# Debian's rules for documents, applied to cpack's staging folder: compressed manual pages and changelog (without
# a timestamp, so that equal trees give equal bytes), and the pages of virtual devices.
set(root ${CPACK_TEMPORARY_DIRECTORY}/usr/share)
if(EXISTS ${root}/doc/datumd/CHANGELOG.md)
  file(RENAME ${root}/doc/datumd/CHANGELOG.md ${root}/doc/datumd/changelog)
endif()
file(GLOB documents ${root}/man/man*/*.[1-9] ${root}/doc/datumd/changelog)
if(documents)
  execute_process(COMMAND gzip -9nf ${documents} COMMAND_ERROR_IS_FATAL ANY)
endif()
