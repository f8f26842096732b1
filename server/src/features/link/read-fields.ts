import type { ConnectorField } from '@carabiner/contract'
import { isAddressPart } from '../upstream/template.ts'
import { type KeyProblem, TENANT_PREFIX } from './views/index.ts'

/** `blamed`: the field that does not have the form that the connector asks for. */
export type ReadFields = { values: Record<string, string> } | { problem: KeyProblem; blamed?: string }

/** A value is part of a header or an address: what cannot stand in one is refused before it is sent anywhere. */
const SECRET_SHAPE = /^[\x21-\x7e]{1,4096}$/
const TEXT_SHAPE = /^[\x20-\x7e]{1,320}$/

export const readFields = (
  fields: ConnectorField[],
  form: Record<string, string | undefined>,
  prefix = '',
): ReadFields => {
  const values: Record<string, string> = {}
  const inAddress = prefix === TENANT_PREFIX
  for (const { name, pattern, suffix, secret } of fields) {
    const value = withoutSuffix((form[`${prefix}${name}`] ?? '').trim(), suffix)
    if (value === '') return { problem: 'fields_missing' }
    const isSendable =
      (secret ? SECRET_SHAPE : TEXT_SHAPE).test(value) && (!inAddress || isAddressPart(value))
    const isInForm = pattern === undefined || new RegExp(`^(?:${pattern})$`).test(value)
    if (inAddress && !(isSendable && isInForm)) return { problem: 'address_unfit' }
    if (!isSendable || !isInForm) return { problem: 'format_unfit', blamed: name }
    values[name] = value
  }
  return { values }
}

/** People paste the whole address of what is asked for in part. */
const withoutSuffix = (value: string, suffix: string | undefined): string => {
  if (!suffix) return value
  const bare = value.replace(/^https?:\/\//i, '').replace(/[/?#].*$/, '')
  return bare.toLowerCase().endsWith(suffix.toLowerCase()) ? bare.slice(0, -suffix.length) : value
}
