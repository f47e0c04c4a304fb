# What a contributor runs. Everything that is missing is installed on the way:
# servers from the distribution's packages, tools from the Go module proxy.

.DEFAULT_GOAL := help
.DELETE_ON_ERROR:
MAKEFLAGS += --no-print-directory
# Paths of this machine stay out of what is compiled, so a fresh checkout finds in the
# compiler's cache what an earlier one left there.
export GOFLAGS := $(filter-out -trimpath,$(shell go env GOFLAGS)) -trimpath
BIN := $(CURDIR)/.dev/bin
DEV := go run ./deploy/dev
# Makes a bare machine ready, and says what it does.
INSTALL := go run ./deploy/dev/install

# engine=server: Temporal's server of production on the stack's PostgreSQL
# instead of its development server.
ifdef engine
export DEV_TEMPORAL := $(engine)
endif

.PHONY: help
help: ## List the targets
	@awk -F ':.*## ' '/^[a-z-]+:.*## / {printf "  make %-15s %s\n", $$1, $$2}' $(MAKEFILE_LIST)

# ---- the development stack -------------------------------------------------

.PHONY: demo up pay down restart status logs psql admin
demo: ## Take payments and make swaps from end to end on private chains, step by step
	@$(INSTALL)
	@$(DEV) up
	go run ./e2e/demo

up: ## Start the whole stack in the background and write .dev/env (parts=a,b for some; sandbox=wallet for a sandbox on a chain)
	@$(INSTALL) compile
	@$(DEV) up $(if $(parts),-parts $(parts)) $(if $(sandbox),-sandbox $(sandbox))

pay: ## Pay a live charge on the development chain, and mine its blocks: make pay charge=ch_…
	@$(DEV) pay $(or $(charge),$(error which charge? make pay charge=ch_…))

down: ## Stop the stack (clean=1 also forgets the data)
	@$(DEV) down $(if $(clean),-clean)

restart: ## Stop and start one part: make restart part=worker
	@$(DEV) restart $(or $(part),$(error which part? make restart part=worker))

status: ## Show what runs
	@$(DEV) status

logs: ## Follow the logs of the services
	@tail -F .dev/log/worker.log .dev/log/merchant-api.log

admin: ## Run an operators' command on the stack: make admin args="payouts list"
	@$(DEV) admin $(args)

psql: ## Open the stack's database
	@. .dev/env && psql "$$DATABASE_URL"

# ---- quality ---------------------------------------------------------------

.PHONY: test test-all check stack bench chaos
# Where measure writes what each step and each package took.
COST ?= $(CURDIR)/.dev/cost
MEASURE := $(BIN)/measure $(COST)
# No result is kept (-count=1): go test does not see the programs, scripts and lists that
# a test hands to another process. make check vets.
GO_TEST := go test -count=1 -vet=off -timeout 30m

# -short means: no process but PostgreSQL. What is left runs on a machine of any speed,
# with no chain, browser, Temporal server or package of npm. The smoke test then has the
# machine to itself.
test: $(BIN)/measure ## Run the gate: all short tests, then one smoke test on a real stack (pkg=./activities/... for the short tests of some packages)
	@$(INSTALL) postgres
	$(MEASURE) "short tests" $(GO_TEST) -short -exec '$(MEASURE) .' $(or $(pkg),./...)
ifndef pkg
	@$(MAKE) stack
	$(MEASURE) "smoke test" $(GO_TEST) -run '^TestSmoke$$' ./e2e
endif

stack: $(BIN)/measure
	@$(MEASURE) "install the stack" $(INSTALL) stack

test-all: seed ?= $(shell date +%s)
test-all: $(BIN)/measure $(BIN)/.gotestsum ## Run every test on the real parts; a failed one again, by itself (only=e2e/TestX for one, seed=7 for the order of an earlier run)
	@$(INSTALL)
	@tools/test-all.sh "$(seed)" "$(only)"

check: check-size check-format check-lint check-workflows check-generated check-openapi check-modules check-images check-chart check-holes ## Check sizes, format, lint rules, generated files and dependencies

.PHONY: count test-touched
base ?= main
test-touched: ## Run the long tests that a change calls for: make test-touched base=main (list=1 prints them)
	@$(if $(list),,$(INSTALL))
	@go run ./tools/touched -base $(base) $(if $(list),-n)

count: ## Print what the repository weighs: packages, lines, words, places, comments
	@go run ./tools/count

bench: ## Run the benchmarks and print a table (rows=a,b for some; quick=1 for small sizes; flags="-open 10000")
	@$(INSTALL)
	go run ./e2e/bench $(if $(rows),-run $(rows)) $(if $(quick),-quick) $(flags)

minutes ?= 15
chaos: seed ?= 7
chaos: ## Disturb a stack under load, then count what does not agree: make chaos minutes=15 seed=7 (away=postgres=10m for one long outage in place of all)
	@$(INSTALL)
	go run ./e2e/chaos -minutes $(minutes) -seed $(seed) $(if $(away),-away $(away))

.PHONY: production-test
production-test: ## Live an operator's first day with docker-compose.yml, as root, with images made of Debian's packages
	@$(INSTALL)
	go run ./e2e/production

.PHONY: check-size check-format check-lint check-workflows check-generated check-openapi check-modules check-images check-chart check-holes
# A repository takes a large file for ever: what is larger than this is a
# binary or generated data, committed by mistake.
MAX_FILE_BYTES := 655360

check-size:
	@large=$$(git ls-files -z | xargs -0 -r stat -c '%s %n' 2>/dev/null | awk '$$1 > $(MAX_FILE_BYTES)'); \
	if [ -n "$$large" ]; then \
		echo "Tracked files larger than $(MAX_FILE_BYTES) bytes; take them out with git rm --cached:"; \
		echo "$$large"; exit 1; \
	fi

# The repository's files alone: .dev may hold other people's.
check-format:
	@files=$$(git ls-files -z '*.go' | xargs -0 gofmt -l); \
	if [ -n "$$files" ]; then echo "gofmt -w $$files"; exit 1; fi

check-lint: $(BIN)/.lint $(BIN)/measure
	$(MEASURE) lint $(BIN)/golangci-lint run ./...

check-workflows: $(BIN)/.lint $(BIN)/measure
	$(MEASURE) workflowcheck $(BIN)/workflowcheck ./workflows/...

check-generated: $(BIN)/.sqlc $(BIN)/measure
	$(MEASURE) "generated code" $(BIN)/sqlc diff -f internal/postgres/sqlc.yaml

check-modules:
	go mod tidy -diff

# The chart in deploy/helm, rendered and decoded: a module of its own, so that
# Helm is not a dependency of Durapay. go test sees no change outside of that module.
check-chart: $(BIN)/measure
	cd tools/helm && $(MEASURE) chart go test -count=1 ./...

# Where the list of holes cannot be reached, this says so and passes.
check-holes: $(BIN)/.vuln $(BIN)/measure
	@$(MEASURE) "known holes" tools/vuln/check.sh $(BIN)/govulncheck

# The linter is the one thing from npm; a machine without it skips the step,
# CI=true makes it an error.
check-openapi:
	@if command -v npm >/dev/null; then \
		$(MAKE) tools/openapi/node_modules/.stamp && \
		cd tools/openapi && node_modules/.bin/redocly lint --config redocly.yaml ../../openapi/*.yaml; \
	else \
		echo "openapi/ is not linted: npm is not installed (package npm, Node.js 20.19 or later)"; \
		test -z "$(CI)"; \
	fi

# ---- generated files and tools ---------------------------------------------

.PHONY: openapi generate release tools images
openapi: ## Write openapi/ from the code
	go run ./cmd/durapay openapi --dir openapi

generate: $(BIN)/.sqlc ## Write the database code from the queries
	$(BIN)/sqlc generate -f internal/postgres/sqlc.yaml

release: ## Write the database of this version, which later ones have to upgrade
	KEEP_RELEASE=1 go test -count=1 -run '^TestEveryTableHasARowToKeep$$' ./internal/postgres

images: $(BIN)/.crane ## Renew the digests of images and the day of Debian's packages
	PATH="$(BIN):$$PATH" deploy/image/pin.sh

check-images: ## Refuse images without a digest
	deploy/image/pin.sh -check

tools: $(BIN)/.lint $(BIN)/.sqlc $(BIN)/.vuln ## Build linters and generators into .dev/bin

$(BIN)/measure: $(wildcard tools/measure/*.go)
	@go build -o $@ ./tools/measure

$(BIN)/.lint $(BIN)/.sqlc $(BIN)/.vuln $(BIN)/.gotestsum $(BIN)/.crane: $(BIN)/.%: tools/%/go.mod tools/%/go.sum | $(BIN)/measure
	@echo "Building the tools of tools/$* (some minutes, once) …"
	@mkdir -p $(BIN)
	cd tools/$* && $(MEASURE) "build tools/$*" go build -o $(BIN)/ tool
	@touch $@

tools/openapi/node_modules/.stamp tools/prism/node_modules/.stamp tools/axe/node_modules/.stamp tools/greenfield/node_modules/.stamp: tools/%/node_modules/.stamp: tools/%/package.json tools/%/package-lock.json
	cd tools/$* && npm ci --no-progress --prefer-offline --no-audit --no-fund
	@touch $@
