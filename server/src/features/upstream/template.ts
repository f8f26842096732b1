/**
 * Connector files speak of values by name: `{argument}`, `{tenant.subdomain}`. A text that is one name and nothing else
 * stands for its value, of whatever type; a value that was not given is left out.
 */
export type Values = Record<string, unknown>

const NAME = /\{([a-z][a-z0-9_]*(?:\.[a-z][a-z0-9_]*)?)\}/g
const ONE_NAME = /^\{([a-z][a-z0-9_]*(?:\.[a-z][a-z0-9_]*)?)\}$/

const textOf = (value: unknown): string => (typeof value === 'string' ? value : JSON.stringify(value))

/** Null where a name in it has no value. */
export const fillText = (
  template: string,
  values: Values,
  encode: (text: string) => string = text => text,
): string | null => {
  let missing = false
  const filled = template.replace(NAME, (_, name: string) => {
    const value = Object.hasOwn(values, name) ? values[name] : undefined
    if (value === undefined || value === null) missing = true
    return encode(textOf(value ?? ''))
  })
  return missing ? null : filled
}

/** Undefined where it comes to nothing. */
export const fillValue = (template: unknown, values: Values): unknown => {
  if (typeof template === 'string') {
    const name = ONE_NAME.exec(template)?.[1]
    if (name !== undefined) return Object.hasOwn(values, name) ? values[name] : undefined
    return fillText(template, values) ?? undefined
  }
  if (Array.isArray(template))
    return template.map(part => fillValue(part, values)).filter(part => part !== undefined)
  if (template !== null && typeof template === 'object') {
    const entries = Object.entries(template).flatMap(([name, part]) => {
      const value = fillValue(part, values)
      return value === undefined ? [] : [[name, value] as const]
    })
    return Object.fromEntries(entries)
  }
  return template
}

export const fillHeaders = (templates: Record<string, string> | undefined, values: Values) =>
  Object.fromEntries(
    Object.entries(templates ?? {}).flatMap(([name, template]) => {
      const value = fillText(template, values)
      return value === null ? [] : [[name.toLowerCase(), value] as const]
    }),
  )

export const tenantValues = (tenant: Record<string, string>): Values =>
  Object.fromEntries(Object.entries(tenant).map(([name, value]) => [`tenant.${name}`, value]))

/** An address of the connector with the customer's own part filled in; what is missing there is a defect of the file. */
export const fillAddress = (template: string, tenant: Record<string, string>): string => {
  const filled = template.replace(/\{tenant\.([a-z][a-z0-9_]*)\}/g, (_, name: string) => {
    const value = Object.hasOwn(tenant, name) ? tenant[name] : undefined
    if (value === undefined) throw new Error(`the address ${template} needs a value for ${name}`)
    return value
  })
  return filled
}
