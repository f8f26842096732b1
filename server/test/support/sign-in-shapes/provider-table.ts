import type { TokenRequestMethod } from '@carabiner/contract'
import { replaceSection } from '../../../../scripts/marked-section.ts'
import { DETAILS } from './details.ts'
import { express } from './express.ts'
import { NOT_EXPRESSED, OTHER_KINDS, SHAPES } from './shapes.ts'
import { OAUTH1, SIGNED } from './signed-kinds.ts'

const BEGIN = '<!-- providers: written by npm run docs:connectors -->'
const END = '<!-- end of providers -->'

/** The rows in their order: kind, and what the user does or enters. */
const ROWS = {
  secret: ['token_request', 'enters client ID and secret, or keys'],
  login: ['token_request', 'enters user name and password'],
  assertion: ['token_request', 'enters a private key, whose assertion is exchanged for a token'],
  signed_token: ['token_request', 'enters a key, which signs the token itself'],
  several: ['token_request', 'enters any of these, and a token takes several requests'],
  certificate: ['token_request', 'enters client ID and secret, and a client certificate'],
  oauth1: ['oauth1', 'signs in at the provider with OAuth 1.0a'],
  signature: ['signature', 'enters secrets that sign each request'],
  aws: ['aws_signature', 'enters an access key that signs each request'],
  oauth2: ['oauth2', 'signs in at the provider with OAuth 2.0'],
} as const
type Row = keyof typeof ROWS

const rowOfTokenRequest = ({ fields, requests }: TokenRequestMethod): Row => {
  if (fields.some(field => field.client_certificate)) return 'certificate'
  if (requests.length === 0) return 'signed_token'
  if (requests.length > 1) return 'several'
  if (fields.some(field => field.private_key)) return 'assertion'
  return fields.some(({ name }) => /password/.test(name)) ? 'login' : 'secret'
}

const rowOf = (provider: string): Row => {
  if (Object.hasOwn(OAUTH1, provider)) return 'oauth1'
  if (Object.hasOwn(SIGNED, provider)) return 'signature'
  if (provider in OTHER_KINDS) return provider === 'aws-sigv4' ? 'aws' : 'oauth2'
  const shape = SHAPES.find(one => one.provider === provider)
  if (!shape) throw new Error(`${provider} has no shape`)
  return rowOfTokenRequest(express(shape, DETAILS[provider] ?? {}).method)
}

/** The providers by the kind that expresses them. */
export const makeProviderTable = (): string => {
  const expressed = SHAPES.map(({ provider }) => provider).filter(name => !Object.hasOwn(NOT_EXPRESSED, name))
  const byRow = Map.groupBy(expressed, rowOf)
  const rows = Object.entries(ROWS).map(([row, [kind, user]]) => {
    const providers = byRow.get(row as Row) ?? []
    return `| \`${kind}\` | ${user} | ${providers.length} | ${providers.toSorted().join(', ')} |`
  })
  const missing = Object.entries(NOT_EXPRESSED).map(([name, reason]) => `${name} needs ${reason}`)
  return [
    BEGIN,
    '',
    `${expressed.length} of ${SHAPES.length} providers:`,
    '',
    '| Kind | The user | Count | Providers |',
    '|---|---|---|---|',
    ...rows,
    '',
    `Not expressed: ${missing.join('; ')}.`,
    '',
    END,
  ].join('\n')
}

export const withProviderTable = (page: string): string =>
  replaceSection(page, BEGIN, END, makeProviderTable())
