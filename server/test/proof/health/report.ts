import { readScenarios } from './scenario.ts'
import { type SimulationResult, simulate } from './simulate.ts'

/** Simulates all scenarios. Returns what must not have happened. */
export const proveHealth = (
  { seed, scale }: { seed: number; scale: number },
  onResult: (result: SimulationResult) => void = () => undefined,
): string[] => {
  const results = readScenarios().map(scenario => {
    const result = simulate(scenario, { seed, scale })
    onResult(result)
    return result
  })
  return [...results.flatMap(problemsOf), ...missingWarnings(results)]
}

const WANTED_RECALL = 0.95

/** The share of the foreseeable ends that were announced a day ahead. */
export const recallOf = (results: Pick<SimulationResult, 'foreseeable' | 'foreseen'>[]): number => {
  const total = (of: 'foreseeable' | 'foreseen') => results.reduce((sum, result) => sum + result[of], 0)
  return total('foreseen') / total('foreseeable')
}

const missingWarnings = (results: SimulationResult[]): string[] => {
  const recall = recallOf(results)
  return recall >= WANTED_RECALL ? [] : [`only ${recall.toFixed(3)} of the foreseeable ends were announced`]
}

const problemsOf = ({ name, healthyEnded, missed }: SimulationResult): string[] => [
  ...(healthyEnded > 0 ? [`${name}: ${healthyEnded} healthy credentials were ended`] : []),
  ...(missed > 0 ? [`${name}: ${missed} ended credentials were not noticed`] : []),
]
