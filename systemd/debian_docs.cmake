# Debian's rules for documents, applied to cpack's staging folders, one for each package: compressed manual pages and changelog
# (without a timestamp, so that equal trees give equal bytes).
file(GLOB roots ${CPACK_TEMPORARY_DIRECTORY}/*/usr/share ${CPACK_TEMPORARY_DIRECTORY}/usr/share)
foreach(root ${roots})
  file(GLOB changelogs ${root}/doc/*/CHANGELOG.md)
  foreach(changelog ${changelogs})
    get_filename_component(folder ${changelog} DIRECTORY)
    file(RENAME ${changelog} ${folder}/changelog)
  endforeach()
  file(GLOB documents ${root}/man/man*/*.[1-9] ${root}/doc/*/changelog)
  if(documents)
    execute_process(COMMAND gzip -9nf ${documents} COMMAND_ERROR_IS_FATAL ANY)
  endif()
endforeach()
