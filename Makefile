# make check is what CI runs. Tools are pinned here and run from the module
# cache, so nothing has to be installed but Go.

GOLANGCI := github.com/golangci/golangci-lint/v2/cmd/golangci-lint@v2.15.0

# The folders with a go.mod; a test of the house finds one that is missing here.
MODULES := . internal/nobrotli vm/simd/gen
each = @for m in $(MODULES); do (cd $$m && $(1)) || exit 1; done

.PHONY: help build lean size check check-world fmt lint test race portable editors grammar tidy python adapters trainers wheels fuzz bench perf cover update

help: ## this list
	@grep -hE '^[a-z]+:.*##' $(MAKEFILE_LIST) | sed -E 's/:.*## /\t/' | expand -t 12

build: ## bin/ein, one static binary
	CGO_ENABLED=0 go build -trimpath -tags nethttpomithttp2 -ldflags '-s -w -funcalign=8' -o bin/ein ./cmd/ein

lean: ## bin/ein-lean, without the readers of Parquet and SQLite, and the tests that differ with it
	CGO_ENABLED=0 go build -trimpath -tags nethttpomithttp2,lean -ldflags '-s -w -funcalign=8' -o bin/ein-lean ./cmd/ein
	go vet -tags lean ./cmd/ein/...
	CGO_ENABLED=0 go test -tags lean ./cmd/ein -run 'TestScripts/(inputs|project|tables)'

size: ## lines of Go by package, without tests, testdata and generated files
	@git ls-files '*.go' | grep -vE '_test\.go$$|(^|/)testdata/' | xargs grep -LE '^// Code generated .* DO NOT EDIT\.$$' | xargs awk ' \
	  { d = FILENAME; if (!sub("/[^/]*$$", "", d)) d = "."; n[d]++; total++ } \
	  END { for (d in n) printf "%6d %s\n", n[d], d | "sort -k2"; close("sort -k2"); print "total", total }'

check: fmt tidy lint test lean race portable editors python ## everything CI runs

# The packages with tests that need more than Go, and what they need from PyPI.
WORLD_TESTS := . ./vm/rel/engine ./editors/... ./bench/ask/model/... ./bench/result/export ./bench/result/report ./bench/question/verify ./bench/question/category ./bench/question/audit ./bench/question/prompt ./bench/question/release ./bench/judge/sandbox ./bench/judge/verdict/... ./serve ./cmd/... ./docs ./examples
WORLD_VENV  := .world
# A Visual Studio Code for Node.js 20, and what drives a browser in front of it. It
# needs none of the modules in C++ that it comes with but the one that writes the
# output of extensions.
VSCODE      := code-server@4.99.4 playwright-core@1.65.1

check-world: ## real SDKs, editors and sandboxes: a test that is skipped fails unless testdata/skips.txt says why
	python3 -m venv $(WORLD_VENV)
	$(WORLD_VENV)/bin/python -m pip install -q -r testdata/world.txt
	$(WORLD_VENV)/bin/python -m pip install -q --upgrade --target $(WORLD_VENV)/before -r testdata/before.txt
	python3 -m venv $(WORLD_VENV)/litellm
	$(WORLD_VENV)/litellm/bin/python -m pip install -q -r testdata/litellm.txt
	python3 -m venv $(WORLD_VENV)/clients
	$(WORLD_VENV)/clients/bin/python -m pip install -q -r testdata/clients.txt
	python3 -m venv $(WORLD_VENV)/openenv
	$(WORLD_VENV)/openenv/bin/python -m pip install -q -r testdata/openenv.txt
	cd editors/vscode && npm ci --loglevel=error
	npm install --loglevel=error --ignore-scripts --prefix $(WORLD_VENV)/vscode $(VSCODE)
	cd $(WORLD_VENV)/vscode/node_modules/code-server/lib/vscode && { test -d node_modules || npm install --loglevel=error --omit=dev --ignore-scripts; } && { test -e node_modules/@vscode/spdlog/build/Release/spdlog.node || npm rebuild @vscode/spdlog; }
	EIN_VSCODE="$(CURDIR)/$(WORLD_VENV)/vscode" EIN_SDKS_BEFORE="$(CURDIR)/$(WORLD_VENV)/before" EIN_CLIENTS="$(CURDIR)/$(WORLD_VENV)/clients/bin/python:$(CURDIR)/$(WORLD_VENV)/openenv/bin/python" PATH="$(CURDIR)/$(WORLD_VENV)/bin:$$PATH:$(CURDIR)/$(WORLD_VENV)/litellm/bin" go test -timeout 20m -count=1 -json $(WORLD_TESTS) | go run ./internal/skips testdata/skips.txt
	$(MAKE) adapters

fmt: ## fail when a file is not gofmt-ed
	@files=$$(gofmt -l $$(git ls-files -co --exclude-standard '*.go')); test -z "$$files" || { echo "gofmt -w these:"; echo "$$files"; exit 1; }

tidy: ## fail when go.mod or go.sum would change
	$(call each,go mod tidy -diff)

lint: ## vet, and golangci-lint, which has staticcheck
	$(call each,go vet ./... && go run $(GOLANGCI) run --allow-parallel-runners ./...)

test: ## all tests
	$(call each,CGO_ENABLED=0 go test -timeout 20m ./...)

# The detector would wait for a second at the end of each process, of which tests start thousands.
race: ## the tests under the race detector, the long ones shortened
	$(call each,GORACE=atexit_sleep_ms=0 go test -race -short -timeout 20m ./...)

portable: ## the core builds for other systems and for the browser, and its kernels run on arm64
	$(call each,GOOS=darwin GOARCH=arm64 go build -o /dev/null ./... && GOOS=windows GOARCH=amd64 go build -o /dev/null ./...)
	GOOS=js GOARCH=wasm go build ./lang/... ./vm/... ./stdlib/...
	@if command -v qemu-aarch64-static >/dev/null; then \
	  GOARCH=arm64 CGO_ENABLED=0 go test -short -exec qemu-aarch64-static ./vm/simd; \
	else echo "NOT TESTED: the kernels for arm64: there is no qemu-user-static"; fi

# The program takes five minutes to build, so what it makes is kept.
grammar: ## the parser for tree-sitter from its grammar
	cargo install tree-sitter-cli --version 0.27.1 --locked --no-default-features --root $(WORLD_VENV)/tree-sitter
	cd editors/tree-sitter-ein && ../../$(WORLD_VENV)/tree-sitter/bin/tree-sitter generate --abi 14 && sha256sum grammar.js | cut -c1-64 > src/grammar.js.sha256

editors: ## the VS Code extension: types, grammar, package
	@if command -v npm >/dev/null; then \
	  cd editors/vscode && npm ci --loglevel=error && npm test && npm run package; \
	else echo "NOT TESTED: the VS Code extension: there is no npm"; fi

# An environment with what the files in python ask for, and the wheel; nothing else has
# the package. What is installed stays, so that a run that was cut off goes on.
wheel = python3 -m venv $(1) && rm -rf $(1)/wheel && $(1)/bin/python -m pip install -q $(foreach f,requirements.txt $(2),-r python/$(f)) && \
  $(1)/bin/python -m build -q --wheel --no-isolation -o $(1)/wheel python && $(1)/bin/python -m pip install -q --no-index --force-reinstall $(1)/wheel/*.whl
PYTHON_VENV := $(WORLD_VENV)/python

python: ## the Python package: a wheel, its types, and its tests in a fresh environment
	@if python3 -c 'import ensurepip, venv' 2>/dev/null; then \
	  rm -rf $(PYTHON_VENV) && $(call wheel,$(PYTHON_VENV)) && cd python && PATH="$(CURDIR)/$(PYTHON_VENV)/bin:$$PATH" && export PATH && pyright && python -m pytest -q; \
	else echo "NOT TESTED: the Python package: there is no python3 with venv"; fi

adapters: ## the Python package in harnesses and engines: verifiers, inspect_ai, lm-eval, Ray, Spark and others
	$(call wheel,$(WORLD_VENV)/adapters,world/requirements.txt)
	cd python/world && PATH="$(CURDIR)/$(WORLD_VENV)/adapters/bin:$$PATH" python -m pytest -q

trainers: ## the recipes, and the Python package under TRL and verl; some gigabytes, so no part of check-world
	$(call wheel,$(WORLD_VENV)/trainers,trainers/requirements.txt ../recipes/requirements.txt)
	$(WORLD_VENV)/trainers/bin/python -m pip install -q --no-deps verl==0.9.1
	cd python/trainers && PATH="$(CURDIR)/$(WORLD_VENV)/trainers/bin:$$PATH" python -m pytest -q
	PATH="$(CURDIR)/$(WORLD_VENV)/trainers/bin:$$PATH" go test ./cmd/ein -run TestRecipes -v -count=1 -timeout 30m

# A wheel holds one binary, and that is for the platform of its name.
WHEELS := $(WORLD_VENV)/wheels

wheels: ## wheels for all platforms, checked by file(1); needs what make python has installed
	rm -rf $(WHEELS)
	@set -e; for want in linux/amd64:ELF.*x86-64 linux/arm64:ELF.*aarch64 darwin/amd64:Mach-O.*x86_64 darwin/arm64:Mach-O.*arm64 windows/amd64:PE32+.*x86-64 windows/arm64:PE32+.*Aarch64; do \
	  EIN_WHEEL_TARGET=$${want%%:*} $(PYTHON_VENV)/bin/python -m build -q --wheel --no-isolation -o $(WHEELS)/$${want%%:*} python; \
	  unzip -q -o $(WHEELS)/$${want%%:*}/*.whl 'ein/_bin/*' -d $(WHEELS)/$${want%%:*}; \
	  file $(WHEELS)/$${want%%:*}/ein/_bin/ein* | grep -i "$${want##*:}"; \
	done

fuzz: ## each fuzz target for FUZZTIME (default 20s)
	@for p in $$(go list ./...); do \
	  for f in $$(go test -list '^Fuzz' $$p | grep '^Fuzz'); do \
	    echo "$$p $$f"; go test -run '^$$' -fuzz "^$$f$$" -fuzztime $${FUZZTIME:-20s} -fuzzminimizetime 2s $$p || exit 1; \
	  done; \
	done

bench: ## the benchmarks beside the code
	go test -run '^$$' -bench . -benchmem ./...

# A quiet machine takes about a quarter of an hour for all of it; PERF=-quick is the small cases,
# PERF='-clock cpu' is for a machine that is not quiet.
perf: ## side by side with numpy, scipy, networkx, igraph, DuckDB and clingo, into docs/performance.md
	python3 -m venv $(WORLD_VENV)/perf
	$(WORLD_VENV)/perf/bin/python -m pip install -q -r perf/peers.txt
	go run ./perf $(PERF) -python $(WORLD_VENV)/perf/bin/python -o docs/performance.md

cover: ## coverage by package
	go test -short -cover ./vm/... ./lang/... ./stdlib/...

update: ## rewrite the goldens; review the diff
	go test $$(grep -rl ein/internal/golden --include='*_test.go' . | xargs -n1 dirname | sort -u) -update
	cd editors/vscode && UPDATE=1 npm test
