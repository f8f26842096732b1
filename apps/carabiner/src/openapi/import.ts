import { CommandError } from '@carabiner/cli'
import type { ConnectorFile } from '@carabiner/contract'
import { isObject } from '@carabiner/server/connector-files'
import { readAuthOption } from './auth-option.ts'
import { createResolve, type Part, textOf } from './document.ts'
import { slugOf } from './names.ts'
import { hasPlaceholder } from './placeholder.ts'
import { shorten } from './schema.ts'
import { readSecurity, type Security } from './security.ts'
import { readServer, type Server } from './server.ts'
import { readTools, type Tools } from './tools.ts'

export type ImportOptions = {
  slug?: string | undefined
  name?: string | undefined
  server?: string | undefined
  identity?: string | undefined
  /** How the key is sent, if the document does not describe it. */
  auth?: string | undefined
  include: string[]
  max: number
}

export type Imported = {
  file: ConnectorFile
  /** Operations that were imported without some of their parts, with the reasons. */
  partial: string[]
  /** The skipped parts of the document, with the reasons. */
  skipped: string[]
  /** Choices made where the document is ambiguous. */
  guessed: string[]
  /** Information that the document lacks and a person must add. */
  todo: string[]
}

/** Maximum length of `<slug>__<tool>` in the strictest model API. */
const MAX_NAME_LENGTH = 64
const MAX_TOOL_NAME_LENGTH = 48

export const importOpenApi = (document: Part, options: ImportOptions): Imported => {
  const resolve = createResolve(document)
  const info = isObject(document.info) ? document.info : {}
  const title = options.name ?? (shorten(textOf(info.title) ?? '', 40) || 'Imported API')
  const slug = options.slug ?? slugOf(title.replace(/\s+API$/i, ''))
  if (slug === '') throw new CommandError('The document has no title. Set --slug and --name.')
  const server = readServer(document, options.server)
  const security = readSecurity(
    document,
    resolve,
    options.auth === undefined ? null : readAuthOption(options.auth),
  )
  if (!security.oauth && !security.key)
    throw new CommandError(
      [
        'The document describes no supported credential: OAuth with an authorization code, a bearer token, HTTP Basic, or a key in a header. Set --auth to describe how the key is sent, such as --auth bearer.',
        ...security.skipped.map(line => `  - ${line}`),
      ].join('\n'),
    )
  const maxNameLength = Math.min(MAX_TOOL_NAME_LENGTH, MAX_NAME_LENGTH - slug.length - 2)
  const found = readTools(document, { resolve, security, server }, { ...options, maxNameLength })
  if (found.tools.length === 0) throw new CommandError(nothingImported(found))
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
    partial: found.partial,
    skipped: [...server.skipped, ...security.skipped, ...found.skipped],
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

const nothingImported = ({ skipped }: Tools): string =>
  [
    'No operation of the document can become a tool.',
    ...skipped.slice(0, 20).map(line => `  - ${line}`),
  ].join('\n')

const documentationOf = (document: Part, { origin }: Server): string => {
  const external = isObject(document.externalDocs) ? textOf(document.externalDocs.url) : undefined
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

/**
 * The request that returns the account of a credential: the given one, one that looks like it, or any without
 * arguments.
 */
const chooseIdentity = (
  tools: ConnectorFile['tools'],
  server: Server,
  given: string | undefined,
): Identity => {
  if (given !== undefined) {
    const url = /^https?:\/\//.test(given) ? given : `${server.base}/${given.replace(/^\/+/, '')}`
    return { call: { url, account: ACCOUNT }, guessed: false }
  }
  const free = tools.filter(
    ({ request, input_schema }) => request.method === 'GET' && input_schema.required === undefined,
  )
  const chosen = free.find(({ request }) => OWN.test(request.url)) ?? free[0]
  if (!chosen)
    throw new CommandError(
      'No GET of the document works without arguments, so the account of a credential cannot be determined. Set --identity PATH.',
    )
  return { call: { url: chosen.request.url, account: ACCOUNT }, guessed: true }
}

const todoList = (file: ConnectorFile, { oauth, key }: Security, identity: Identity): string[] => [
  `identity: ${identity.guessed ? `${identity.call.url} is a guess. Check` : 'check'} that it returns the account, and where: account, id`,
  'categories, summary, logo and documentation_url: what people see in the picker',
  ...(oauth
    ? [
        'authorization, pkce: "undocumented" sends PKCE; set "S256" if the provider supports it, or "rejected"',
        'authorization, client_authentication: client_secret_basic or client_secret_post',
        'authorization, scopes: describe in plain words what each allows; documents rarely do',
        'authorization, refresh and revocation: whether tokens expire, whether refresh tokens rotate, how a token is revoked',
      ]
    : []),
  ...(key
    ? ['authorization, fields: the provider’s name for the key, a hint where to find it, and help_url']
    : []),
  ...(file.tenant ? ['tenant: labels, hints, and patterns as narrow as the provider’s addresses allow'] : []),
  'tools, effects: guessed from method and name. Check what each tool sends, shares, pays, deletes or suspends',
  'tools, roles: only arguments in the path have one. Set the roles of recipients, amounts, targets, texts and files; none for the others',
  'tools: pagination and result, so that long responses are paginated and contain only what a model needs',
  'source: the documentation that the file is based on',
]
