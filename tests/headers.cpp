// Without a test: from this program the others have their precompiled headers (CMakeLists.txt).
