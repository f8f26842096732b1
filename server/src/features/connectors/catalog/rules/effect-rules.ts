import type { ConnectorTool } from '@carabiner/contract'
import { type Problem, problem, type Step } from './connector-problem.ts'

/** A tool that writes states its effects, if need be that there are none, so that none is forgotten. */
export const effectProblems = ({ read_only: readOnly, effects }: ConnectorTool, path: Step[]): Problem[] => {
  if (readOnly)
    return effects === undefined
      ? []
      : [problem([...path, 'effects'], 'must not be set for a read-only tool')]
  return effects === undefined
    ? [problem(path, 'must have effects, because it is not read-only; [] if it has none of them')]
    : []
}
