# One command for each intent; `make help` lists them. CMake and its presets do the work.
.DEFAULT_GOAL := help
.PHONY: help run demo test test-long test-clusters generated bench python package release fuzz format tidy clean

SHOWCASE := examples/google2011-100x20.yaml --mechanism max-min --mechanism drf --mechanism asset --mechanism pf --fill drf --fill fifo
SECONDS := 60

help: ## list these commands
	@sed -n 's/^\([a-z-]*\):.*## /  make \1\t/p' Makefile | expand -t 18

run: ## who gets what on Google's machines: a table, and the page build/report.html
	@tools/setup build
	cmake --preset release
	cmake --build --preset release
	@build/release/mirab allocate $(SHOWCASE) --report build/report.html
	@echo "The same with pictures: file://$(CURDIR)/build/report.html"

demo: ## a service with life in it: a replay of a real trace; prints its address. ARGUMENTS='openb --speed 600'
	@tools/setup build
	cmake --preset release
	cmake --build --preset release
	@build/release/mirab demo $(ARGUMENTS)

test: ## build everything and run all the tests
	@tools/setup build test python
	cmake --preset dev
	cmake --build --preset dev
	ctest --preset dev

test-long: ## the tests of the service at length: kills, power losses, calls, clocks, crowds; hours
	@tools/setup build test python
	cmake --preset dev
	cmake --build --preset dev
	ctest --preset long

test-clusters: ## the tests on a real Kubernetes API server, built once; ARGUMENTS='scenarios K1' for a part
	@tools/setup build test python clusters
	cmake --preset dev
	cmake --build --preset dev --target mirab_cli
	cmake --preset release
	cmake --build --preset release --target mirab_cli
	@tests/clusters/run $(ARGUMENTS)

generated: ## write the texts that follow from lists in the code: headers, stubs, schemas, tables, types
	cmake --preset dev
	tools/generated

bench: ## measure, and write build/bench/summary.json; ONLY=pool for one folder of bench/
	@tools/setup build bench
	cmake --preset bench
	cmake --build --preset bench
	@tools/bench.mjs $(ONLY)

python: ## build the Python module; `sudo cmake --install build/python` puts it below /usr/local
	@tools/setup build python
	cmake --preset python
	cmake --build --preset python

package: ## build build/package/mirab_*.deb and check what is in it
	@tools/setup build package
	cmake --preset release
	cmake --build --preset release
	cpack --preset release
	tools/check-package build/package/mirab_*.deb

release: ## build the files of a release in build/release-files; as root also try them in fresh roots
	@tools/setup build package python release
	tools/release/make

fuzz: ## let libFuzzer loose on the readers; SECONDS=60 for each
	@tools/setup build test check
	tools/fuzz $(SECONDS)

format: ## put every source file in the shape of .clang-format
	@tools/setup check
	tools/format

tidy: ## hold every source file against .clang-tidy
	@tools/setup build test python bench check
	tools/tidy

clean: ## remove what was built
	rm -rf build
