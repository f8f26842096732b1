import { type ConnectorFile, certificateOf, formMethod } from '@carabiner/contract'
import { type Problem, problem } from './connector-problem.ts'
import { enteredNames, unknownNames } from './template-rules.ts'

export const identityProblems = (file: ConnectorFile): Problem[] => [
  ...accountProblems(file),
  ...endProblems(file),
]

/** An account is named after what the user has entered and may be shown. */
const accountProblems = (file: ConnectorFile): Problem[] => {
  const templates = [file.identity?.account ?? []].flat().filter(place => place.includes('{'))
  const fields = formMethod(file)?.fields ?? []
  const shown = fields.filter(field => !field.secret && !certificateOf(field)).map(({ name }) => name)
  return unknownNames(templates, new Set([...shown, ...enteredNames(file)]), ['identity', 'account'])
}

const endProblems = (file: ConnectorFile): Problem[] => {
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
