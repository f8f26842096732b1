/** §2: the parameters that the service appends to a callback URL; a duplicate would break the flow. */
export const CALLBACK_PARAMETERS: ReadonlySet<string> = new Set(['status', 'code', 'state'])

/** Whether a query contains one of these names (lower case) in any spelling that a server might accept. */
export const hasParameter = (search: string, names: ReadonlySet<string>): boolean =>
  queryNames(search).some(name => names.has(name))

/** Every parameter name that a server might read from the query: `;` is a separator for some, `name[]` an array for others. */
const queryNames = (search: string): string[] =>
  search
    .replace(/^\?+/, '')
    .split(/[&;]/)
    .map(pair =>
      decodeFully(pair.split('=')[0] ?? '')
        .replace(/^[\s[\]]+/, '')
        .replace(/[[\]\0].*$/s, '')
        .trim()
        .toLowerCase(),
    )

/** Decodes repeatedly, because a name may be percent-encoded several times. */
const decodeFully = (name: string): string => {
  for (let current = name; ; ) {
    const decoded = decodeLeniently(current.replaceAll('+', ' '))
    if (decoded === current) return current
    current = decoded
  }
}

const decodeLeniently = (text: string): string =>
  text
    .replace(/%u([0-9a-f]{4})/gi, (_, hex: string) => String.fromCharCode(Number.parseInt(hex, 16)))
    .replace(/(?:%[0-9a-f]{2})+/gi, run => Buffer.from(run.replaceAll('%', ''), 'hex').toString('utf8'))
