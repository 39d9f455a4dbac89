#!/usr/bin/env python3
"""dotin beside itself: what drop, threads, the fused engine and each of its savings gain, as Markdown tables.

Each row runs what it compares in turn, several times, in processes of their own, and takes medians of the ratios.

  DOTIN_DATA=~/data bench/own.py --dotin build/release/app/dotin
  bench/own.py --only memory --only savings --repeat 9

Data (DD.zip, NCI1.zip) is looked for in $DOTIN_DATA. Needs a quiet machine.
"""
import argparse
import json
import os
import pathlib
import random
import statistics
import subprocess
import sys
import tempfile

DD512 = "--hidden 512 --drop-ratio 0.9"


class Bench:
    def __init__(self, options, scratch):
        self.options, self.scratch = options, scratch

    def run(self, data, arguments, kind="train"):
        """The figures of one work of `dotin bench`."""
        path = data if os.sep in str(data) else os.path.join(os.environ.get("DOTIN_DATA", "."), data + ".zip")
        command = [self.options.dotin, "bench", str(path), *arguments.split(), "--json"]
        if "--threads" not in arguments:
            command += ["--threads", "1"]
        done = subprocess.run(command, capture_output=True, text=True)
        if done.returncode != 0:
            sys.exit(f"{' '.join(command)}\n{done.stderr}")
        return next(work for work in json.loads(done.stdout) if work["work"].startswith(kind))

    def in_turn(self, *runs):
        """Figures of all repetitions for each of the runs, which are (data, arguments)."""
        rows = [[self.run(*run) for run in runs] for _ in range(self.options.repeat)]
        return list(zip(*rows))


def spread(values, form="{:.2f}"):
    values = list(values)
    return f"{form.format(statistics.median(values))} ({form.format(min(values))} to {form.format(max(values))})"


def speeds(works):
    return [work["steps_per_second"] for work in works]


def faster(ours, theirs):
    return spread(a / b for a, b in zip(speeds(ours), speeds(theirs)))


def table(title, head, rows):
    print(f"\n**{title}**\n\n| {' | '.join(head)} |\n|{' --- |' * len(head)}", flush=True)
    for row in rows:
        print(f"| {' | '.join(row)} |", flush=True)


def savings(bench):
    real = bench.scratch / "real.jsonl"
    rng = random.Random(1)
    with open(real, "w") as file:
        for _ in range(100):
            nodes = rng.randint(200, 350)
            graph = {"edges": [[rng.randrange(nodes), rng.randrange(nodes)] for _ in range(2 * nodes)],
                     "x": [[round(rng.gauss(0, 1), 3) for _ in range(6)] for _ in range(nodes)], "y": rng.randint(0, 1)}
            file.write(json.dumps(graph) + "\n")

    def rows():
        for name in ["input-table", "factored-input", "linear-first", "last-layer", "pair-table"]:
            data = real if name == "factored-input" else "DD"
            with_it, without = bench.in_turn((data, f"{DD512} --quick"), (data, f"{DD512} --quick --without {name}"))
            yield name, faster(with_it, without)
    table("What a step gains by each saving", ["saving", "times faster"], rows())


def drop(bench):
    dropped, whole = bench.in_turn(("DD", f"{DD512} --steps 40 --repeat 1"),
                                   ("DD", "--hidden 512 --drop-ratio 0 --steps 10 --repeat 1"))
    table("D&D, hidden 512: drop 0.9 against no drop", ["drop 0.9, steps/s", "no drop", "times faster", "products and Adam, share of a step"],
          [(spread(speeds(dropped), "{:.0f}"), spread(speeds(whole), "{:.1f}"), faster(dropped, whole),
            spread(work["gemm_and_adam_share"] for work in dropped))])


def memory(bench):
    def rows():
        for what in ["--layers 16", "--batch 128"]:
            arguments = f"--hidden 512 {what} --steps 5 --repeat 1"
            dropped, whole = bench.in_turn(("DD", f"{arguments} --drop-ratio 0.9"), ("DD", f"{arguments} --drop-ratio 0"))
            for name, figure in [("activations", "activation_bytes"), ("all", "peak_bytes")]:
                small, large = ([work[figure] / 2**20 for work in works] for works in (dropped, whole))
                yield f"`{what}`, {name}", spread(large, "{:.0f}"), spread(small, "{:.0f}"), spread(
                    (a / b for a, b in zip(small, large)), "{:.3f}")
    table("Peak memory, D&D, hidden 512, MiB", ["", "no drop", "drop 0.9", "ratio"], rows())


def threads(bench):
    def rows():
        for name, arguments in [("drop 0.9", "--drop-ratio 0.9 --steps 20"), ("no drop", "--drop-ratio 0 --steps 5")]:
            works = bench.in_turn(("DD", f"--hidden 512 {arguments} --repeat 11 --threads 2 --scaling"))[0]
            yield name, spread(work["thread_gain"]["median"] for work in works)
    table("Two threads against one, D&D, hidden 512, medians of 11 each", ["", "times faster"], rows())


def engines(bench):
    works = [("NCI1", "--hidden 128 --drop-ratio 0.5 --steps 100 --repeat 1"), ("DD", f"{DD512} --quick")]

    def rows():
        for backbone in ["gat", "gcn", "gin", "sage"]:
            cells = [backbone]
            for data, arguments in works:
                fused, plain = bench.in_turn(*((data, f"{arguments} --backbone {backbone} --engine {engine}")
                                               for engine in ["fused", "reference"]))
                cells += [f"{statistics.median(speeds(fused)):.0f}", f"{statistics.median(speeds(plain)):.1f}", faster(fused, plain)]
            yield cells
    table("Fused engine against the reference, steps/s", ["backbone", "NCI1 fused", "reference", "ratio", "D&D fused", "reference", "ratio"], rows())


def growth(bench):
    def rows():
        for nodes, graphs in [(1000, 200), (10_000, 40), (100_000, 8), (1_000_000, 4)]:
            data = bench.scratch / f"n{nodes}.safetensors"
            subprocess.run([bench.options.dotin, "data", "generate", "random", "--nodes", str(nodes), "--degree", "5", "--graphs",
                            str(graphs), "-o", str(data)], check=True, capture_output=True)
            works = bench.in_turn((data, "--hidden 64 --drop-ratio 0.9 --batch 1 --steps 3 --repeat 3"))[0]
            yield (f"{nodes:,}", spread((1e9 / work["edges_per_second"] for work in works), "{:.0f}"),
                   spread((work["peak_bytes"] / 2**20 for work in works), "{:.0f}"))
    table("As graphs grow, hidden 64, drop 0.9, training", ["nodes of a graph", "ns per directed edge", "peak memory, MiB"], rows())


PARTS = {part.__name__: part for part in [savings, drop, memory, threads, engines, growth]}


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--dotin", default="dotin", help="the program")
    parser.add_argument("--only", action="append", choices=list(PARTS), help="may be given again; all by default")
    parser.add_argument("--repeat", type=int, default=5)
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as scratch:
        for name in options.only or PARTS:
            PARTS[name](Bench(options, pathlib.Path(scratch)))


if __name__ == "__main__":
    main()
