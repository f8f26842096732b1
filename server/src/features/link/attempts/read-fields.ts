import type { ConnectorField } from '@carabiner/contract'
import { isAddressPart } from '../../upstream/http/template.ts'
import { type KeyProblem, TENANT_PREFIX } from '../views/index.ts'

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
  for (const field of fields) {
    const { name, suffix } = field
    const typed = (form[`${prefix}${name}`] ?? '').trim()
    const value = inAddress ? addressPart(typed, suffix) : typed
    if (value === '') return { problem: 'fields_missing' }
    const choice = field.choices?.find(one => one.value === value)
    if (choice) Object.assign(values, choice.sets)
    else if (field.choices || !fits(field, value, inAddress))
      return inAddress ? { problem: 'address_unfit' } : { problem: 'format_unfit', blamed: name }
    values[name] = value
  }
  return { values }
}

const fits = ({ pattern, secret }: ConnectorField, value: string, inAddress: boolean): boolean =>
  (secret ? SECRET_SHAPE : TEXT_SHAPE).test(value) &&
  (!inAddress || isAddressPart(value)) &&
  (pattern === undefined || new RegExp(`^(?:${pattern})$`).test(value))

/** People paste a whole address where only its host, or the part before the suffix, belongs. */
const addressPart = (value: string, suffix = ''): string => {
  const host = value.replace(/^https?:\/\//i, '').replace(/[/?#].*$/, '')
  if (suffix === '') return /^https?:\/\//i.test(value) ? host : value
  return host.toLowerCase().endsWith(suffix.toLowerCase()) ? host.slice(0, -suffix.length) : value
}
