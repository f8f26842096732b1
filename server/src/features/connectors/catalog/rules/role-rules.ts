import { type ConnectorTool, needsRole } from '@carabiner/contract'
import { type Problem, problem, type Step } from './connector-problem.ts'

/** A tool that writes states the role of each argument, if need be that it has none, so that no recipient is forgotten. */
export const roleProblems = (
  { input_schema: schema, read_only: isReadOnly, roles = {} }: ConnectorTool,
  path: Step[],
): Problem[] => {
  const properties: Record<string, unknown> = Object(schema.properties)
  const unknown = Object.keys(roles).filter(name => !Object.hasOwn(properties, name))
  const missing = Object.keys(properties).filter(
    name => !isReadOnly && needsRole(properties[name]) && !Object.hasOwn(roles, name),
  )
  return [
    ...unknown.map(name => problem([...path, 'roles', name], 'is not an argument of the tool')),
    ...(missing.length === 0
      ? []
      : [
          problem(
            [...path, 'roles'],
            `must contain ${missing.join(', ')}, because the tool writes; none for an argument without a role`,
          ),
        ]),
  ]
}
