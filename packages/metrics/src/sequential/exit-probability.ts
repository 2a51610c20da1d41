/**
 * The chance that a comparison without any difference crosses its boundary at one of several looks.
 *
 * Test statistics at growing information are a Brownian motion seen at times t1 < t2 < …: the score
 * at look k is z·√t. What has not crossed has a density on (−b, b), which each look smears with a
 * normal kernel and cuts off at the next boundary (Armitage, McPherson and Rowe 1969). The density
 * is even, so half of it is kept, at the nodes of a Clenshaw-Curtis rule: kernel and density are
 * smooth on the whole stretch, and such a rule then gains digits with every node instead of with
 * the square or fourth power of their number.
 *
 * Source: Jennison and Turnbull 2000, Group Sequential Methods, ch. 19.
 */
import { normalSf } from '../special/normal.ts'

const SQRT_TWO_PI = 2.5066282746310007

/** Beyond ten standard deviations lies less than 1e-22. */
const FURTHEST = 10

/** Nodes of the rule per standard deviation of the smearing, and at least; more change no digit. */
const NODES_PER_SD = 4
const LEAST_NODES = 20

/** Nodes and weights on [0, length], an even number of steps. */
function clenshawCurtis(
  steps: number,
  length: number,
): { nodes: Float64Array; weights: Float64Array } {
  const nodes = new Float64Array(steps + 1)
  const weights = new Float64Array(steps + 1)
  for (let j = 0; j <= steps; j++) {
    nodes[j] = (length * (1 - Math.cos((Math.PI * j) / steps))) / 2
    let sum = 1
    for (let k = 1; k <= steps / 2; k++) {
      const term = (2 * Math.cos((2 * Math.PI * j * k) / steps)) / (1 - 4 * k * k)
      sum += k === steps / 2 ? term / 2 : term
    }
    weights[j] = ((j === 0 || j === steps ? 1 : 2) * sum * length) / (2 * steps)
  }
  return { nodes, weights }
}

/** The part of the paths that has crossed no boundary yet. */
export interface Survivors {
  readonly time: number
  /**
   * Density at the nodes times their weights: half of the paths, the others are their mirror image.
   */
  readonly nodes: Float64Array
  readonly masses: Float64Array
}

/** Before the first look all paths are at 0. */
export const START: Survivors = {
  time: 0,
  nodes: Float64Array.of(0),
  masses: Float64Array.of(0.5),
}

/** The chance to be a survivor and then to cross z at the look at `time`, on either side. */
export function exitProbability(
  { time: before, nodes, masses }: Survivors,
  time: number,
  z: number,
): number {
  const boundary = z * Math.sqrt(time)
  const sd = Math.sqrt(time - before)
  let sum = 0
  for (const [i, mass] of masses.entries()) {
    const at = nodes[i] as number
    sum += mass * (normalSf((boundary - at) / sd) + normalSf((boundary + at) / sd))
  }
  return 2 * sum
}

/** e^(−x²/2), without the exponential where it would add nothing. */
const bell = (x: number): number => (Math.abs(x) > FURTHEST ? 0 : Math.exp(-0.5 * x * x))

/**
 * Those who have not crossed z at the look at `time` either; `next` is the time of the look after
 * it.
 */
export function survivorsOf(
  survivors: Survivors,
  time: number,
  z: number,
  next: number,
): Survivors {
  const sd = Math.sqrt(time - survivors.time)
  const reach = Math.min(z, FURTHEST) * Math.sqrt(time)
  const finest = Math.min(sd, Math.sqrt(next - time))
  const steps = 2 * Math.ceil((LEAST_NODES + (NODES_PER_SD * reach) / finest) / 2)
  const { nodes, weights } = clenshawCurtis(steps, reach)
  const masses = new Float64Array(nodes.length)
  for (const [j, x] of nodes.entries()) {
    let density = 0
    for (const [i, mass] of survivors.masses.entries()) {
      const from = survivors.nodes[i] as number
      density += mass * (bell((x - from) / sd) + bell((x + from) / sd))
    }
    masses[j] = ((weights[j] as number) * density) / (sd * SQRT_TWO_PI)
  }
  return { time, nodes, masses }
}
