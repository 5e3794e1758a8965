# Enables C and C++, with an error that says what to install instead of CMake's own.

include(CheckLanguage)
foreach(_language C CXX)
  check_language(${_language})
  if(NOT CMAKE_${_language}_COMPILER)
    message(FATAL_ERROR
      "No ${_language} compiler was found (CC=$ENV{CC}, CXX=$ENV{CXX}). libtriton is C++17. "
      "Install one (Debian, Ubuntu: apt-get install g++) or name it in the environment variable CXX.")
  endif()
  enable_language(${_language})
endforeach()
