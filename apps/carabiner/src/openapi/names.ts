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
  return truncateName(own || snakeCase(nameOfPath(method, path)), MAX_TOOL_NAME) || method.toLowerCase()
}

const VERBS: Record<string, string> = {
  get: 'get',
  post: 'create',
  put: 'update',
  patch: 'update',
  delete: 'delete',
}

/** `POST /orders/{id}/cancel` is `cancel order`, `GET /orders/{id}/items` is `list order items`. */
const nameOfPath = (method: string, path: string): string => {
  const segments = path.split('/').filter(segment => segment !== '' && !/^(?:api|rest|v\d+)$/i.test(segment))
  const isName = (segment: string | undefined): segment is string =>
    segment !== undefined && !segment.includes('{')
  const last = segments.at(-1)
  const collection = segments.findLast(isName)
  if (collection === undefined || last === undefined) return method
  const parent = segments.slice(0, segments.lastIndexOf(collection)).findLast(isName)
  const isInside = parent !== undefined && !isName(segments[segments.lastIndexOf(collection) - 1])
  const owner = isInside ? `${singularOf(parent)} ` : ''
  if (!isName(last)) return `${VERBS[method] ?? method} ${owner}${singularOf(collection)}`
  const isPlural = singularOf(collection) !== collection
  if (method === 'get') return `${isPlural ? 'list' : 'get'} ${owner}${collection}`
  if (method !== 'post') return `${VERBS[method] ?? method} ${owner}${collection}`
  if (isPlural || parent === undefined) return `create ${owner}${singularOf(collection)}`
  return `${collection} ${isInside ? singularOf(parent) : parent}`
}

const singularOf = (word: string): string => {
  if (/(?:ss|us|is)$/i.test(word)) return word
  if (/ies$/i.test(word)) return word.replace(/ies$/i, 'y')
  if (/(?:ch|sh|x|ss|z)es$/i.test(word)) return word.replace(/es$/i, '')
  return word.replace(/s$/i, '')
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
