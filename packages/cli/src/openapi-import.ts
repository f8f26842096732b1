import type { ConnectorFile } from '@carabiner/contract'
import { readAuthOption } from './openapi-auth-option.ts'
import { createResolve, isPart, type Part, textOf } from './openapi-document.ts'
import { slugOf } from './openapi-names.ts'
import { hasPlaceholder } from './openapi-placeholder.ts'
import { shorten } from './openapi-schema.ts'
import { readSecurity, type Security } from './openapi-security.ts'
import { readServer, type Server } from './openapi-server.ts'
import { readTools, type Tools } from './openapi-tools.ts'
import { UsageError } from './output.ts'

export type ImportOptions = {
  slug?: string | undefined
  name?: string | undefined
  server?: string | undefined
  identity?: string | undefined
  /** How the key is sent, where the document does not describe it. */
  auth?: string | undefined
  include: string[]
  max: number
}

export type Imported = {
  file: ConnectorFile
  /** What of the document is not in the file, and why. */
  untaken: string[]
  /** What was chosen or inferred where the document is ambiguous. */
  guessed: string[]
  /** What the document does not say and a person must. */
  todo: string[]
}

/** What the strictest model API takes: `<slug>__<tool>`. */
const LONGEST_NAME = 64
const MAX_TOOL_NAME = 48

export const importOpenApi = (document: Part, options: ImportOptions): Imported => {
  const resolve = createResolve(document)
  const info = isPart(document.info) ? document.info : {}
  const title = options.name ?? (shorten(textOf(info.title) ?? '', 40) || 'Imported API')
  const slug = options.slug ?? slugOf(title.replace(/\s+API$/i, ''))
  if (slug === '')
    throw new UsageError('The document has no title to make a name of. Give --slug and --name.')
  const server = readServer(document, options.server)
  const security = readSecurity(
    document,
    resolve,
    options.auth === undefined ? null : readAuthOption(options.auth),
  )
  if (!security.oauth && !security.key)
    throw new UsageError(
      [
        'The document describes no credential that can be connected: OAuth with an authorization code, a bearer token, HTTP Basic, or a key in a header. Say with --auth how the key is sent, such as --auth bearer.',
        ...security.untaken.map(line => `  - ${line}`),
      ].join('\n'),
    )
  const longestName = Math.min(MAX_TOOL_NAME, LONGEST_NAME - slug.length - 2)
  const found = readTools(document, { resolve, security, server }, { ...options, longestName })
  if (found.tools.length === 0) throw new UsageError(nothingTaken(found))
  const identity = chooseIdentity(found.tools, server, options.identity)
  const file: ConnectorFile = {
    slug,
    name: title,
    summary: shorten(textOf(info.summary) ?? textOf(info.description) ?? title, 80) || title,
    categories: ['other'],
    documentation_url: documentationOf(document, server),
    ...(server.tenant.length > 0 && { tenant: server.tenant }),
    authorization: methodsOf(security, found.tools),
    identity: identity.call,
    credential_origins: [server.origin],
    tools: found.tools,
  }
  return {
    file,
    untaken: [...server.untaken, ...security.untaken, ...found.untaken],
    guessed: [
      ...server.guessed,
      ...security.guessed,
      ...oauthGuesses(security, found.tools),
      ...(identity.guessed ? [`identity: ${identity.call.url} is a guess`] : []),
      ...found.guessed,
    ],
    todo: todoList(file, security, identity),
  }
}

const nothingTaken = ({ untaken }: Tools): string =>
  [
    'No operation of the document can become a tool.',
    ...untaken.slice(0, 20).map(line => `  - ${line}`),
  ].join('\n')

const documentationOf = (document: Part, { origin }: Server): string => {
  const external = isPart(document.externalDocs) ? textOf(document.externalDocs.url) : undefined
  const url = external?.startsWith('https://') && external.length <= 400 ? external : origin
  return url.replace(/\{[^{}]*\}/g, 'x')
}

const methodsOf = (
  { oauth, key }: Security,
  tools: ConnectorFile['tools'],
): ConnectorFile['authorization'] => {
  if (!oauth) return key ? [key.method] : []
  const needed = (kept: ConnectorFile['tools']) => new Set(kept.flatMap(({ scopes }) => scopes.flat()))
  const reading = needed(tools.filter(tool => tool.read_only))
  const scopes = [...needed(tools)].map(name => ({
    name,
    title: oauth.titles.get(name) ?? shorten(name, 80),
    ...(!reading.has(name) && { optional: true }),
  }))
  return [{ ...oauth.method, scopes }, ...(key ? [key.method] : [])]
}

const oauthGuesses = ({ oauth }: Security, tools: ConnectorFile['tools']): string[] => {
  if (!oauth) return []
  const { authorization_endpoint, token_endpoint, refresh } = oauth.method
  const scoped = tools.some(({ scopes }) => scopes.length > 0)
  return [
    'authorization: client_secret_basic and PKCE "undocumented", which documents do not state',
    ...(refresh ? ['authorization, refresh: tokens are taken to rotate'] : []),
    ...[authorization_endpoint, token_endpoint]
      .filter(hasPlaceholder)
      .map(url => `authorization: ${url} looks like it contains a placeholder`),
    ...(scoped ? [] : ['authorization, scopes: no operation names any, so none is requested']),
  ]
}

type Identity = { call: NonNullable<ConnectorFile['identity']>; guessed: boolean }

const ACCOUNT = ['/email', '/login', '/username', '/name']
const OWN =
  /\/(?:me|self|whoami|user|account|profile|current_user|currentuser|users\/me|user\/me|accounts\/me|userinfo)$/i

/** The call that says whose credential it is: one that was named, one that looks like it, or any that needs nothing. */
const chooseIdentity = (
  tools: ConnectorFile['tools'],
  server: Server,
  given: string | undefined,
): Identity => {
  if (given !== undefined) {
    const url = given.startsWith('https://') ? given : `${server.base}/${given.replace(/^\/+/, '')}`
    return { call: { url, account: ACCOUNT }, guessed: false }
  }
  const free = tools.filter(
    ({ request, input_schema }) => request.method === 'GET' && input_schema.required === undefined,
  )
  const chosen = free.find(({ request }) => OWN.test(request.url)) ?? free[0]
  if (!chosen)
    throw new UsageError(
      'No GET of the document can be asked without arguments, so nothing says whose credential it is. Give --identity PATH.',
    )
  return { call: { url: chosen.request.url, account: ACCOUNT }, guessed: true }
}

const todoList = (file: ConnectorFile, { oauth, key }: Security, identity: Identity): string[] => [
  `identity: ${identity.guessed ? `${identity.call.url} is a guess. See` : 'see'} that it answers whose credential it is, and where: account, id`,
  'categories, summary, logo and documentation_url: what people see in the picker',
  ...(oauth
    ? [
        'authorization, pkce: "undocumented" sends PKCE; say "S256" if the vendor supports it, or "rejected"',
        'authorization, client_authentication: client_secret_basic or client_secret_post',
        'authorization, scopes: say in plain words what each allows; a document rarely does',
        'authorization, refresh and revocation: whether tokens run out, whether refresh tokens rotate, how a token is ended',
      ]
    : []),
  ...(key
    ? ['authorization, fields: what the key is called at the vendor’s, a hint where to find it, and help_url']
    : []),
  ...(file.tenant ? ['tenant: labels, hints, and patterns as narrow as the vendor’s addresses are'] : []),
  'tools: pagination and result, so that long answers come in pages and hold only what a model needs',
  'source: the documents that the file rests on',
]
