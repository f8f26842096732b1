import { Refusal } from '../../../core/refusal.ts'
import { mimeMessage } from './mime-message.ts'

/**
 * Values of the placeholders in connector files, such as `{argument}` and `{tenant.subdomain}`. A string that is
 * exactly one placeholder becomes the value with its type. Missing values are omitted, and so is any list or object
 * that becomes empty that way.
 */
export type Values = Record<string, unknown>

const NAME = /\{([a-z][a-z0-9_]*(?:\.[a-z][a-z0-9_]*)?)\}/g
const ONE_NAME = /^\{([a-z][a-z0-9_]*(?:\.[a-z][a-z0-9_]*)?)\}$/

/** All placeholder names in a template. */
export const namesIn = (template: unknown): string[] => {
  if (typeof template === 'string') return [...template.matchAll(NAME)].map(match => match[1] as string)
  if (template !== null && typeof template === 'object') return Object.values(template).flatMap(namesIn)
  return []
}

export const textOf = (value: unknown): string => (typeof value === 'string' ? value : JSON.stringify(value))

const valueOf = (values: Values, name: string): unknown => {
  const value = Object.hasOwn(values, name) ? values[name] : undefined
  return value === null ? undefined : value
}

/** Null if a placeholder has no value. */
export const fillText = (
  template: string,
  values: Values,
  encode: (text: string, name: string) => string = text => text,
): string | null => {
  let missing = false
  const filled = template.replace(NAME, (_, name: string) => {
    const value = valueOf(values, name)
    if (value === undefined) missing = true
    return encode(textOf(value ?? ''), name)
  })
  return missing ? null : filled
}

/**
 * Undefined if all of the template is omitted. `{"$mime": {…}}` is replaced by a mail message in Gmail's format, and
 * `{"$base64": "…"}` by the text in base64.
 */
export const fillValue = (template: unknown, values: Values): unknown => {
  if (typeof template === 'string') {
    const name = ONE_NAME.exec(template)?.[1]
    if (name === undefined) return fillText(template, values) ?? undefined
    // An explicit null is a value, unlike a missing argument.
    return Object.hasOwn(values, name) ? values[name] : undefined
  }
  if (template === null || typeof template !== 'object') return template
  if (Array.isArray(template)) {
    const items = template.map(part => fillValue(part, values)).filter(part => part !== undefined)
    return items.length === 0 && template.length > 0 ? undefined : items
  }
  return fillObject(template as Record<string, unknown>, values)
}

const fillObject = (template: Record<string, unknown>, values: Values): unknown => {
  const parts = Object.entries(template)
  const filled = parts.flatMap(([name, part]) => {
    const value = fillValue(part, values)
    if (name === '$mime') return [[name, mimeMessage(value)] as const]
    return value === undefined ? [] : [[name, value] as const]
  })
  const [form, value] = filled[0] ?? []
  if (form === '$mime') return value
  if (form === '$base64') return Buffer.from(textOf(value), 'utf8').toString('base64')
  return filled.length === 0 && parts.length > 0 ? undefined : Object.fromEntries(filled)
}

/** RFC 9110 §5.5, limited to what undici accepts. */
const isHeaderValue = (text: string): boolean => /^[\t\x20-\x7e\x80-\xff]*$/.test(text)

export const fillHeaders = (
  templates: Record<string, string> | undefined,
  values: Values,
): Record<string, string> =>
  Object.fromEntries(
    Object.entries(templates ?? {}).flatMap(([name, template]) => {
      const value = fillText(template, values)
      if (value === null) return []
      if (!isHeaderValue(value)) throw unsendable(template)
      return [[name.toLowerCase(), value] as const]
    }),
  )

/** RFC 7617, in UTF-8. */
export const basicCredentials = (
  { username, password }: { username: string; password: string },
  values: Values,
): string => {
  const pair = [username, password].map(template => fillText(template, values) ?? '').join(':')
  return Buffer.from(pair, 'utf8').toString('base64')
}

const unsendable = (template: string): Refusal => {
  const param = namesIn(template)[0] ?? 'arguments'
  return new Refusal('invalid_arguments', {
    param,
    message: `"${param}" contains a character that cannot be sent, such as a line break.`,
  })
}

export const tenantValues = (tenant: Record<string, string>): Values =>
  Object.fromEntries(Object.entries(tenant).map(([name, value]) => [`tenant.${name}`, value]))

/** A tenant value must be a single URL component, so that it cannot change another part of the URL or make it invalid. */
export const isAddressPart = (value: string): boolean =>
  value !== '' &&
  !/[/:@?#\\%{}\s\p{Cc}]/u.test(value) &&
  !/^\.+$/.test(value) &&
  URL.canParse(`https://${value}.example`)

/** Fills the tenant values into a URL of the connector. A missing value is a defect of the connector file and throws. */
export const fillAddress = (template: string, tenant: Record<string, string>): string =>
  template.replace(/\{tenant\.([a-z][a-z0-9_]*)\}/g, (_, name: string) => {
    const value = Object.hasOwn(tenant, name) ? tenant[name] : undefined
    if (value === undefined) throw new Error(`the address ${template} has no value for ${name}`)
    if (!isAddressPart(value))
      throw new Error(`the value of ${name} is not a valid part of the address ${template}`)
    return value
  })
