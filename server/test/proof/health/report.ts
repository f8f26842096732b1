import { readScenarios } from './scenario.ts'
import { type SimulationResult, simulate } from './simulate.ts'

/** Simulates all scenarios. Returns what must not have happened. */
export const proveHealth = (
  { seed, scale }: { seed: number; scale: number },
  onResult: (result: SimulationResult) => void = () => undefined,
): string[] =>
  readScenarios().flatMap(scenario => {
    const result = simulate(scenario, { seed, scale })
    onResult(result)
    return problemsOf(result)
  })

const problemsOf = ({ name, healthyEnded, missed }: SimulationResult): string[] => [
  ...(healthyEnded > 0 ? [`${name}: ${healthyEnded} healthy credentials were ended`] : []),
  ...(missed > 0 ? [`${name}: ${missed} ended credentials were not noticed`] : []),
]
