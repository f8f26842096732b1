import { type ConnectorFile, formMethod } from '@carabiner/contract'
import { type Problem, problem } from './connector-problem.ts'

export const identityProblems = (file: ConnectorFile): Problem[] => {
  const end = file.identity?.ends_at
  if (!end) return []
  const path = ['identity', 'ends_at']
  const type = formMethod(file)?.type
  return [
    ...((end.at === undefined) === (end.header === undefined)
      ? [problem(path, 'must contain either at or header')]
      : []),
    ...(type === undefined || type === 'token_request'
      ? [problem(path, 'is only read for keys that a user enters, and no method has one')]
      : []),
  ]
}
