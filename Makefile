# What a contributor runs. Everything that is missing is installed on the way:
# servers from the distribution's packages, tools from the Go module proxy.

.DEFAULT_GOAL := help
.DELETE_ON_ERROR:
MAKEFLAGS += --no-print-directory
BIN := $(CURDIR)/.dev/bin
DEV := go run ./deploy/dev

.PHONY: help
help: ## List the targets
	@awk -F ':.*## ' '/^[a-z-]+:.*## / {printf "  make %-15s %s\n", $$1, $$2}' $(MAKEFILE_LIST)

# ---- the development stack -------------------------------------------------

.PHONY: demo up down restart status logs psql
demo: ## Take payments and make swaps from end to end on private chains, step by step
	@$(DEV) install
	@$(MAKE) up
	go run ./e2e/demo

up: ## Start the whole stack in the background and write .dev/env (parts=a,b for some)
	@$(DEV) up $(if $(parts),-parts $(parts))

down: ## Stop the stack (clean=1 also forgets the data)
	@$(DEV) down $(if $(clean),-clean)

restart: ## Stop and start one part: make restart part=worker
	@$(DEV) restart $(or $(part),$(error which part? make restart part=worker))

status: ## Show what runs
	@$(DEV) status

logs: ## Follow the logs of the services
	@tail -F .dev/log/worker.log .dev/log/merchant-api.log

psql: ## Open the stack's database
	@. .dev/env && psql "$$DATABASE_URL"

# ---- quality ---------------------------------------------------------------

.PHONY: test test-fast check bench chaos
# The packages whose tests start PostgreSQL, Temporal, a chain, a stack or a
# browser. All others are fast; -short leaves out the tests of theirs that
# start something all the same.
NEED_SERVERS := activities api/apidocs api/merchant api/pages api/swap cmd/durapay deploy deploy/dev/.* e2e e2e/.* internal/chain \
	internal/outbound internal/pgtest internal/postgres internal/ratelimit internal/rekey internal/sanctions internal/witness worker
empty :=
space := $(empty) $(empty)

test-fast: ## Run the tests that need no server: rules, workflows, adapters, documents
	go test -short $$(go list ./... | grep -vxE '[^/]+/[^/]+/[^/]+/($(subst $(space),|,$(strip $(NEED_SERVERS))))')

test: ## Run every test on the real parts, on free ports
	@$(DEV) install
	go test -timeout 60m ./...

check: check-size check-format check-lint check-workflows check-generated check-openapi check-modules check-images check-words check-holes ## Check sizes, format, lint rules, generated files and dependencies

bench: ## Run the benchmarks and print a table
	@$(DEV) install
	go run ./e2e/bench

minutes ?= 15
seed ?= 7
chaos: ## Kill processes under load, then count what does not agree: make chaos minutes=15 seed=7
	@$(DEV) install
	go run ./e2e/chaos -minutes $(minutes) -seed $(seed)

.PHONY: production-test
production-test: ## Live an operator's first day with docker-compose.yml, as root, with images made of Debian's packages
	@$(DEV) install
	go run ./e2e/production

.PHONY: check-size check-format check-lint check-workflows check-generated check-openapi check-modules check-images check-words check-holes
# A repository takes a large file for ever: what is larger than this is a
# binary or generated data, committed by mistake.
MAX_FILE_BYTES := 524288

check-size:
	@large=$$(git ls-files -z | xargs -0 -r stat -c '%s %n' 2>/dev/null | awk '$$1 > $(MAX_FILE_BYTES)'); \
	if [ -n "$$large" ]; then \
		echo "Tracked files larger than $(MAX_FILE_BYTES) bytes; take them out with git rm --cached:"; \
		echo "$$large"; exit 1; \
	fi

check-format:
	@files=$$(gofmt -l .); \
	if [ -n "$$files" ]; then echo "gofmt -w $$files"; exit 1; fi

check-lint: $(BIN)/.lint
	$(BIN)/golangci-lint run ./...

check-workflows: $(BIN)/.lint
	$(BIN)/workflowcheck ./workflows/...

check-generated: $(BIN)/.sqlc
	$(BIN)/sqlc diff -f internal/postgres/sqlc.yaml

check-modules:
	go mod tidy -diff

# The last column of docs/glossary.md.
check-words:
	go test -count=1 -run '^TestOldWordsAreGone$$' ./docs

# Where the list of holes cannot be reached, this says so and passes.
check-holes: $(BIN)/.vuln
	@tools/vuln/check.sh $(BIN)/govulncheck

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

images: ## Renew the digests of images and the day of Debian's packages
	go run ./deploy/image/pin

check-images: ## Refuse images without a digest
	go run ./deploy/image/pin -check

tools: $(BIN)/.lint $(BIN)/.sqlc $(BIN)/.vuln ## Build linters and generators into .dev/bin

$(BIN)/.lint $(BIN)/.sqlc $(BIN)/.vuln: $(BIN)/.%: tools/%/go.mod tools/%/go.sum
	@echo "Building the tools of tools/$* (some minutes, once) …"
	@mkdir -p $(BIN)
	cd tools/$* && go build -o $(BIN)/ tool
	@touch $@

tools/openapi/node_modules/.stamp tools/prism/node_modules/.stamp tools/axe/node_modules/.stamp: tools/%/node_modules/.stamp: tools/%/package.json tools/%/package-lock.json
	cd tools/$* && npm ci --no-progress
	@touch $@
