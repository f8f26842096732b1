import {
  type ConnectorTool,
  type DeclaredRoles,
  needsRole,
  suggestedEffects,
  type ToolEffect,
} from '@carabiner/contract'
import { isObject } from '@carabiner/server/connector-files'
import { type Arguments, readArguments } from './arguments.ts'
import { listOf, type Part, partsOf, type Resolve, SkippedError, textOf } from './document.ts'
import { toolNameOf, uniqueName } from './names.ts'
import { takePagination } from './pagination.ts'
import { createSchemaWriter, shorten } from './schema.ts'
import { scopesOf } from './scopes.ts'
import type { Security } from './security.ts'
import type { Server } from './server.ts'

export type ToolOptions = { include: string[]; max: number; maxNameLength: number }
/** `partial`: parts that an imported operation lacks. `skipped`: operations that were not imported. */
export type Tools = { tools: ConnectorTool[]; partial: string[]; skipped: string[]; guessed: string[] }

const METHODS = { get: 'GET', post: 'POST', put: 'PUT', patch: 'PATCH', delete: 'DELETE' } as const
type Method = keyof typeof METHODS
type Operation = { method: Method; path: string; item: Part; operation: Part }

export const readTools = (
  document: Part,
  { resolve, security, server }: { resolve: Resolve; security: Security; server: Server },
  options: ToolOptions,
): Tools => {
  const skipped: string[] = []
  const partial: string[] = []
  const guessed: string[] = []
  const tools: ConnectorTool[] = []
  const names = new Set<string>()
  for (const found of operationsIn(document, resolve, skipped).filter(one =>
    isWanted(one, options.include),
  )) {
    const where = `${METHODS[found.method]} ${found.path}`
    if (tools.length >= options.max) {
      skipped.push(`${where}: the maximum of ${options.max} tools is reached. See --include and --max`)
      continue
    }
    try {
      const read = readTool(document, found, { resolve, security, server })
      const { tool } = read
      partial.push(...read.skipped.map(part => `${where}: ${part}`))
      guessed.push(...read.guesses.map(guess => `${where}: ${guess}`))
      const name = uniqueName(
        tool.name.slice(0, options.maxNameLength).replace(/_+$/, ''),
        names,
        options.maxNameLength,
      )
      names.add(name)
      tools.push({ ...tool, name })
    } catch (error) {
      if (!(error instanceof SkippedError)) throw error
      skipped.push(`${where}: ${error.message}`)
    }
  }
  return { tools, partial, skipped, guessed }
}

const operationsIn = (document: Part, resolve: Resolve, skipped: string[]): Operation[] =>
  partsOf(document.paths).flatMap(([path, given]) => {
    try {
      const item = resolve(given)
      return (Object.keys(METHODS) as Method[]).flatMap(method => {
        const operation = item[method]
        return isObject(operation) ? [{ method, path, item, operation }] : []
      })
    } catch (error) {
      skipped.push(`${path}: ${(error as Error).message}`)
      return []
    }
  })

const isWanted = ({ path, operation }: Operation, patterns: string[]): boolean => {
  if (patterns.length === 0) return true
  const names = [path, textOf(operation.operationId) ?? '', ...listOf(operation.tags).map(String)]
  return patterns.some(pattern => names.some(name => matchesPattern(name, pattern)))
}

/** `*` matches anything. Matched without a regular expression, because a pattern may contain many. */
export const matchesPattern = (text: string, pattern: string): boolean => {
  const [first = '', ...rest] = pattern.toLowerCase().split('*')
  const given = text.toLowerCase()
  if (rest.length === 0) return given === first
  if (!given.startsWith(first)) return false
  const last = rest.pop() as string
  let at = first.length
  for (const part of rest) {
    const found = given.indexOf(part, at)
    if (found === -1) return false
    at = found + part.length
  }
  return given.length - last.length >= at && given.endsWith(last)
}

type Context = { resolve: Resolve; security: Security; server: Server }

const readTool = (
  document: Part,
  found: Operation,
  { resolve, security, server }: Context,
): { tool: ConnectorTool; skipped: string[]; guesses: string[] } => {
  const { method, path, item, operation } = found
  if (operation.deprecated === true) throw new SkippedError('it is deprecated')
  if (isObject(listOf(operation.servers ?? item.servers)[0])) throw new SkippedError('it has its own server')
  const needed = scopesOf(operation, document, security)
  if (needed === null) throw new SkippedError('it needs a credential that was not imported')
  const dropped = new Set<string>()
  const write = createSchemaWriter(resolve, what => dropped.add(what))
  const args = readArguments(method, operation, item.parameters, { resolve, write })
  const pagination = method === 'get' ? takePagination(args, operation, resolve) : null
  const name = toolNameOf(textOf(operation.operationId), method, path)
  const { title, description } = describe(operation, name)
  const request = {
    method: METHODS[method],
    url: `${server.base}${fillPath(path, args.path)}`,
    ...(Object.keys(args.query).length > 0 && { query: args.query }),
    ...(Object.keys(args.headers).length > 0 && { headers: args.headers }),
    ...(args.body !== undefined && { body: args.body }),
    ...(args.body !== undefined && args.bodyType && { body_type: args.bodyType }),
  }
  const effects = method === 'get' ? [] : effectsOf(name, method, path)
  const tool: ConnectorTool = {
    name,
    title,
    description,
    input_schema: {
      type: 'object',
      properties: args.properties,
      ...(args.required.length > 0 && { required: args.required }),
      additionalProperties: false,
    },
    scopes: security.oauth ? needed.scopes : [],
    request,
    ...(pagination && { pagination }),
    read_only: method === 'get',
    ...(method !== 'get' && args.idempotencyHeader && { idempotency_header: args.idempotencyHeader }),
    ...(method !== 'get' && { effects, roles: rolesOf(args) }),
  }
  const guesses = [
    ...(needed.guess === undefined ? [] : [needed.guess]),
    ...(pagination ? [`its pages are taken to follow ${pagination.parameter} and ${pagination.next}`] : []),
  ]
  return { tool, skipped: [...args.skipped, ...dropped], guesses }
}

/** The likeliest effect that the name suggests, else the last word of the path: `POST /orders/{id}/cancel`. */
const effectsOf = (name: string, method: Method, path: string): ToolEffect[] => {
  const action = path.split('/').findLast(segment => segment !== '' && !segment.startsWith('{')) ?? ''
  const byName = suggestedEffects(name, 'POST')
  return (byName.length > 0 ? byName : suggestedEffects(action.toLowerCase(), METHODS[method])).slice(0, 1)
}

/** What the path names is acted on. The role of any other argument is left to the author, because a wrong one is worse than none. */
const rolesOf = ({ properties, path }: Arguments): DeclaredRoles => {
  const inPath = new Set(path.values())
  const names = Object.keys(properties).filter(name => needsRole(properties[name]))
  return Object.fromEntries(names.map(name => [name, inPath.has(name) ? 'target' : 'none']))
}

const describe = (operation: Part, name: string): { title: string; description: string } => {
  const words = name.replaceAll('_', ' ')
  const summary = shorten(textOf(operation.summary) ?? '', 60)
  const title = summary || `${words.charAt(0).toUpperCase()}${words.slice(1)}`
  const description = shorten(textOf(operation.description) ?? textOf(operation.summary) ?? '', 600)
  return { title, description: description || title }
}

const fillPath = (path: string, names: Map<string, string>): string => {
  const filled = (path.startsWith('/') ? path : `/${path}`).replace(/\{([^{}]+)\}/g, (_, name: string) => {
    const argument = names.get(name)
    if (argument === undefined)
      throw new SkippedError(`its path contains {${name}}, which is not one of its parameters`)
    return `{${argument}}`
  })
  if (/[?#\s]|\/\.{1,2}(?:\/|$)/.test(filled)) throw new SkippedError('its path is not valid')
  return filled
}
