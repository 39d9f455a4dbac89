#!/usr/bin/env python3
"""The work of `dotin bench` in PyTorch Geometric, for comparison: training or predicting on one TU zip.

Prints one JSON object with the keys of `dotin bench --json`. Needs torch and torch_geometric (any version with TopKPooling).
compare.py runs this beside dotin; alone it is good for profiling:

  bench/peers/pyg.py DD.zip --conv gat --pool topk --hidden 512 --drop-ratio 0.9
"""
import argparse
import json
import random
import resource
import time
import zipfile

import numpy
import torch
import torch_geometric
from torch.nn import functional
from torch_geometric.data import Batch, Data
from torch_geometric.loader import DataLoader
from torch_geometric.nn import (GATConv, GCNConv, SAGPooling, Set2Set, TopKPooling, TransformerConv, global_add_pool,
                                global_max_pool, global_mean_pool, global_sort_pool)
from torch_geometric.utils import dropout_edge, dropout_node

CONVS = {
    "gat": lambda width: GATConv(width, width),
    "transformer": lambda width: TransformerConv(width, width),
    "gcn": lambda width: GCNConv(width, width),
}
POOLS = {
    "topk": lambda width, ratio: TopKPooling(width, ratio=ratio),
    "sag": lambda width, ratio: SAGPooling(width, ratio=ratio),
}
SORT_POOL_NODES = 30
DROP_GNN_RUNS, DROP_GNN_P = 8, 0.1
DROP_EDGE_P = 0.2


def read_graphs(path):
    """Graphs of a TU zip with node labels (one-hot), attributes or both."""
    archive = zipfile.ZipFile(path)
    entries = {name.rsplit("/", 1)[-1].split("_", 1)[-1]: name for name in archive.namelist()}

    def column(name):
        return numpy.loadtxt(archive.open(entries[name]), delimiter=",", ndmin=2)

    graph_of = column("graph_indicator.txt")[:, 0].astype(int) - 1
    edges = column("A.txt").astype(int) - 1
    _, labels = numpy.unique(column("graph_labels.txt")[:, 0], return_inverse=True)
    features = []
    if "node_attributes.txt" in entries:
        features.append(column("node_attributes.txt"))
    if "node_labels.txt" in entries:
        _, codes = numpy.unique(column("node_labels.txt")[:, 0], return_inverse=True)
        features.append(numpy.eye(codes.max() + 1)[codes])
    x = torch.tensor(numpy.concatenate(features, axis=1), dtype=torch.float)
    first = numpy.searchsorted(graph_of, numpy.arange(len(labels) + 1))
    edges = edges[numpy.argsort(graph_of[edges[:, 0]], kind="stable")]
    first_edge = numpy.searchsorted(graph_of[edges[:, 0]], numpy.arange(len(labels) + 1))
    graphs = []
    for g, label in enumerate(labels):
        own = edges[first_edge[g]:first_edge[g + 1]] - first[g]
        graphs.append(Data(x=x[first[g]:first[g + 1]], edge_index=torch.tensor(own.T.copy()), y=int(label)))
    return graphs, int(labels.max()) + 1


def substituted(graph, count):
    """The graph with some undirected edges replaced by random ones, as the triplets of a GED task are made."""
    forward = graph.edge_index[:, graph.edge_index[0] < graph.edge_index[1]]
    if forward.size(1) == 0:
        return graph
    forward = forward[:, torch.randperm(forward.size(1))[count:]]
    added = torch.randint(graph.num_nodes, (2, count))
    forward = torch.cat([forward, added], dim=1)
    return Data(x=graph.x, edge_index=torch.cat([forward, forward.flip(0)], dim=1), y=graph.y)


class Net(torch.nn.Module):
    def __init__(self, inputs, outputs, options):
        super().__init__()
        width = options.hidden
        self.input = torch.nn.Linear(inputs, width, bias=False)
        self.convs = torch.nn.ModuleList(CONVS[options.conv](width) for _ in range(options.layers))
        pools = options.layers - 1 if options.pool in POOLS else 0
        self.pools = torch.nn.ModuleList(POOLS[options.pool](width, 1 - options.drop_ratio) for _ in range(pools))
        self.read = options.pool
        read_width = width
        if options.pool == "set2set":
            self.set2set, read_width = Set2Set(width, 3), 2 * width
        if options.pool == "sort":
            read_width = SORT_POOL_NODES * width
        if options.pool == "sag-global":
            rows = width * options.layers
            self.sag, read_width = SAGPooling(rows, ratio=1 - options.drop_ratio), 2 * rows
        self.head = torch.nn.Linear(read_width, outputs)

    def forward(self, batch):
        x, edges, graph_of = batch.x, batch.edge_index, batch.batch
        if self.read == "drop-gnn":
            return self.head(self.mean_of_runs(x, edges, graph_of, batch.num_graphs))
        if self.read == "drop-edge":
            edges, _ = dropout_edge(edges, p=DROP_EDGE_P, training=self.training)
        layers, edges, graph_of = self.layers(x, edges, graph_of)
        x = layers[-1]
        if self.read == "set2set":
            return self.head(self.set2set(x, graph_of))
        if self.read == "sort":
            return self.head(global_sort_pool(x, graph_of, SORT_POOL_NODES))
        if self.read == "sag-global":
            x, _, _, graph_of, _, _ = self.sag(torch.cat(layers, dim=1), edges, batch=graph_of)
            return self.head(torch.cat([global_mean_pool(x, graph_of), global_max_pool(x, graph_of)], dim=1))
        return self.head(global_mean_pool(x, graph_of))

    def layers(self, x, edges, graph_of):
        rows, x = [], self.input(x)
        for layer, conv in enumerate(self.convs):
            x = functional.elu(conv(x, edges))
            if layer < len(self.pools):
                x, edges, _, graph_of, _, _ = self.pools[layer](x, edges, batch=graph_of)
            rows.append(x)
        return rows, edges, graph_of

    def mean_of_runs(self, x, edges, graph_of, graphs):
        """All runs are one batch of so many copies, each of which loses nodes of its own."""
        copies = torch.arange(DROP_GNN_RUNS)
        edges = (edges.unsqueeze(1) + copies.view(1, -1, 1) * x.size(0)).flatten(1)
        graph_of = (graph_of + copies.view(-1, 1) * graphs).flatten()
        x = x.repeat(DROP_GNN_RUNS, 1)
        edges, _, stays = dropout_node(edges, p=DROP_GNN_P, num_nodes=x.size(0))
        layers, _, _ = self.layers(x, edges, graph_of)
        read = global_add_pool(layers[-1] * stays.view(-1, 1), graph_of, size=graphs * DROP_GNN_RUNS)
        return read.view(DROP_GNN_RUNS, graphs, -1).mean(0)


def resident_bytes():
    with open("/proc/self/statm") as file:
        return int(file.read().split()[1]) * resource.getpagesize()


def peak_resident_bytes():
    with open("/proc/self/status") as file:
        return next(int(line.split()[1]) * 1024 for line in file if line.startswith("VmHWM"))


def reset_peak():
    with open("/proc/self/clear_refs", "w") as file:
        file.write("5")


def endless(loader):
    while True:
        yield from loader


def batches(graphs, options):
    if not options.ged:
        return endless(DataLoader(graphs, batch_size=options.batch, shuffle=True))
    # Triplets are made before the clock runs.
    triplets = [[graph, substituted(graph, 1), substituted(graph, 2)] for graph in graphs]

    def generate():
        while True:
            chosen = random.sample(triplets, options.batch)
            yield Batch.from_data_list([graph for place in range(3) for graph in (t[place] for t in chosen)])

    return generate()


def loss_of(net, batch, options):
    output = net(batch)
    if not options.ged:
        return functional.cross_entropy(output, batch.y)
    anchor, near, far = output.chunk(3)
    closer, farther = ((anchor - near) ** 2).sum(1), ((anchor - far) ** 2).sum(1)
    return functional.relu(closer - farther + 1).mean()


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("data")
    parser.add_argument("--conv", choices=CONVS, default="gat")
    parser.add_argument("--pool", choices=["none", *POOLS, "set2set", "sort", "sag-global", "drop-gnn", "drop-edge"],
                        default="topk")
    parser.add_argument("--hidden", type=int, default=64)
    parser.add_argument("--layers", type=int, default=3)
    parser.add_argument("--batch", type=int, default=8)
    parser.add_argument("--drop-ratio", type=float, default=0.5)
    parser.add_argument("--steps", type=int, default=20)
    parser.add_argument("--threads", type=int, default=1)
    parser.add_argument("--ged", action="store_true", help="triplets instead of classes")
    parser.add_argument("--predict", action="store_true", help="no training")
    options = parser.parse_args()
    torch.set_num_threads(options.threads)
    torch.manual_seed(0)
    random.seed(0)

    graphs, classes = read_graphs(options.data)
    source = batches(graphs, options)
    reset_peak()
    before = resident_bytes()
    net = Net(graphs[0].x.size(1), options.hidden if options.ged else classes, options)
    optimizer = torch.optim.Adam(net.parameters(), lr=1e-3, weight_decay=8e-4)
    net.train(not options.predict)

    def step():
        batch = next(source)
        if options.predict:
            with torch.no_grad():
                net(batch)
        else:
            optimizer.zero_grad()
            loss_of(net, batch, options).backward()
            optimizer.step()

    for _ in range(3):
        step()
    start = time.perf_counter()
    for _ in range(options.steps):
        step()
    seconds = (time.perf_counter() - start) / options.steps
    print(json.dumps({
        "work": f"PyG {options.conv} {options.pool}",
        "versions": {"torch": torch.__version__, "torch_geometric": torch_geometric.__version__},
        "steps_per_second": 1 / seconds,
        "graphs_per_second": options.batch / seconds,
        "peak_bytes": peak_resident_bytes() - before,
    }))


if __name__ == "__main__":
    main()
