# Caisson: everything that can be done here. `make help` lists it.
SHELL := /bin/sh
.DEFAULT_GOAL := help
# Java reads and writes file names in the locale's encoding; without one it would be ASCII.
export LC_ALL := C.UTF-8

# The JDK is looked for when a recipe runs, so that `make help` works without one.
# -T 1C: modules that do not need one another side by side, one for each processor.
MVN = JAVA_HOME="$$(build/find-jdk)" ./mvnw --batch-mode --no-transfer-progress -T 1C $(MVN_FLAGS)
# Unlike --quiet this shows what the compiler warns of, which is why a check fails.
WARNINGS_ONLY = -Dorg.slf4j.simpleLogger.defaultLogLevel=warn
JAVA = "$$(build/find-jdk)/bin/java"
MODULES := third-party/picocli json linux keeper engine oci library daemon cli dist system-tests

# Folders count too: a deleted file changes its folder.
SOURCES := $(shell find pom.xml third-party $(MODULES) -name target -prune -o -path '*/src/test' -prune -o -print 2>/dev/null)
DIST := dist/target/caisson

.PHONY: help setup build check test demo bench fuzz package format clean

help: ## this list
	@echo 'usage: make TARGET'
	@sed -n 's/^\([a-z]*\):.*## /\1\t/p' Makefile | awk -F'\t' '{ printf "  %-9s %s\n", $$1, $$2 }'

setup: ## find a JDK 25, install the Debian packages that running and testing need
	@build/setup tests

build: dist/target/built ## everything that runs, in dist/target/caisson; ./caisson starts it

dist/target/built: $(SOURCES)
	@build/setup
	$(MVN) --quiet package -DskipTests
	@ln -sfn $(DIST)/bin/caisson caisson
	@touch $@

check: ## before every commit: format, warnings, Error Prone, NullAway, unit tests without root, module graph
	@build/setup
	@rm -rf $(MODULES:%=%/target/check/surefire-reports)
	@status=0; $(MVN) $(WARNINGS_ONLY) -Pcheck test -DexcludedGroups=root || status=$$?; \
	$(JAVA) build/TestSummary.java $$status $(MODULES:%=%/target/check)

# All modules are tested even when one fails; TestSummary then decides.
test: ## all tests, also those that need root; names what was skipped, why, and how to run it
	@build/setup tests
	@rm -rf $(MODULES:%=%/target/surefire-reports) $(MODULES:%=%/target/failsafe-reports)
	@status=0; $(MVN) verify -Dmaven.test.failure.ignore=true || status=$$?; \
	ln -sfn $(DIST)/bin/caisson caisson; echo; \
	$(JAVA) build/TestSummary.java $$status $(MODULES:%=%/target)

demo: build ## run a first container
	@build/demo

bench: build ## measure docs/promises.md on this machine
	@build/setup tests
	@build/bench

FUZZ_SECONDS ?= 10
fuzz: ## changed inputs for every parser, FUZZ_SECONDS (10) for each group; FUZZ_SEED=n tries one again
	@build/setup
	@rm -rf $(MODULES:%=%/target/surefire-reports)
	@status=0; $(MVN) --quiet test -Dgroups=fuzz -Dcaisson.fuzz.seconds=$(FUZZ_SECONDS) \
	  $(FUZZ_SEED:%=-Dcaisson.fuzz.seed=%) || status=$$?; \
	$(JAVA) build/TestSummary.java $$status $(MODULES:%=%/target)

package: build ## dist/target/caisson.tar.gz, to be unpacked anywhere, then bin/caisson-train
	@build/package

format: ## rewrite all Java sources in the one format
	@build/setup
	$(MVN) --quiet --non-recursive spotless:apply

clean: ## remove what was built
	@find . -name target -type d -prune -exec rm -rf {} +
	@rm -f caisson
