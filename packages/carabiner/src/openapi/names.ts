const MAX_TOOL_NAME = 48
const MAX_ARGUMENT_NAME = 40

const snakeCase = (text: string): string =>
  text
    .normalize('NFKD')
    .replace(/([a-z0-9])([A-Z])/g, '$1_$2')
    .replace(/([A-Z]+)([A-Z][a-z])/g, '$1_$2')
    .toLowerCase()
    .replace(/[^a-z0-9]+/g, '_')
    .replace(/^_+|_+$/g, '')

const truncateName = (name: string, length: number): string => name.slice(0, length).replace(/_+$/, '')

/** A valid placeholder name. */
export const argumentName = (given: string): string => {
  const name = truncateName(snakeCase(given), MAX_ARGUMENT_NAME - 2)
  return /^[a-z]/.test(name) ? name : `a_${name || 'value'}`
}

/** From the operation ID, or else from the method and path. */
export const toolNameOf = (operationId: string | undefined, method: string, path: string): string => {
  const own = operationId === undefined ? '' : snakeCase(operationId)
  return (
    truncateName(own || snakeCase(`${method} ${path.replaceAll('{', ' by ')}`), MAX_TOOL_NAME) ||
    method.toLowerCase()
  )
}

/** Duplicate names get a number. */
export const uniqueName = (name: string, taken: ReadonlySet<string>, length = MAX_TOOL_NAME): string => {
  if (!taken.has(name)) return name
  for (let number = 2; ; number++) {
    const suffix = `_${number}`
    const candidate = `${truncateName(name, length - suffix.length)}${suffix}`
    if (!taken.has(candidate)) return candidate
  }
}

export const slugOf = (title: string): string =>
  snakeCase(title).replaceAll('_', '-').slice(0, 40).replace(/-+$/, '')
