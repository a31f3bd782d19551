# The commands of every day; `just` alone lists them.

_list:
    @just --list

# every check that a change has to pass
check:
    .ci/run

# the tests, or those whose names contain the words given
test *filter:
    tests/run -- {{ filter }}

# a charge whose answer is lost, and what becomes of it
demo *arguments:
    cargo run --quiet -- demo {{ arguments }}

# write the code the way the check wants it
fmt:
    cargo fmt --all
