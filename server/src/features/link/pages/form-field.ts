import { type ConnectorField, certificateOf } from '@carabiner/contract'
import type { Translate } from '../../connectors/catalog/translations.ts'
import type { KeyField } from '../../pages/views/index.ts'

type Context = {
  translate: Translate
  /** Values entered before. */
  typed: Record<string, string | undefined>
}

/** A field of a connector file as a form shows it. */
export const toField = ({ translate, typed }: Context, field: ConnectorField, prefix = ''): KeyField => {
  const { label, hint, placeholder, suffix, secret, private_key, choices } = field
  const name = `${prefix}${field.name}`
  return {
    name,
    label: translate(label),
    hint: hint === undefined ? null : translate(hint),
    placeholder: placeholder ?? null,
    suffix: suffix ?? null,
    secret,
    required: !field.optional,
    isFile: private_key !== undefined || certificateOf(field) !== null,
    pattern: formatOf(field),
    choices: choices?.map(choice => ({ value: choice.value, label: translate(choice.label) })) ?? null,
    value: secret ? null : (typed[name] ?? null),
  }
}

/** A first check in the browser. The service names what exactly is wrong with a key or certificate. */
const formatOf = (field: ConnectorField): string | null => {
  const { private_key, pattern } = field
  if (private_key?.file) return '\\{[^]*\\}'
  return private_key || certificateOf(field) ? '[^]*-----BEGIN [^]*' : (pattern ?? null)
}
