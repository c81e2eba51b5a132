#!/bin/sh
# Writes down what it is called with, each argument ended by a zero, beside the name it is called by.
printf '%s\0' "$@" >"$0.opened"
