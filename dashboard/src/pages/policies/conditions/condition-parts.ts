import type { ToolEffect } from '@carabiner/contract'

/** How an argument is compared. The operator says of which type the value is. */
export const comparisons = [
  '>',
  '>=',
  '<',
  '<=',
  'is',
  'is not',
  'contains',
  'starts with',
  'true',
  'false',
] as const
export type Comparison = (typeof comparisons)[number]

/** Periods in which calls are counted. */
export const periods = ['1m', '10m', '1h', '24h', '7d', '30d'] as const
export type Period = (typeof periods)[number]

/** A condition of one of the common forms. All parts of a condition must hold. */
export type Part =
  | { kind: 'destructive' }
  | { kind: 'changes' }
  | { kind: 'effect'; effect: ToolEffect }
  | { kind: 'argument'; name: string; comparison: Comparison; value: string }
  /** Anything other than one address at one of the domains. `isList`: any item of a list. */
  | { kind: 'domain'; name: string; isList: boolean; domains: string }
  | { kind: 'metadata'; name: string; isEqual: boolean; value: string }
  | { kind: 'label'; isEqual: boolean; value: string }
  /** From an hour to another one, also over midnight. */
  | { kind: 'time'; from: number; to: number; zone: string }
  /** After a number of calls within a period. `effect`: of all tools that have it. Null: of the same tool. */
  | { kind: 'count'; calls: string; period: Period; effect: ToolEffect | null }
export type PartKind = Part['kind']
type PartOf<Kind extends PartKind> = Extract<Part, { kind: Kind }>

/** The expression of one part in CEL. Null: something is missing. */
export const expressionOfPart = (part: Part): string | null => {
  switch (part.kind) {
    case 'destructive':
      return 'tool.destructive'
    case 'changes':
      return '!tool.read_only'
    case 'effect':
      return `${text(part.effect)} in tool.effects`
    case 'argument':
      return argument(part)
    case 'domain':
      return domain(part)
    case 'metadata':
      return metadata(part)
    case 'label':
      return part.value === '' ? null : `account.label ${operator(part.isEqual)} ${text(part.value)}`
    case 'time':
      return time(part)
    case 'count':
      return count(part)
  }
}

/** All parts must hold. Incomplete parts are left out. Empty: the rule matches every call. */
export const expressionOf = (parts: readonly Part[]): string =>
  parts
    .map(expressionOfPart)
    .filter(each => each !== null)
    .join(' && ')

const text = (value: string): string => JSON.stringify(value)
const operator = (isEqual: boolean): string => (isEqual ? '==' : '!=')

const IDENTIFIER = /^[A-Za-z_]\w*$/
/** Words that cannot follow a dot. */
const RESERVED = new Set(
  'as break const continue else false for function if import in let loop namespace null package return true var void while'.split(
    ' ',
  ),
)

/** How a field of a map is tested and read. */
const access = (map: string, name: string): { test: string; value: string } =>
  IDENTIFIER.test(name) && !RESERVED.has(name)
    ? { test: `has(${map}.${name})`, value: `${map}.${name}` }
    : { test: `${text(name)} in ${map}`, value: `${map}[${text(name)}]` }

const NUMBER = /^-?\d{1,15}(?:\.\d{1,15})?$/

/** A decimal, because arguments are compared as decimals. Null: the text is not a number. */
const decimal = (value: string): string | null => {
  const trimmed = value.trim()
  if (!NUMBER.test(trimmed)) return null
  return trimmed.includes('.') ? trimmed : `${trimmed}.0`
}

const METHODS: Partial<Record<Comparison, string>> = { contains: 'contains', 'starts with': 'startsWith' }

const argument = ({ name, comparison, value }: PartOf<'argument'>): string | null => {
  if (name === '') return null
  const { test, value: read } = access('args', name)
  if (comparison === 'true' || comparison === 'false') return `${test} && ${read} == ${comparison}`
  const method = METHODS[comparison]
  if (method) return value === '' ? null : `${test} && ${read}.${method}(${text(value)})`
  if (comparison === 'is' || comparison === 'is not')
    return value === '' ? null : `${test} && ${read} ${operator(comparison === 'is')} ${text(value)}`
  const number = decimal(value)
  return number && `${test} && ${read} ${comparison} ${number}`
}

const DOMAIN = /^(?:[a-z0-9](?:[a-z0-9-]*[a-z0-9])?\.)+[a-z0-9-]{2,}$/

/** Reads domains that are separated by commas or spaces. Null if the text has none, or an invalid one. */
export const readDomains = (value: string): string[] | null => {
  const domains = value
    .toLowerCase()
    .split(/[\s,;]+/)
    .filter(Boolean)
    .map(each => each.replace(/^@/, ''))
  return domains.length > 0 && domains.every(each => DOMAIN.test(each)) ? domains : null
}

/** One address only: a text with several must not pass because the last one is inside. */
const ADDRESS = '^[^@,;\\s<>]+@'

const domain = ({ name, isList, domains }: PartOf<'domain'>): string | null => {
  const read = readDomains(domains)
  if (name === '' || !read) return null
  const { test, value } = access('args', name)
  const names = read.map(each => each.replaceAll('.', '\\.'))
  const pattern = text(`(?i)${ADDRESS}(${names.join('|')})$`)
  return isList
    ? `${test} && ${value}.exists(address, !address.matches(${pattern}))`
    : `${test} && !${value}.matches(${pattern})`
}

const metadata = ({ name, isEqual, value }: PartOf<'metadata'>): string | null => {
  if (name === '' || value === '') return null
  const { test, value: read } = access('user.metadata', name)
  return `${test} && ${read} ${operator(isEqual)} ${text(value)}`
}

const time = ({ from, to, zone }: PartOf<'time'>): string | null => {
  if (from === to || zone === '') return null
  const hour = `now.getHours(${text(zone)})`
  return `(${hour} >= ${from} ${from < to ? '&&' : '||'} ${hour} < ${to})`
}

const CALLS = /^[1-9]\d{0,5}$/

const count = ({ calls, period, effect }: PartOf<'count'>): string | null => {
  const number = calls.trim()
  if (!CALLS.test(number)) return null
  return `count(${[period, ...(effect ? [effect] : [])].map(text).join(', ')}) >= ${number}`
}

const STRING = String.raw`"(?:[^"\\]|\\.)*"`
const NAME = String.raw`(?:\w+|\["(?:[^"\\]|\\.)*"\])`
const inMap = (map: string): string =>
  String.raw`(?:has\(${map}\.(\w+)\)|(${STRING}) in ${map}) && `.replaceAll('.metadata', '\\.metadata')
const read = (map: string): string => `${map.replaceAll('.', '\\.')}\\.?${NAME}`

type Found = readonly (string | undefined)[]
type Form = { pattern: RegExp; parse: (found: Found) => Part | null }
const form = (pattern: string, parse: Form['parse']): Form => ({ pattern: new RegExp(pattern, 'y'), parse })

/** The value of a literal, or an empty text. */
const unquote = (literal: string | undefined): string => {
  try {
    return literal === undefined ? '' : String(JSON.parse(literal))
  } catch {
    return ''
  }
}
const nameOf = (identifier: string | undefined, literal: string | undefined): string =>
  identifier ?? unquote(literal)

/** What a pattern of `domain` allows. */
const domainsIn = (pattern: string): string =>
  /^\(\?i\).*@\((.*)\)\$$/.exec(pattern)?.[1]?.replaceAll('\\.', '.').replaceAll('|', ', ') ?? ''

/** The first form that a text has is read. Each reads more than it writes: the part is then written and compared. */
const FORMS: readonly Form[] = [
  form('tool\\.destructive', () => ({ kind: 'destructive' })),
  form('!tool\\.read_only', () => ({ kind: 'changes' })),
  form(`(${STRING}) in tool\\.effects`, ([, effect]) => ({
    kind: 'effect',
    effect: unquote(effect) as ToolEffect,
  })),
  form(
    `${inMap('args')}(!?)${read('args')}(\\.exists\\(address, !address)?\\.matches\\((${STRING})\\)\\)?`,
    found => ({
      kind: 'domain',
      name: nameOf(found[1], found[2]),
      isList: found[4] !== undefined,
      domains: domainsIn(unquote(found[5])),
    }),
  ),
  form(`${inMap('args')}${read('args')}\\.(contains|startsWith)\\((${STRING})\\)`, found => ({
    kind: 'argument',
    name: nameOf(found[1], found[2]),
    comparison: found[3] === 'contains' ? 'contains' : 'starts with',
    value: unquote(found[4]),
  })),
  form(`${inMap('args')}${read('args')} == (true|false)`, found => ({
    kind: 'argument',
    name: nameOf(found[1], found[2]),
    comparison: found[3] === 'true' ? 'true' : 'false',
    value: '',
  })),
  form(`${inMap('args')}${read('args')} ([=!]=) (${STRING})`, found => ({
    kind: 'argument',
    name: nameOf(found[1], found[2]),
    comparison: found[3] === '==' ? 'is' : 'is not',
    value: unquote(found[4]),
  })),
  form(`${inMap('args')}${read('args')} ([<>]=?) (-?[\\d.]+)`, found => ({
    kind: 'argument',
    name: nameOf(found[1], found[2]),
    comparison: found[3] as Comparison,
    value: (found[4] ?? '').replace(/\.0$/, ''),
  })),
  form(`${inMap('user.metadata')}${read('user.metadata')} ([=!]=) (${STRING})`, found => ({
    kind: 'metadata',
    name: nameOf(found[1], found[2]),
    isEqual: found[3] === '==',
    value: unquote(found[4]),
  })),
  form(`account\\.label ([=!]=) (${STRING})`, ([, equality, value]) => ({
    kind: 'label',
    isEqual: equality === '==',
    value: unquote(value),
  })),
  form(
    `\\(now\\.getHours\\((${STRING})\\) >= (\\d{1,2}) (?:&&|\\|\\|) now\\.getHours\\(${STRING}\\) < (\\d{1,2})\\)`,
    ([, zone, from, to]) => ({ kind: 'time', from: Number(from), to: Number(to), zone: unquote(zone) }),
  ),
  form(`count\\((${STRING})(?:, (${STRING}))?\\) >= (\\d{1,6})`, ([, literal, effect, calls = '']) => {
    const period = periods.find(each => each === unquote(literal))
    if (!period) return null
    return { kind: 'count', calls, period, effect: effect ? (unquote(effect) as ToolEffect) : null }
  }),
]

const AND = ' && '

/** The parts of an expression that has only the forms above. Null: it has others. */
export const readParts = (expression: string): Part[] | null => {
  const parts: Part[] = []
  for (let at = 0; at < expression.length; ) {
    const found = readPart(expression, at)
    if (!found) return null
    parts.push(found.part)
    at += found.length
    if (at === expression.length) break
    if (!expression.startsWith(AND, at)) return null
    at += AND.length
    if (at === expression.length) return null
  }
  return parts
}

const readPart = (expression: string, at: number): { part: Part; length: number } | null => {
  for (const { pattern, parse } of FORMS) {
    pattern.lastIndex = at
    const found = pattern.exec(expression)
    const part = found && parse(found)
    const written = part && expressionOfPart(part)
    if (part && written && expression.startsWith(written, at)) return { part, length: written.length }
  }
  return null
}
