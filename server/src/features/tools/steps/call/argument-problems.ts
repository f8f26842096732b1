import type { ArgumentProblem } from '@carabiner/contract'
import { Refusal } from '../../../../core/refusal.ts'
import type { ToolChoice } from '../../../connectors/catalog/tool-choice.ts'
import type { SchemaIssue } from '../../../upstream/json-schema/check.ts'

/** Names may come from the caller, in any length. */
const MAX_PATH = 200

/** The refusal of arguments with all their problems. Inputs that the pack sets are not named, because the model does not see them. */
export const refuseArguments = (
  issues: readonly SchemaIssue[],
  { inputs = {} }: Pick<ToolChoice, 'inputs'>,
): Refusal => {
  const isVisible = (name: string): boolean => !Object.hasOwn(inputs, name)
  const problems = issues.map(issue => problemOf(issue, isVisible))
  const [first] = problems
  return new Refusal('invalid_arguments', {
    param: first?.path ?? 'arguments',
    message: describe(problems),
    errors: problems,
  })
}

const problemOf = (
  { path, name, message, allowed, fields }: SchemaIssue,
  isVisible: (name: string) => boolean,
): ArgumentProblem => {
  const at = [...path, ...(name === undefined ? [] : [name])].join('/') || 'arguments'
  const known = path.length === 0 ? fields?.filter(isVisible) : fields
  return {
    path: at.length > MAX_PATH ? `${at.slice(0, MAX_PATH - 1).toWellFormed()}…` : at,
    message,
    ...(allowed && { allowed_values: allowed }),
    ...(known && { known_fields: known }),
  }
}

const describe = (problems: ArgumentProblem[]): string => {
  const sentences = problems.map(problem => `"${problem.path}" ${problem.message}${describeFields(problem)}.`)
  return sentences.length === 1
    ? (sentences[0] as string)
    : `${sentences.length} problems: ${sentences.join(' ')}`
}

const MAX_LISTED = 10

/** The fields of a union are part of its message. */
const describeFields = ({ message, known_fields: known = [] }: ArgumentProblem): string => {
  if (!message.startsWith('is not ')) return ''
  if (known.length === 0) return ' (there are none)'
  const more = known.length > MAX_LISTED ? ' and others' : ''
  return ` (known: ${known.slice(0, MAX_LISTED).join(', ')}${more})`
}
