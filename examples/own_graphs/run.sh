#!/usr/bin/env bash
set -euo pipefail
dotin data info molecules.jsonl
echo
dotin data check molecules.jsonl --folds 3
