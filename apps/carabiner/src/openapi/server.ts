import { CommandError } from '@carabiner/cli'
import type { ConnectorField } from '@carabiner/contract'
import { isLoopbackHost } from '@carabiner/contract/loopback'
import { isObject } from '@carabiner/server/connector-files'
import { listOf, type Part, textOf } from './document.ts'
import { argumentName } from './names.ts'
import { placeholderName, placeholdersIn } from './placeholder.ts'
import { shorten } from './schema.ts'

/** The API's address, which may contain `{tenant.<name>}`, and the fields that users fill in. */
export type Server = {
  base: string
  origin: string
  tenant: ConnectorField[]
  skipped: string[]
  guessed: string[]
}

/** A part of a host: letters, digits, hyphens and dots. */
const HOST_PART = '^[a-zA-Z0-9](?:[a-zA-Z0-9.-]{0,98}[a-zA-Z0-9])?$'
const MAX_FIELDS = 3

/** A server on the developer's machine. The service calls it in development only. */
const isOnThisMachine = (url: string): boolean => {
  const parsed = url.startsWith('http://') ? URL.parse(url) : null
  return parsed !== null && isLoopbackHost(parsed.hostname)
}

export const readServer = (document: Part, given: string | undefined): Server => {
  const [first, ...others] = listOf(document.servers)
  const server = isObject(first) ? first : {}
  const documented = textOf(server.url) ?? ''
  // An address given by the operator is used unchanged.
  const placeholders = given === undefined ? placeholdersIn(documented) : []
  const url = given ?? openPlaceholders(documented, placeholders)
  if (!/^https:\/\/[^/]/.test(url) && !isOnThisMachine(url))
    throw new CommandError(
      `The document gives ${JSON.stringify(url.slice(0, 80))} as the address of the API, which is not an https address. Set --server https://…, or http://localhost:… while you develop.`,
    )
  const variables = isObject(server.variables) ? server.variables : {}
  const tenant: ConnectorField[] = []
  const base = url.replace(/\{([^{}]+)\}/g, (_, name: string) => {
    const field = tenantField(name, variables[name])
    if (!tenant.some(known => known.name === field.name)) tenant.push(field)
    return `{tenant.${field.name}}`
  })
  if (tenant.length > MAX_FIELDS)
    throw new CommandError(`The address ${url} has more than ${MAX_FIELDS} parts to fill in. Set --server.`)
  const clean = base.replace(/[?#].*$/, '').replace(/\/+$/, '')
  return {
    base: clean,
    origin: /^https?:\/\/[^/]+/.exec(clean)?.[0] ?? clean,
    tenant,
    skipped:
      given === undefined
        ? others.flatMap(other => (isObject(other) ? [otherServer(other, documented)] : []))
        : [],
    guessed: placeholders.map(
      label =>
        `servers: "${label}" in ${shorten(documented, 80)} looks like a placeholder, so each user is asked for it (tenant). If it is not, set --server`,
    ),
  }
}

const otherServer = (other: Part, chosen: string): string =>
  `the server ${shorten(textOf(other.url) ?? '', 80)}: ${shorten(chosen, 80)} is used. See --server`

const openPlaceholders = (url: string, placeholders: string[]): string =>
  placeholders.reduce(
    (opened, label) =>
      opened.replace(/^(https:\/\/)([^/]+)/, (_, scheme: string, host: string) =>
        [
          scheme,
          host
            .split('.')
            .map(one => (one === label ? `{${placeholderName(label)}}` : one))
            .join('.'),
        ].join(''),
      ),
    url,
  )

const tenantField = (name: string, given: unknown): ConnectorField => {
  const variable = isObject(given) ? given : {}
  const allowed = listOf(variable.enum).filter(value => typeof value === 'string' && /^[\w.-]+$/.test(value))
  const choices = allowed.map(value => String(value).replaceAll('.', '\\.')).join('|')
  const example = shorten(textOf(variable.default) ?? '', 80)
  const hint = shorten(textOf(variable.description) ?? '', 160)
  return {
    name: argumentName(name),
    label: shorten(name, 40),
    secret: false,
    ...(hint !== '' && { hint }),
    ...(example !== '' && { placeholder: example }),
    pattern: choices !== '' && choices.length <= 150 ? `^(?:${choices})$` : HOST_PART,
  }
}
