# Sourced by ./strandline and ./test: the quick look whether the Python environment is there and up to
# date, and the search for a Python that can make it. The work itself is in environment.py.

# environment_is_current ROOT SET: true when the environment was made, to its end, from the files as they
# are now. The stamp is a copy of those files, put in place as the very last step of making it.
environment_is_current() {
    stamp=$1/.strandline/venv/made-for-$2
    [ -x "$1/.strandline/venv/bin/python" ] &&
        cmp -s "$1/pyproject.toml" "$stamp/pyproject.toml" &&
        cmp -s "$1/requirements-dev.lock" "$stamp/requirements-dev.lock"
}

# find_python: sets $python to a command that is Python 3.11 or newer.
find_python() {
    for python in python3 python3.14 python3.13 python3.12 python3.11 python; do
        if "$python" -c 'import sys; sys.exit(sys.version_info < (3, 11))' >/dev/null 2>&1; then
            return 0
        fi
    done
    return 1
}

# ensure_environment ROOT SET: SET is run (what the program needs) or dev (that and the tools of ./test).
ensure_environment() {
    if environment_is_current "$1" "$2"; then return 0; fi
    if find_python; then
        "$python" "$1/scripts/environment.py" "$1" "$2"
    elif command -v uv >/dev/null 2>&1; then
        # uv brings a Python of its own where the machine has none that is new enough.
        uv run --quiet --no-project --python '>=3.11' -- python "$1/scripts/environment.py" "$1" "$2"
    else
        printf '%s\n' "strandline: Python 3.11 or newer is needed and none was found as python3 or python3.11 to python3.14." \
            "strandline: install one (for example: apt-get install python3 python3-venv), or uv, which brings its own." >&2
        exit 2
    fi
}
