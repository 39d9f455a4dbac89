#!/usr/bin/env bash
set -euo pipefail
dotin -q data generate motif --graphs 300 --nodes 30 --seed 1 --force -o motif.jsonl >/dev/null
rm -rf run
dotin -q train motif.jsonl --hidden 32 --layers 2 --drop-ratio 0.75 --epochs 20 --lr 2e-3 --threads 1 --out run >/dev/null
dotin -q explain run/model.safetensors motif.jsonl --graph 0,1 --force -o graphs.html >/dev/null
dotin -q explain run/model.safetensors motif.jsonl --verify --force -o dataset.html >/dev/null
dotin -q explain run/model.safetensors motif.jsonl --graph 0 --csv >nodes.csv
dotin -q explain run/model.safetensors motif.jsonl --csv >kept.csv

LC_ALL=C ls dataset.html graphs.html run/report.html
echo "nodes.csv: $(head -1 nodes.csv)"
echo "kept most above chance: label $(grep '^all,label,' kept.csv | sort -t, -k7,7gr | head -1 | cut -d, -f3)"
