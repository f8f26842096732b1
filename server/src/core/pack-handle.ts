import { TOKEN_ROUTING_LENGTH } from '@carabiner/contract'
import type { Mode } from './mode.ts'
import { routingCode } from './token.ts'

/** The Tool Pack and the mode that a handle names. The organization is the one with the routing code. */
export type NamedPack = { routingCode: string; toolPackId: string; mode: Mode }

const ALPHABET = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz'
/** 128 bits in base62. */
const ID_LENGTH = 22
const TEST_SUFFIX = '-test'
const FORMAT = new RegExp(
  `^([0-9A-Za-z]{${TOKEN_ROUTING_LENGTH}})([0-9A-Za-z]{${ID_LENGTH}})(${TEST_SUFFIX})?$`,
)

/**
 * Names a Tool Pack in the address of its MCP endpoint. It follows from the IDs (decision 41), so it is unique, never changes and needs
 * no lookup. The users of the two modes are different people, so each mode has its own address.
 */
export const packHandle = (organizationId: string, toolPackId: string, mode: Mode): string =>
  routingCode(organizationId) + toBase62(toolPackId) + (mode === 'test' ? TEST_SUFFIX : '')

/** Null if the handle is malformed. */
export const readPackHandle = (handle: string): NamedPack | null => {
  const [, code = '', id = '', suffix] = FORMAT.exec(handle) ?? []
  const toolPackId = id === '' ? null : fromBase62(id)
  if (toolPackId === null) return null
  return { routingCode: code, toolPackId, mode: suffix === undefined ? 'production' : 'test' }
}

const toBase62 = (uuid: string): string => {
  let rest = BigInt(`0x${uuid.replaceAll('-', '')}`)
  let digits = ''
  for (let i = 0; i < ID_LENGTH; i++) {
    digits = ALPHABET[Number(rest % 62n)] + digits
    rest /= 62n
  }
  return digits
}

/** Null for a number of more than 128 bits, so that each ID has one spelling. */
const fromBase62 = (digits: string): string | null => {
  let value = 0n
  for (const digit of digits) value = value * 62n + BigInt(ALPHABET.indexOf(digit))
  const hex = value.toString(16).padStart(32, '0')
  return hex.length > 32 ? null : hex.replace(/^(.{8})(.{4})(.{4})(.{4})(.{12})$/, '$1-$2-$3-$4-$5')
}

/** `{base_url}/mcp/{handle}` is the MCP endpoint at which users sign in. */
export const MCP_PATH = '/mcp'

/** RFC 9728 §3. */
export const resourceMetadataUrl = (baseUrl: string, handle: string): string =>
  `${baseUrl}/.well-known/oauth-protected-resource${MCP_PATH}/${handle}`
