import { createHash, createHmac, createSecretKey, type KeyObject } from 'node:crypto'
import { certificateOf, type TokenRequestMethod } from '@carabiner/contract'
import { SECOND } from '../../../../core/duration.ts'
import { signJwt } from '../../../../core/signing/jwt.ts'
import {
  certificateThumbprints,
  publicKeyFingerprint,
  readCertificate,
  readPrivateKey,
} from '../../../../core/signing/private-key.ts'
import { fillText, fillValue, namesIn, type Values } from '../../templates/template.ts'

/** The time and the random ID of one token. */
export type Moment = { now: Date; id: string }

type Assertion = NonNullable<TokenRequestMethod['assertions']>[string]
type Computed = NonNullable<TokenRequestMethod['computed']>[string]

export const momentValues = ({ now, id }: Moment, lifetimeSeconds: number): Values => ({
  'now.seconds': Math.floor(now.getTime() / SECOND),
  'now.milliseconds': now.getTime(),
  'now.iso': now.toISOString(),
  'end.date': new Date(now.getTime() + lifetimeSeconds * SECOND).toISOString().slice(0, 'YYYY-MM-DD'.length),
  'random.id': id,
})

/** The fingerprint of each private key, as `{fingerprint.<field>}`. */
export const fingerprintValues = (method: TokenRequestMethod, fields: Record<string, string>): Values =>
  Object.fromEntries(
    method.fields.flatMap(({ name, private_key: expected }) =>
      expected
        ? [[`fingerprint.${name}`, publicKeyFingerprint(parseKey(fields[name] ?? '', expected.type))]]
        : [],
    ),
  )

/** The thumbprints of each certificate, as `{x5t.<field>}` and `{x5t_s256.<field>}`. Of a chain, the first is that of the private key. */
export const thumbprintValues = (method: TokenRequestMethod, fields: Record<string, string>): Values =>
  Object.fromEntries(
    method.fields.flatMap(field => {
      const certificate = certificateOf(field) && readCertificate(fields[field.name] ?? '')
      if (!certificate) return []
      const thumbprints = certificateThumbprints(certificate)
      return [
        [`x5t.${field.name}`, thumbprints.x5t],
        [`x5t_s256.${field.name}`, thumbprints['x5t#S256']],
      ]
    }),
  )

/**
 * Computed values and assertions whose names are all known. A value that needs the response to an earlier request is added before the
 * request that it is for; each is made once.
 */
export const derivedValues = (
  { computed = {}, assertions = {}, fields }: TokenRequestMethod,
  known: Values,
  moment: Moment,
): Values => {
  const values: Values = { ...known }
  const isEmpty = (name: string) => fields.some(field => field.name === name && field.optional)
  const isReady = (template: unknown) =>
    namesIn(template).every(name => name.startsWith('jwt.') || Object.hasOwn(values, name) || isEmpty(name))
  for (const [name, rule] of Object.entries(computed))
    if (!Object.hasOwn(values, `computed.${name}`) && isReady([rule.text, rule.key]))
      values[`computed.${name}`] = compute(rule, values)
  for (const [name, rule] of Object.entries(assertions))
    if (!Object.hasOwn(values, `assertion.${name}`) && isReady([rule.header, rule.claims])) {
      const key = assertionKey(rule, fields, values)
      values[`assertion.${name}`] = sign(rule, key, values, moment)
    }
  return values
}

const compute = (
  { text, hash, hmac, key = '', key_encoding = 'utf8', encoding }: Computed,
  values: Values,
) => {
  const input = fillText(text, values) ?? ''
  if (hash) return createHash(hash).update(input).digest(encoding)
  if (!hmac) return Buffer.from(input).toString(encoding)
  return createHmac(hmac, Buffer.from(fillText(key, values) ?? '', key_encoding))
    .update(input)
    .digest(encoding)
}

const assertionKey = (
  { key, key_encoding = 'utf8' }: Assertion,
  fields: TokenRequestMethod['fields'],
  values: Values,
): KeyObject => {
  const text = fillText(`{${key}}`, values) ?? ''
  const expected = fields.find(({ name }) => name === key)?.private_key
  return expected ? parseKey(text, expected.type) : createSecretKey(Buffer.from(text, key_encoding))
}

/** Keys are checked before they are stored. */
const parseKey = (text: string, type: 'rsa' | 'p256'): KeyObject => {
  const read = readPrivateKey(text, expectedKey(type))
  if ('problem' in read) throw new Error(`the stored private key cannot be used: ${read.problem}`)
  return read.key
}

export const expectedKey = (type: 'rsa' | 'p256') =>
  type === 'rsa' ? ({ type } as const) : ({ type: 'ec', curve: 'P-256' } as const)

const sign = (
  { algorithm, header, claims, lifetime_seconds, backdate_seconds = 0 }: Assertion,
  key: KeyObject,
  values: Values,
  { now, id }: Moment,
): string => {
  const issuedAt = Math.floor(now.getTime() / SECOND) - backdate_seconds
  const known = {
    ...values,
    'jwt.issued_at': issuedAt,
    'jwt.expires_at': issuedAt + lifetime_seconds,
    'jwt.id': id,
  }
  const filled = (template: unknown) => (fillValue(template, known) ?? {}) as Record<string, unknown>
  return signJwt({ algorithm, key, header: { typ: 'JWT', ...filled(header) }, claims: filled(claims) })
}
