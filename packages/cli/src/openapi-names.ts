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

const cut = (name: string, length: number): string => name.slice(0, length).replace(/_+$/, '')

/** A name that templates can speak of. */
export const argumentName = (given: string): string => {
  const name = cut(snakeCase(given), MAX_ARGUMENT_NAME - 2)
  return /^[a-z]/.test(name) ? name : `a_${name || 'value'}`
}

/** By the operation's own id, else by what it does to what. */
export const toolNameOf = (operationId: string | undefined, method: string, path: string): string => {
  const own = operationId === undefined ? '' : snakeCase(operationId)
  return (
    cut(own || snakeCase(`${method} ${path.replaceAll('{', ' by ')}`), MAX_TOOL_NAME) || method.toLowerCase()
  )
}

/** The same name again gets a number. */
export const uniqueName = (name: string, taken: ReadonlySet<string>, length = MAX_TOOL_NAME): string => {
  if (!taken.has(name)) return name
  for (let number = 2; ; number++) {
    const suffix = `_${number}`
    const candidate = `${cut(name, length - suffix.length)}${suffix}`
    if (!taken.has(candidate)) return candidate
  }
}

export const slugOf = (title: string): string =>
  snakeCase(title).replaceAll('_', '-').slice(0, 40).replace(/-+$/, '')
