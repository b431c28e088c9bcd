# `cpack --config build/release/CPackConfig.cmake` makes two Debian packages: airlot, the program with
# its manual pages and completion, and libairlot-dev, the C++ library. Where airlot is a part of
# another project, that one makes the packages.
if(NOT PROJECT_IS_TOP_LEVEL)
  return()
endif()

# Every package has a file that says under which licence it is.
foreach(package_of "program;airlot" "development;libairlot-dev")
  list(GET package_of 0 component)
  list(GET package_of 1 package)
  install(FILES cmake/copyright DESTINATION ${CMAKE_INSTALL_DATADIR}/doc/${package} COMPONENT ${component})
endforeach()

set(CPACK_GENERATOR DEB)
set(CPACK_PACKAGE_NAME airlot)
set(CPACK_PACKAGE_VENDOR "The airlot developers")
set(CPACK_PACKAGE_CONTACT "The airlot developers")
set(CPACK_PACKAGING_INSTALL_PREFIX /usr)
set(CPACK_STRIP_FILES ON)
set(CPACK_COMPONENTS_ALL program development)
set(CPACK_COMPONENT_PROGRAM_DESCRIPTION "${PROJECT_DESCRIPTION}
 airlot plans who takes part in a round of federated learning over a wireless
 network, and at what transmit power, within the energy budget of each device
 and the time limit of the round. It simulates the training under many
 selection strategies, and reports their time and energy.")
set(CPACK_COMPONENT_DEVELOPMENT_DESCRIPTION "${PROJECT_DESCRIPTION} (C++ library)
 This package has the headers and the static libraries of airlot.")

set(CPACK_DEB_COMPONENT_INSTALL ON)
set(CPACK_DEBIAN_FILE_NAME DEB-DEFAULT)
set(CPACK_DEBIAN_PACKAGE_PRIORITY optional)
set(CPACK_DEBIAN_PROGRAM_PACKAGE_NAME airlot)
set(CPACK_DEBIAN_PROGRAM_PACKAGE_SECTION science)
set(CPACK_DEBIAN_PROGRAM_PACKAGE_SHLIBDEPS ON)
# `data fetch` calls npm and curl, and `report --formats pdf` calls LaTeX.
set(CPACK_DEBIAN_PROGRAM_PACKAGE_SUGGESTS "npm, curl, texlive-latex-recommended, texlive-pictures")
set(CPACK_DEBIAN_DEVELOPMENT_PACKAGE_NAME libairlot-dev)
set(CPACK_DEBIAN_DEVELOPMENT_PACKAGE_SECTION libdevel)
set(CPACK_DEBIAN_DEVELOPMENT_PACKAGE_DEPENDS
  "libfmt-dev, libhwy-dev, libssl-dev, libtomlplusplus-dev, zlib1g-dev")
include(CPack)
