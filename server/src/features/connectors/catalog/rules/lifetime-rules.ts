import type { ConnectorFile, Lifetime } from '@carabiner/contract'
import { type Problem, problem, type Step } from './connector-problem.ts'

export const lifetimeProblems = ({ authorization }: ConnectorFile): Problem[] =>
  authorization.flatMap(({ type, lifetime }, index) =>
    lifetime ? problemsOf(lifetime, type === 'oauth2', ['authorization', index, 'lifetime']) : [],
  )

const problemsOf = (lifetime: Lifetime, isOAuth: boolean, path: Step[]): Problem[] => {
  const { idle_days, max_days, test_mode_days, rotate_days, password_change } = lifetime
  const limits = { idle_days, test_mode_days, rotate_days }
  const problems = Object.entries(limits).flatMap(([name, days]) =>
    days !== undefined && max_days !== undefined && days >= max_days
      ? [problem([...path, name], 'must be less than max_days, or it never applies')]
      : [],
  )
  if (Object.values({ ...limits, max_days, password_change }).every(rule => !rule))
    problems.push(problem(path, 'must state what ends a credential'))
  if (test_mode_days !== undefined && !isOAuth)
    problems.push(problem([...path, 'test_mode_days'], 'is only allowed for oauth2'))
  if (rotate_days !== undefined && isOAuth)
    problems.push(problem([...path, 'rotate_days'], 'is only allowed for keys'))
  return problems
}
