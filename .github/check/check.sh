#!/usr/bin/env bash
# Checks the kernels of a repository: all files that git knows and that have a comment `// coalesced: --kernel …`.
# CHECK is the program of `cargo learn check`; SARIF a file to write, or nothing; OPTIONS are added to each command line.
set -uo pipefail

check=${CHECK:?names the program} sarif=${SARIF:-} status=0
read -ra options <<< "${OPTIONS:-}"

mapfile -d '' files < <(git grep --null --files-with-matches --untracked -E '^[[:space:]]*// coalesced:' -- \
    '*.cu' '*.cuh' '*.ptx' '*.rs')
if [ "${#files[@]}" -eq 0 ]; then
    echo "no file has a comment \`// coalesced: --kernel NAME --grid X --block X …\`" >&2
    exit 2
fi
if [ -n "${GITHUB_ACTIONS:-}" ]; then
    echo "::add-matcher::$(dirname "$0")/problem-matcher.json"
fi
"$check" check "${files[@]}" --format short ${options[@]+"${options[@]}"} || status=$?
if [ -n "$sarif" ]; then
    "$check" check "${files[@]}" --format sarif ${options[@]+"${options[@]}"} > "$sarif" 2> /dev/null || true
fi
if [ "$status" -eq 0 ]; then
    echo "clean: ${files[*]}"
fi
exit "$status"
