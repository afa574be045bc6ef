# Finds the interpreter that the Python module is made for, and pybind11. On Debian it is Debian's own interpreter,
# whichever else stands on the PATH: pybind11 and numpy are that one's.
if(NOT DEFINED Python_EXECUTABLE AND EXISTS /etc/debian_version AND EXISTS /usr/bin/python3)
  set(Python_EXECUTABLE /usr/bin/python3 CACHE FILEPATH "The interpreter that the Python module is made for")
endif()
find_package(Python 3.9 REQUIRED COMPONENTS Interpreter Development.Module)
set(PYBIND11_FINDPYTHON ON)
find_package(pybind11 2.10 REQUIRED CONFIG)
