#!/usr/bin/env python3
"""dotin beside PyTorch Geometric on the same data and sizes, as ratios within one run.

Each row runs both programs in turn, several times, each in a process of its own on the same cores, and takes medians.

  DOTIN_DATA=~/data PYTHONPATH=~/pyg bench/peers/compare.py --dotin build/release/app/dotin
  bench/peers/compare.py --only 'D&D 512' --repeat 9 --json rows.json

Data (DD.zip, NCI1.zip, PROTEINS.zip) is looked for in $DOTIN_DATA. Needs a quiet machine.
"""
import argparse
import json
import os
import pathlib
import statistics
import subprocess
import sys

HERE = pathlib.Path(__file__).resolve().parent

# name, data, what both get, dotin only, PyG variants (the best counts), what is compared, wanted ratio
TOPK = ["--conv gat --pool topk", "--conv gat --pool sag"]
ANY = TOPK + ["--conv gat --pool none"]
DD512 = "--hidden 512 --drop-ratio 0.9"
# By default dotin's nodes may have columns for their neighbours too (1,024 for ged, 292 on NCI1); PyG's do not. Rows whose
# name does not say "our features" have the same in both.
SAME_FEATURES = ["--features", "labels,attributes"]
ROWS = [
    ("D&D 512, drop 0.9", "DD", DD512, "", TOPK, "steps_per_second", 15),
    ("D&D 512, drop 0.9, attention 512", "DD", DD512, "--attention-dim 512", TOPK, "steps_per_second", 6),
    ("D&D 512, drop 0.9, TransformerConv", "DD", DD512, "", ["--conv transformer --pool topk"], "steps_per_second", 25),
    ("D&D 512, drop 0.9, PyG without", "DD", DD512, "", ["--conv gat --pool none"], "steps_per_second", 35),
    ("D&D 512, no drop", "DD", "--hidden 512 --drop-ratio 0", "", ["--conv gat --pool none"], "steps_per_second", 3),
    ("D&D 64, drop 0.9", "DD", "--hidden 64 --drop-ratio 0.9", "", TOPK, "steps_per_second", 12),
    ("NCI1 128, drop 0.5", "NCI1", "--hidden 128 --drop-ratio 0.5", "", ANY, "steps_per_second", 8),
    ("NCI1 128, drop 0.5, our features", "NCI1", "--hidden 128 --drop-ratio 0.5", "", ANY, "steps_per_second", 1),
    ("NCI1 128, no drop", "NCI1", "--hidden 128 --drop-ratio 0", "", ["--conv gat --pool none"], "steps_per_second", 1),
    ("D&D 64, no drop", "DD", "--hidden 64 --drop-ratio 0", "", ["--conv gat --pool none"], "steps_per_second", 1),
    ("PROTEINS 128, no drop", "PROTEINS", "--hidden 128 --drop-ratio 0", "", ["--conv gat --pool none"], "steps_per_second", 1),
    ("PROTEINS 128, GED, no drop", "PROTEINS", "--hidden 128 --drop-ratio 0", "--tasks ged",
     ["--conv gat --pool none --ged"], "steps_per_second", 1),
    ("PROTEINS 128, drop 0.5", "PROTEINS", "--hidden 128 --drop-ratio 0.5", "", ANY, "steps_per_second", 8),
    ("PROTEINS 128, GED", "PROTEINS", "--hidden 128 --drop-ratio 0.5", "--tasks ged",
     [v + " --ged" for v in ANY], "steps_per_second", 8),
    ("PROTEINS 128, GED, our features", "PROTEINS", "--hidden 128 --drop-ratio 0.5", "--tasks ged",
     [v + " --ged" for v in ANY], "steps_per_second", 1),
    ("NCI1 128, predicting", "NCI1", "--hidden 128 --drop-ratio 0.5", "", [v + " --predict" for v in ANY],
     "graphs_per_second", 15),
    ("NCI1 128, predicting, our features", "NCI1", "--hidden 128 --drop-ratio 0.5", "", [v + " --predict" for v in ANY],
     "graphs_per_second", 1),
    ("D&D 512, memory", "DD", DD512, "", ["--conv gat --pool topk"], "peak_bytes", 6),
    # Compared methods, each against the same method there.
    ("gPool, D&D", "DD", "--hidden 128 --drop-ratio 0.5", "--drop gpool", ["--conv gat --pool topk"], "steps_per_second", 1),
    ("gPool, NCI1", "NCI1", "--hidden 128 --drop-ratio 0.5", "--drop gpool", ["--conv gat --pool topk"], "steps_per_second", 1),
    ("SAGPool, D&D", "DD", "--hidden 128 --drop-ratio 0.5", "--drop sagpool", ["--conv gat --pool sag"], "steps_per_second", 1),
    ("SAGPool, NCI1", "NCI1", "--hidden 128 --drop-ratio 0.5", "--drop sagpool", ["--conv gat --pool sag"], "steps_per_second", 1),
    ("Set2Set, D&D", "DD", "--hidden 128 --drop-ratio 0", "--drop none --readout set2set", ["--conv gat --pool set2set"],
     "steps_per_second", 1),
    ("Set2Set, NCI1", "NCI1", "--hidden 128 --drop-ratio 0", "--drop none --readout set2set", ["--conv gat --pool set2set"],
     "steps_per_second", 1),
    ("SortPool, D&D", "DD", "--hidden 128 --drop-ratio 0", "--drop none --readout sortpool", ["--conv gat --pool sort"],
     "steps_per_second", 1),
    ("SortPool, NCI1", "NCI1", "--hidden 128 --drop-ratio 0", "--drop none --readout sortpool", ["--conv gat --pool sort"],
     "steps_per_second", 1),
    ("SAGPool global, D&D", "DD", "--hidden 128 --drop-ratio 0.5", "--drop none --readout sagpool",
     ["--conv gat --pool sag-global"], "steps_per_second", 1),
    ("SAGPool global, NCI1", "NCI1", "--hidden 128 --drop-ratio 0.5", "--drop none --readout sagpool",
     ["--conv gat --pool sag-global"], "steps_per_second", 1),
    ("DropGNN, D&D", "DD", "--hidden 128 --drop-ratio 0", "--drop dropgnn", ["--conv gat --pool drop-gnn"], "steps_per_second", 1),
    ("DropGNN, NCI1", "NCI1", "--hidden 128 --drop-ratio 0", "--drop dropgnn", ["--conv gat --pool drop-gnn"], "steps_per_second", 1),
    ("DropEdge, D&D", "DD", "--hidden 128 --drop-ratio 0", "--drop none --drop-edge 0.2", ["--conv gat --pool drop-edge"],
     "steps_per_second", 1),
    ("DropEdge, NCI1", "NCI1", "--hidden 128 --drop-ratio 0", "--drop none --drop-edge 0.2", ["--conv gat --pool drop-edge"],
     "steps_per_second", 1),
]


def run(command, threads):
    cores = ",".join(str(core) for core in range(threads))
    environment = dict(os.environ, OMP_NUM_THREADS=str(threads))
    done = subprocess.run(["taskset", "-c", cores, *command], capture_output=True, text=True, env=environment)
    if done.returncode != 0:
        sys.exit(f"{' '.join(command)}\n{done.stderr}")
    return json.loads(done.stdout)


def our_figure(options, row):
    name, data, both, ours, _, figure, _ = row
    command = [options.dotin, "bench", data_path(data), *both.split(), *ours.split(), "--threads", str(options.threads),
               "--repeat", "1", "--steps", str(options.steps * 4), "--json"]
    if "our features" not in name:
        command += SAME_FEATURES
    works = run(command, options.threads)
    kind = "predict" if "predicting" in name else "train"
    return next(work for work in works if work["work"].startswith(kind))[figure]


def their_figure(options, row, variant):
    _, data, both, _, _, figure, _ = row
    result = run([sys.executable, str(HERE / "pyg.py"), data_path(data), *both.split(), *variant.split(), "--threads",
                  str(options.threads), "--steps", str(options.steps)], options.threads)
    return result[figure], result["versions"]


def data_path(name):
    return os.path.join(os.environ.get("DOTIN_DATA", "."), name + ".zip")


def measure(options, row):
    name, _, _, _, variants, figure, wanted = row
    ours, theirs, versions = [], {variant: [] for variant in variants}, {}
    for _ in range(options.repeat):
        ours.append(our_figure(options, row))
        for variant in variants:
            value, versions = their_figure(options, row, variant)
            theirs[variant].append(value)
    smaller = figure == "peak_bytes"
    best = (min if smaller else max)(variants, key=lambda variant: statistics.median(theirs[variant]))
    mine, other = statistics.median(ours), statistics.median(theirs[best])
    ratio = other / mine if smaller else mine / other
    pairs = [(b / a if smaller else a / b) for a, b in zip(ours, theirs[best])]
    return {"row": name, "figure": figure, "dotin": mine, "pyg": other, "variant": best, "ratio": ratio,
            "ratio_lowest": min(pairs), "ratio_highest": max(pairs), "wanted": wanted, "threads": options.threads,
            "repeat": options.repeat, "versions": versions}


def chosen(name, part):
    return name == part if any(row[0] == part for row in ROWS) else part in name


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--dotin", default="dotin", help="the program")
    parser.add_argument("--only", action="append", help="the row of this name, or those whose names contain it; may be given again")
    parser.add_argument("--repeat", type=int, default=5)
    parser.add_argument("--steps", type=int, default=20, help="of PyG in one repetition; dotin takes four times as many")
    parser.add_argument("--threads", type=int, default=1)
    parser.add_argument("--json", help="write the rows to this file")
    options = parser.parse_args()
    rows = []
    print(f"{'work':<36} {'dotin':>12} {'PyG':>12} {'ratio':>6} {'lowest..highest':>16} {'wanted':>6}  best PyG variant")
    for row in ROWS:
        if options.only and not any(chosen(row[0], part) for part in options.only):
            continue
        result = measure(options, row)
        rows.append(result)
        spread = f"{result['ratio_lowest']:.1f}..{result['ratio_highest']:.1f}"
        print(f"{result['row']:<36} {result['dotin']:>12,.1f} {result['pyg']:>12,.1f} {result['ratio']:>6.1f} "
              f"{spread:>16} {result['wanted']:>6}  {result['variant']}", flush=True)
        if options.json:
            pathlib.Path(options.json).write_text(json.dumps(rows, indent=1))


if __name__ == "__main__":
    main()
