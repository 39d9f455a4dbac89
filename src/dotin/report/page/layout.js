// Where the nodes of a drawing lie. Classical scaling of distances to a few pivots (Brandes & Pich 2007) unfolds a graph
// of thousands of nodes in milliseconds; a bounded number of force steps then separates what it left on top of each
// other. Everything is deterministic: the same graph is always drawn alike.
dotin.layout = (() => {
  const LINK = 30;
  const PIVOTS = 40;
  const POWER_STEPS = 60;

  const components = (neighbours) => {
    const seen = new Uint8Array(neighbours.length);
    const result = [];
    for (let start = 0; start < neighbours.length; ++start) {
      if (seen[start]) continue;
      const members = [start];
      seen[start] = 1;
      for (let at = 0; at < members.length; ++at) {
        for (const next of neighbours[members[at]]) {
          if (!seen[next]) { seen[next] = 1; members.push(next); }
        }
      }
      result.push(members);
    }
    return result;
  };

  /** Steps from `start` to every member; place maps a node to its position among the members. */
  const distancesFrom = (start, members, place, neighbours) => {
    const distance = new Float64Array(members.length).fill(-1);
    distance[place[start]] = 0;
    const queue = [start];
    for (let at = 0; at < queue.length; ++at) {
      for (const next of neighbours[queue[at]]) {
        if (distance[place[next]] < 0) {
          distance[place[next]] = distance[place[queue[at]]] + 1;
          queue.push(next);
        }
      }
    }
    return distance;
  };

  /** One column per pivot: squared distances, centred in both directions. Each pivot is as far as can be from the last. */
  const centredDistances = (members, place, neighbours) => {
    const columns = [];
    const nearest = new Float64Array(members.length).fill(Infinity);
    let pivot = members[0];
    for (let p = 0; p < Math.min(PIVOTS, members.length); ++p) {
      const column = distancesFrom(pivot, members, place, neighbours);
      let farthest = 0;
      column.forEach((distance, i) => {
        nearest[i] = Math.min(nearest[i], distance);
        if (nearest[i] > nearest[farthest]) farthest = i;
      });
      columns.push(column.map((distance) => distance * distance));
      pivot = members[farthest];
    }
    const rowMeans = new Float64Array(members.length);
    for (const column of columns) column.forEach((value, i) => { rowMeans[i] += value / columns.length; });
    const mean = d3.mean(rowMeans);
    return columns.map((column) => {
      const columnMean = d3.mean(column);
      return column.map((value, i) => -0.5 * (value - rowMeans[i] - columnMean + mean));
    });
  };

  const dot = (a, b) => { let sum = 0; for (let i = 0; i < a.length; ++i) sum += a[i] * b[i]; return sum; };

  /** Coordinates along the two directions in which the columns vary most. */
  const principalAxes = (columns) => {
    const products = columns.map((a) => columns.map((b) => dot(a, b)));
    const found = [];
    return [0, 1].map((axis) => {
      let vector = columns.map((_, i) => Math.sin(1 + i * (axis + 1)));
      for (let step = 0; step < POWER_STEPS; ++step) {
        for (const other of found) {
          const share = dot(vector, other);
          vector = vector.map((value, i) => value - share * other[i]);
        }
        vector = products.map((row) => dot(row, vector));
        const length = Math.sqrt(dot(vector, vector)) || 1;
        vector = vector.map((value) => value / length);
      }
      found.push(vector);
      return Float64Array.from({ length: columns[0].length }, (_, i) =>
        columns.reduce((sum, column, c) => sum + column[i] * vector[c], 0));
    });
  };

  const arrange = (members, place, neighbours) => {
    if (members.length === 1) return [{ x: 0, y: 0 }];
    const [xs, ys] = principalAxes(centredDistances(members, place, neighbours));
    const links = [];
    members.forEach((node, source) => {
      for (const next of neighbours[node]) if (node < next) links.push({ source, target: place[next] });
    });
    const meanLength = d3.mean(links, ({ source, target }) => Math.hypot(xs[source] - xs[target], ys[source] - ys[target]));
    const scale = meanLength > 0 ? LINK / meanLength : 1;
    // Nodes that look the same from every pivot lie in one place: a little spiral gives the forces a direction.
    const points = members.map((_, i) => ({
      x: xs[i] * scale + Math.cos(i * 2.4) * LINK / 8, y: ys[i] * scale + Math.sin(i * 2.4) * LINK / 8 }));
    const steps = Math.round(Math.min(160, Math.max(12, 45000 / members.length)));
    d3.forceSimulation(points)
      .alpha(0.6).alphaDecay(1 - Math.pow(0.05, 1 / steps)).stop()
      .force("link", d3.forceLink(links).distance(LINK).iterations(members.length > 2000 ? 1 : 2))
      .force("charge", d3.forceManyBody().strength(-60).distanceMax(12 * LINK))
      .tick(steps);
    return points;
  };

  /** [{x, y}] per node; an edge is about 30 long. */
  return (nodes, edges) => {
    const neighbours = Array.from({ length: nodes }, () => []);
    for (const [u, v] of edges) { neighbours[u].push(v); neighbours[v].push(u); }
    const positions = new Array(nodes);
    const place = new Int32Array(nodes);
    const parts = components(neighbours).map((members) => {
      members.forEach((node, i) => { place[node] = i; });
      const points = arrange(members, place, neighbours);
      const [left, right] = d3.extent(points, (point) => point.x);
      const [top, bottom] = d3.extent(points, (point) => point.y);
      const centre = { x: (left + right) / 2, y: (top + bottom) / 2 };
      const r = d3.max(points, (point) => Math.hypot(point.x - centre.x, point.y - centre.y)) + LINK / 2;
      return { members, points, centre, r };
    });
    // Parts that no edge joins stand side by side.
    d3.packSiblings(parts.sort((a, b) => b.r - a.r));
    for (const { members, points, centre, x, y } of parts) {
      members.forEach((node, i) => { positions[node] = { x: points[i].x - centre.x + x, y: points[i].y - centre.y + y }; });
    }
    return positions;
  };
})();
