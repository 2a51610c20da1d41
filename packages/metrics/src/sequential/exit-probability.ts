/**
 * The probability of a false alarm if a comparison is checked at several looks (interim analyses). A false alarm means
 * that the comparison of two equal subjects crosses its boundary at one of the looks.
 *
 * The comparison has a test statistic z, and t is the amount of data so far. As data arrive, the score z·√t behaves
 * like a Brownian motion that is observed at times t1 < t2 < …. A path is one possible course of the score. The paths
 * that have not crossed a boundary b yet have a density on (−b, b). From one look to the next, the density is convolved
 * with a normal kernel and then cut off at the next boundary (Armitage, McPherson and Rowe 1969). The density is
 * symmetric about 0, so only the positive half is stored. It is stored at the nodes of a Clenshaw-Curtis rule, for
 * which few nodes are enough, because kernel and density are smooth.
 *
 * Source: Jennison and Turnbull 2000, Group Sequential Methods, ch. 19.
 */
import { normalSf } from '../special/normal.ts'

const SQRT_TWO_PI = 2.5066282746310007

/**
 * Points further than this from the centre, in standard deviations, are ignored, because their
 * probability is below 1e-22.
 */
const FURTHEST = 10

/**
 * The number of nodes per standard deviation of the kernel, and the smallest number of nodes. More
 * nodes would not change any digit.
 */
const NODES_PER_SD = 4
const LEAST_NODES = 20

/**
 * Returns the nodes and weights of the Clenshaw-Curtis rule on [0, length]. An integral is
 * approximated by the weighted sum of the function at the nodes. `steps` must be even.
 */
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

/** The distribution of the paths that have crossed no boundary up to the look at `time`. */
export interface Survivors {
  readonly time: number
  /**
   * `masses` is the density at the nodes times the weights of the rule. It covers the positive half
   * of the paths. The negative half is the mirror image.
   */
  readonly nodes: Float64Array
  readonly masses: Float64Array
}

/** The distribution before the first look: all paths are at 0. */
export const START: Survivors = {
  time: 0,
  nodes: Float64Array.of(0),
  masses: Float64Array.of(0.5),
}

/**
 * Returns the probability that a path is among the survivors and then crosses z or −z at the look
 * at `time`.
 */
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

/** Returns e^(−x²/2). Where this is negligible, it returns 0, which saves computing the exponential. */
const bell = (x: number): number => (Math.abs(x) > FURTHEST ? 0 : Math.exp(-0.5 * x * x))

/**
 * Returns the survivors that do not cross z or −z at the look at `time` either. `next` is the time
 * of the following look, which decides how many nodes are needed.
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
