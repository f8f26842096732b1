import type { Signer } from '../../core/webhook-signature.ts'

type Headers = Readonly<Record<string, string>>

const MAX_HEADERS = 40
const MAX_VALUE_LENGTH = 256
const MAX_LENGTH = 4096
const HIDDEN = '[hidden]'
/** Values that let their reader act as someone else. */
const SECRET_NAME = /cookie|authorization|token|secret|signature|api-?key|password/i
const SIGNATURE = 'webhook-signature'

/** A valid signature would let any reader of the delivery send the event again, so only its versions are stored. */
export const storedRequestHeaders = (headers: Headers): Record<string, string> => ({
  ...headers,
  ...(headers[SIGNATURE] !== undefined && { [SIGNATURE]: headers[SIGNATURE].replaceAll(/,\S+/g, ',…') }),
})

/** The first headers of a response, without secrets, up to a total length. */
export const storedResponseHeaders = (
  headers: Headers,
  signers: readonly Signer[],
): Record<string, string> => {
  let length = 0
  const stored: [string, string][] = []
  for (const [name, value] of Object.entries(headers).slice(0, MAX_HEADERS)) {
    const shown = SECRET_NAME.test(name) ? HIDDEN : startOf(value, signers)
    length += name.length + shown.length
    if (length > MAX_LENGTH) break
    stored.push([name, shown])
  }
  return Object.fromEntries(stored)
}

const startOf = (value: string, signers: readonly Signer[]): string => {
  const text = signers.reduce((rest, signer) => signer.removeFrom(rest), value).replaceAll('\0', '\uFFFD')
  return text.length > MAX_VALUE_LENGTH
    ? `${text.slice(0, MAX_VALUE_LENGTH).toWellFormed()}…`
    : text.toWellFormed()
}
