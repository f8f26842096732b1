import { type ConnectorField, certificateOf } from '@carabiner/contract'
import { type KeyProblem, TENANT_PREFIX } from '../../pages/views/index.ts'
import {
  readCertificateField,
  readKeyField,
} from '../../upstream/authorization-kinds/token-request/read-key-field.ts'
import { isAddressPart } from '../../upstream/templates/template.ts'

/** `invalidField`: the field whose value does not match the connector's format. */
export type ReadFields = { values: Record<string, string> } | { problem: KeyProblem; invalidField?: string }

/** Values that become part of a header or an address contain only characters that are allowed there. */
const SECRET_PATTERN = /^[\x21-\x7e]{1,4096}$/
const TEXT_PATTERN = /^[\x20-\x7e]{1,320}$/
const FREE_SECRET_PATTERN = /^[^\p{C}]{1,4096}$/u
const FREE_TEXT_PATTERN = /^[^\p{C}]{1,320}$/u

type Options = {
  prefix?: string
  freeText?: ReadonlySet<string>
  /** Values that were entered before, of fields that may stay empty. */
  kept?: Record<string, string>
}

export const readFields = (
  fields: ConnectorField[],
  form: Record<string, string | undefined>,
  { prefix = '', freeText = new Set(), kept = {} }: Options = {},
): ReadFields => {
  const values: Record<string, string> = {}
  const inAddress = prefix === TENANT_PREFIX
  // A certificate is compared with its key, which is read first.
  const keysFirst = fields.toSorted((a, b) => Number(!a.private_key) - Number(!b.private_key))
  for (const field of keysFirst) {
    const { name, suffix } = field
    const typed = (form[`${prefix}${name}`] ?? '').trim()
    if (field.private_key && typed !== '') {
      const read = readKeyField({ ...field, private_key: field.private_key }, typed)
      if ('problem' in read) return { problem: `private_key_${read.problem}`, invalidField: name }
      Object.assign(values, read.values)
      continue
    }
    const certificate = certificateOf(field)
    if (certificate && typed !== '') {
      const key = { ...kept, ...values }[certificate.private_key]
      if (key === undefined) return { problem: 'fields_missing' }
      const read = readCertificateField(typed, key, new Date())
      if ('problem' in read) return { problem: `certificate_${read.problem}`, invalidField: name }
      values[name] = read.value
      continue
    }
    const value = inAddress ? addressPart(typed, suffix) : typed
    if (value === '' && field.optional) continue
    if (value === '') return { problem: 'fields_missing' }
    const choice = field.choices?.find(one => one.value === value)
    if (choice) Object.assign(values, choice.sets)
    else if (field.choices || !matchesFormat(field, value, { inAddress, isFree: freeText.has(name) }))
      return inAddress ? { problem: 'address_unfit' } : { problem: 'format_unfit', invalidField: name }
    values[name] = value
  }
  return { values }
}

const matchesFormat = (
  { pattern, secret }: ConnectorField,
  value: string,
  { inAddress, isFree }: { inAddress: boolean; isFree: boolean },
): boolean =>
  charactersOf(secret, isFree).test(value) &&
  (!inAddress || isAddressPart(value)) &&
  (pattern === undefined || new RegExp(`^(?:${pattern})$`).test(value))

const charactersOf = (secret: boolean, isFree: boolean): RegExp => {
  if (isFree) return secret ? FREE_SECRET_PATTERN : FREE_TEXT_PATTERN
  return secret ? SECRET_PATTERN : TEXT_PATTERN
}

/** Accepts a whole URL where only its host, or the part before the suffix, is expected. */
const addressPart = (value: string, suffix = ''): string => {
  const host = value.replace(/^https?:\/\//i, '').replace(/[/?#].*$/, '')
  if (suffix === '') return /^https?:\/\//i.test(value) ? host : value
  return host.toLowerCase().endsWith(suffix.toLowerCase()) ? host.slice(0, -suffix.length) : value
}
