import { UsageError } from '@carabiner/cli'
import { type KeyMethod, keyField } from './key-method.ts'

const USAGE =
  '--auth must be "bearer", "basic", "header:NAME", or "header:NAME=TEMPLATE" with the secrets in braces, such as \'header:Authorization=Token {api_key}\'.'
const HEADER = /^header:([A-Za-z0-9!#$%&'*+.^_`|~-]{1,64})(?:=(.+))?$/

/** `--auth`: the credential of an API whose document describes no supported one. */
export const readAuthOption = (given: string): KeyMethod => {
  if (given === 'bearer') return inHeader('Authorization', 'Bearer {token}')
  if (given === 'basic')
    return {
      type: 'api_key',
      fields: [keyField('username', 'User name', false), keyField('password', 'Password or token', true)],
      basic: { username: '{username}', password: '{password}' },
    }
  const [, header, template = '{api_key}'] = HEADER.exec(given) ?? []
  if (header === undefined) throw new UsageError(USAGE)
  return inHeader(header, template)
}

const inHeader = (header: string, template: string): KeyMethod => {
  const names = [...new Set([...template.matchAll(/\{([a-z][a-z0-9_]{0,39})\}/g)].map(([, name]) => name!))]
  if (names.length === 0 || names.length > 5) throw new UsageError(USAGE)
  const label = (name: string) => `${name.charAt(0).toUpperCase()}${name.slice(1).replaceAll('_', ' ')}`
  return {
    type: 'api_key',
    fields: names.map(name => keyField(name, label(name), true)),
    headers: { [header]: template },
  }
}
