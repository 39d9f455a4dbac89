#!/usr/bin/env bash
set -euo pipefail
dotin data check friends
echo
dotin data pack friends --force -o friends.safetensors >/dev/null
dotin data info friends.safetensors
