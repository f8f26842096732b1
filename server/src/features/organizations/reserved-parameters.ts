/** §2: what the service appends to a callback URL; a duplicate would break the flow. */
export const CALLBACK_PARAMETERS: ReadonlySet<string> = new Set(['status', 'code', 'state'])

/** Whether a query carries one of these names, lower case, in any spelling that some server might read as it. */
export const carriesParameter = (search: string, names: ReadonlySet<string>): boolean =>
  queryNames(search).some(name => names.has(name))

/** Every name that some server might read out of the query: `;` separates for some, `name[]` is an array for others. */
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

/** Decoded until it stays the same: a name hidden under several layers of percent-encoding is still that name. */
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
