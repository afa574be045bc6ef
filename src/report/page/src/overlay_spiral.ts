// Where the servers of an overlay stand: on an Archimedean spiral, the centre in its middle, every server one step after
// the one that ranks before it. So the distance from the middle is the rank, and as a gradient view names those who rank
// just above, a view that has found them is a bundle of short edges; others run across.

export interface Places {
  /** In steps of the spiral from the middle, by server. */
  x: Float64Array;
  y: Float64Array;
}

// Turns and steps are both one apart: up to radius ρ a spiral ρ = θ/2π is about πρ² long. The offset puts the second seat
// a step away from the middle too.
const offset = 1.8;
const radius = (rank: number): number => rank === 0 ? 0 : Math.sqrt((rank + offset) / Math.PI);

/** How far out the last of this many servers stands, with half a step around it. */
export function spiralRadius(servers: number): number {
  return radius(servers - 1) + 0.5;
}

export function spiralPlaces(rank: Int32Array): Places {
  const [x, y] = [new Float64Array(rank.length), new Float64Array(rank.length)];
  rank.forEach((seat, server) => {
    const from_middle = radius(seat);
    const angle = 2 * Math.PI * from_middle - Math.PI / 2;
    x[server] = from_middle * Math.cos(angle);
    y[server] = from_middle * Math.sin(angle);
  });
  return {x, y};
}

/** On the way from one to the other; `part` of it is done. */
export function between(from: Places, to: Places, part: number): Places {
  const mixed = (a: Float64Array, b: Float64Array): Float64Array => b.map((value, at) => a[at]! + (value - a[at]!) * part);
  return part >= 1 ? to : {x: mixed(from.x, to.x), y: mixed(from.y, to.y)};
}
