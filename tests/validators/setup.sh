#!/bin/sh
# setup.sh [DIR]: put the packages the validators need into DIR (build/validators), unless they are there.
#
# The versions are pinned in package.json: the drivers look into the bundles and fail loudly on another one.
# No script of a package is run. Prints nothing if there is nothing to do.
set -e
here=$(cd "$(dirname "$0")" && pwd)
dir=${1:-$here/../../build/validators}
mkdir -p "$dir"
if cmp -s "$here/package.json" "$dir/installed.json"; then
	exit 0
fi
command -v npm >/dev/null || { echo "setup.sh: npm is not installed (Debian: npm)" >&2; exit 1; }
echo "setup.sh: installing into $dir" >&2
cp "$here/package.json" "$dir/package.json"
(cd "$dir" && npm install --ignore-scripts --no-audit --no-fund --omit=dev --loglevel=error) >&2
cp "$here/package.json" "$dir/installed.json"
