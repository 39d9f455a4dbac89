# cmake --install: the program, one static library per folder, the headers of include/dotin, and a find_package(dotin)
# with two targets: dotin::predictor, which needs no libtorch, and dotin::dotin.

include(CMakePackageConfigHelpers)

get_property(DOTIN_LIBRARIES GLOBAL PROPERTY DOTIN_LIBRARIES)
# dotin_front_door(name library): an interface target dotin::<name>.
function(dotin_front_door name library)
  add_library(dotin_door_${name} INTERFACE)
  add_library(dotin::${name} ALIAS dotin_door_${name})
  set_target_properties(dotin_door_${name} PROPERTIES EXPORT_NAME ${name})
  target_link_libraries(dotin_door_${name} INTERFACE ${library})
  target_link_options(dotin_door_${name} INTERFACE LINKER:--as-needed)  # not what only other parts use
endfunction()
dotin_front_door(predictor dotin_api)
dotin_front_door(dotin dotin_learn)

set(DOTIN_CMAKE_FOLDER ${CMAKE_INSTALL_LIBDIR}/cmake/dotin)
install(TARGETS dotin)
install(TARGETS dotin-data dotin-predict dotin-learn DESTINATION ${CMAKE_INSTALL_LIBEXECDIR}/dotin)
install(TARGETS ${DOTIN_LIBRARIES} dotin_door_predictor dotin_door_dotin EXPORT dotinTargets)
set(DOTIN_TORCH_DEPENDENCY "")
if(TARGET dotin_torch)
  set_target_properties(dotin_torch PROPERTIES EXPORT_NAME torch)
  install(TARGETS dotin_torch EXPORT dotinTargets)
  set(DOTIN_TORCH_DEPENDENCY "find_dependency(Torch)")
endif()
install(DIRECTORY ${PROJECT_SOURCE_DIR}/include/dotin DESTINATION ${CMAKE_INSTALL_INCLUDEDIR}
        FILES_MATCHING PATTERN "*.h")
install(EXPORT dotinTargets NAMESPACE dotin:: DESTINATION ${DOTIN_CMAKE_FOLDER})

configure_package_config_file(${CMAKE_CURRENT_LIST_DIR}/dotinConfig.cmake.in
  ${PROJECT_BINARY_DIR}/dotinConfig.cmake INSTALL_DESTINATION ${DOTIN_CMAKE_FOLDER})
write_basic_package_version_file(${PROJECT_BINARY_DIR}/dotinConfigVersion.cmake COMPATIBILITY SameMinorVersion)
install(FILES ${PROJECT_BINARY_DIR}/dotinConfig.cmake ${PROJECT_BINARY_DIR}/dotinConfigVersion.cmake
              ${CMAKE_CURRENT_LIST_DIR}/DotinSystemLibraries.cmake
        DESTINATION ${DOTIN_CMAKE_FOLDER})
