#!/usr/bin/env bash
set -euo pipefail
dotin data generate motif --graphs 200 --tasks 2 --seed 7 --force -o motif.jsonl | grep -v '^took'
echo
dotin data info motif.jsonl
echo
dotin data check motif.jsonl
