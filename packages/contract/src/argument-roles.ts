import { type Static, Type } from 'typebox'

/** What an argument means to the person who approves a call. */
export const argumentRoles = ['recipient', 'amount', 'target', 'text', 'file'] as const
export type ArgumentRole = (typeof argumentRoles)[number]

const MEANING =
  '`recipient`: who receives something or gets access. `amount`: money, or a quantity that matters. `target`: what is acted on, such as a channel, an issue, a file, a record, a calendar or a repository. `text`: words that are sent or stored and that change neither who receives them nor what is acted on. `file`: contents of a file.'

/** In a connector file. */
export const DeclaredRoles = Type.Record(Type.String(), Type.Enum([...argumentRoles, 'none']), {
  description: `Roles of arguments, by name. A tool that writes lists all its arguments; booleans and enumerations may be omitted. ${MEANING} \`none\`: none of these.`,
})
export type DeclaredRoles = Static<typeof DeclaredRoles>

/** In the API: arguments without a role are omitted. */
export const ArgumentRoles = Type.Record(Type.String(), Type.Enum(argumentRoles), {
  description: `Roles of the arguments, from the connector file; arguments without a role are omitted. Empty for tools of MCP servers and raw requests. ${MEANING}`,
})
export type ArgumentRoles = Static<typeof ArgumentRoles>

/** Whether a tool that writes must state the role of an argument with this schema. Booleans and enumerations need none. */
export const needsRole = (schema: unknown): boolean => {
  const { type, items, enum: values, const: constant } = Object(schema)
  if (type === 'array') return needsRole(items)
  return type !== 'boolean' && values === undefined && constant === undefined
}
