import { type Static, type TObject, type TSchema, Type } from 'typebox'
import type { ErrorCode } from '../errors.ts'
import type { NeededGroup } from '../key-groups.ts'
import type { Permission } from '../permissions.ts'

export const TAGS = {
  Organization: 'The organization, its API keys and its callback origins.',
  Members: 'The people who use the dashboard.',
  'Link customization': 'The appearance and texts of Link pages.',
  Connectors: 'The connectors that can be used.',
  'Custom connectors': 'MCP servers that are added as connectors.',
  'OAuth apps': 'The OAuth app that a connector uses.',
  'Tool Packs': 'Selections of connectors and tools for agents.',
  Policies: 'Rules that decide which calls may run.',
  Approvals: 'Calls that wait for the decision of a person.',
  'Security Gateway': 'Rules for what tool calls send and receive, and what they found.',
  'Registered Users': 'The users of your application.',
  Credentials: 'The accounts that Registered Users have connected.',
  Linking: 'Link tokens, authorization codes and Link sessions.',
  'MCP keys': 'Keys for a Registered User’s own MCP clients.',
  'Sign-in': 'How users sign in with their own MCP clients, and the clients that they have allowed.',
  Explain: 'Whether a tool call would run, and if not, why.',
  'Audit trail': 'Changes, who made them and when.',
  'Tool calls': 'Calls of tools, and their records.',
  Usage: 'Counts of tool calls and the billing cycle.',
  Events: 'What has happened, as a list and as a stream.',
  Webhooks: 'Endpoints that receive events, and deliveries to them.',
} as const
export type Tag = keyof typeof TAGS

export type Method = 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE'

/** Location of a value in a request or its response. */
export type ValuePath = `params.${string}` | `body.${string}` | `response.${string}`

/** What the audit trail records about a request that changes something. */
export type Audited = {
  /** Such as `tool_pack.updated`. The noun before the dot is the type of the target. */
  action: string
  /** Action to record instead, by response status. */
  actionOn?: Readonly<Record<number, string>>
  /** Location of the target's ID. */
  target?: ValuePath
  /**
   * Fields whose values are recorded, or their paths (`provider.issuer`). For all other fields only the name is recorded. Never secrets or
   * data of end users.
   */
  values?: readonly string[]
}

/** A tool of the management MCP server that makes this request with the caller's own credentials. */
export type ManagementTool = {
  name: string
  /** `write` tools are offered only at `?access=write`. */
  access: 'read' | 'write'
  /** Aliases in the request that would only confuse a model. */
  hiddenArguments?: readonly string[]
  /** Fields of the response that a model does not need. */
  hiddenFields?: readonly string[]
  /** A field of the items of a list that contains a URL, or its path (`hook.url`). The model receives its origin only, because the rest is often secret. */
  shortenedUrl?: string
  /** The request calls a provider. */
  callsProvider?: true
}

/** One operation of the API. Everything that describes it is derived from this declaration. */
export type OperationDeclaration = {
  /** Method and path under `/api/v1`. */
  route: `${Method} /${string}`
  /** One line of help. */
  summary: string
  /** Default: the summary. */
  description?: string
  /** Default: a string for each parameter of the path. */
  params?: TObject
  query?: TObject
  body?: TSchema
  /** By status. The lowest one is the default. */
  responses: Readonly<Record<number, TSchema>>
  /** Media types of the response. Default: JSON. */
  types?: readonly string[]
  /** Errors that are specific to this operation, in addition to those that all operations share. */
  errors?: readonly ErrorCode[]
  /**
   * The group that a restricted key needs, or several of which one is enough. Null: no restricted key is accepted. Default: `read` for a GET, null for what no key can do.
   * Required for every other operation.
   */
  group?: NeededGroup
  /** For keys, origins and settings of the organization, which a test key must not access. */
  productionKeyOnly?: true
  /** For changes of people: accepts a member who is signed in to the dashboard, and no key. */
  personOnly?: true
  /** The person must have signed in within the last ten minutes, so that a stolen cookie is not enough. */
  recentSignIn?: true
  /** What a member must be allowed to do. Default: `read` for a GET, otherwise `build`. */
  permission?: Permission
  /** Required for every operation other than a GET. `false`: nothing worth an audit entry. */
  audit?: Audited | false
  /** Location of the Registered User's ID. Default: `params.id` under `/registered-users/{id}`. */
  registeredUser?: ValuePath
  /**
   * The method of the SDK's client, such as `toolPacks.create`. With `argument`, the method takes this field instead of an object with it.
   */
  client: string | { method: string; argument: string }
  /**
   * Of a POST. `false`: the response must not be stored. A number: how long it is stored, in milliseconds. Default: one day. `of_call`: the key
   * belongs to the tool call that the request makes, and clients send none of their own accord: a call without a key is another call.
   */
  idempotency?: false | number | 'of_call'
  /** The response may take as long as a provider, and the seconds of the field `wait` in addition. */
  waits?: true
  /** Default: no tool of the management MCP server. No tool deletes anything, and none returns a key or a secret. */
  tool?: ManagementTool
}

type MethodOf<Route extends string> = Route extends `${infer M extends Method} ${string}` ? M : never
type PathOf<Route extends string> = Route extends `${string} ${infer Path}` ? Path : never
type NamesIn<Path extends string> = Path extends `${string}{${infer Name}}${infer Rest}`
  ? Name | NamesIn<Rest>
  : never

export type Operation<
  D extends OperationDeclaration = OperationDeclaration,
  Name extends string = string,
> = D & {
  /** The name in generated clients. */
  name: Name
  tag: Tag
  group: NeededGroup
  method: MethodOf<D['route']>
  /** Such as `/tool-packs/{id}`. */
  path: PathOf<D['route']>
  params: D extends { params: infer P extends TObject } ? P : TObject
}

export type ParamsOf<O> = O extends { params: infer P extends TObject; route: infer Route extends string }
  ? string extends keyof P['properties']
    ? { [Name in NamesIn<Route>]: string }
    : Static<P>
  : never
export type QueryOf<O> = O extends { query: infer Q extends TSchema } ? Static<Q> : unknown
export type BodyOf<O> = O extends { body: infer B extends TSchema } ? Static<B> : unknown
export type ResponseOf<O> = O extends { responses: infer R extends Readonly<Record<number, TSchema>> }
  ? Static<R[keyof R & number]>
  : never

/** The operations of one section of the API document, by their names. */
export const declareOperations = <const T extends Record<string, OperationDeclaration>>(
  tag: Tag,
  declarations: T,
): { readonly [Name in keyof T & string]: Operation<T[Name], Name> } =>
  Object.fromEntries(
    Object.entries(declarations).map(([name, declaration]) => [name, complete(tag, name, declaration)]),
  ) as never

const complete = (tag: Tag, name: string, declaration: OperationDeclaration) => {
  const [method = '', path = ''] = declaration.route.split(' ')
  const names = [...path.matchAll(/\{(\w+)\}/g)].map(([, parameter = '']) => parameter)
  if (method !== 'GET' && declaration.audit === undefined)
    throw new Error(`${declaration.route} has no audit declaration: set \`audit\`, or \`audit: false\`.`)
  const isOfUser = path.startsWith('/registered-users/{id}')
  return {
    ...(isOfUser && { registeredUser: 'params.id' as const }),
    params: Type.Object(
      Object.fromEntries(names.map(parameter => [parameter, parameterOf(path, parameter)])),
    ),
    ...declaration,
    group: groupOf(method, declaration),
    name,
    tag,
    method,
    path,
  }
}

const groupOf = (method: string, { route, group, personOnly }: OperationDeclaration): NeededGroup => {
  if (group !== undefined) return group
  if (personOnly) return null
  if (method === 'GET') return 'read'
  throw new Error(`${route} declares no group: set \`group\`, or \`group: null\`.`)
}

/** What an `id` in a path identifies, by the segment before it. */
const RESOURCES: Readonly<Record<string, string>> = {
  'api-keys': 'API key',
  'approval-grants': 'remembered approval',
  approvals: 'approval',
  'link-sessions': 'Link session',
  members: 'member',
  'policy-rules': 'rule',
  'registered-users': 'Registered User',
  requests: 'sign-in request',
  'tool-packs': 'Tool Pack',
  'webhook-deliveries': 'delivery',
  'webhook-endpoints': 'webhook endpoint',
}

const parameterOf = (path: string, name: string) => {
  if (name !== 'id') return Type.String()
  const [, segment = ''] = /([a-z-]+)\/\{id\}/.exec(path) ?? []
  const resource = RESOURCES[segment]
  if (!resource) throw new Error(`${path}: say what its ID identifies.`)
  return Type.String({ description: `ID of the ${resource}.` })
}
