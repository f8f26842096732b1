import type { ConnectorTool } from '@carabiner/contract'
import { namesIn } from '../../../upstream/templates/template.ts'
import { type Problem, problem, type Step } from './connector-problem.ts'
import { patternProblems } from './template-rules.ts'

/** The service sets the position of a page, so neither the arguments nor the query of the tool do. */
export const paginationProblems = (
  { input_schema: schema, request: { query = {} }, pagination }: ConnectorTool,
  path: Step[],
): Problem[] => {
  if (!pagination) return []
  const problems: Problem[] = []
  if (Object.hasOwn(Object(schema.properties), 'cursor'))
    problems.push(
      problem(
        [...path, 'input_schema', 'properties', 'cursor'],
        'is added by the service for paginated tools; remove it',
      ),
    )
  if ('parameter' in pagination && (query[pagination.parameter] ?? '{cursor}') !== '{cursor}')
    problems.push(
      problem([...path, 'request', 'query', pagination.parameter], 'is set by pagination; remove it'),
    )
  return pagination.type === 'continuation'
    ? [...problems, ...continuationProblems(pagination, [...path, 'pagination'])]
    : problems
}

type Continuation = Extract<NonNullable<ConnectorTool['pagination']>, { type: 'continuation' }>

const continuationProblems = ({ url, body, pattern }: Continuation, path: Step[]): Problem[] => [
  ...(namesIn([url, body]).includes('cursor') ? [] : [problem(path, '{cursor} must be part of url or body')]),
  ...patternProblems(pattern, [...path, 'pattern']),
]
