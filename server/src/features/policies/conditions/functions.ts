import { HOUR, MINUTE, SECOND } from '../../../core/duration.ts'
import { operators } from './operators.ts'
import { int, MAX_INT, MIN_INT, type Overload, overload, type ParameterKind, type Run } from './overload.ts'
import { compilePattern } from './pattern.ts'
import { clockIn, parseDuration, parseTimestamp } from './times.ts'
import {
  type Duration,
  Failure,
  isMap,
  keysOf,
  type Meter,
  OUT_OF_STEPS,
  type Result,
  spend,
  type Timestamp,
  textSteps,
  type Value,
} from './values.ts'

/** In characters of Unicode. */
const sizeOf = (meter: Meter, text: string): Result => {
  if (!spend(meter, text.length >> 4)) return OUT_OF_STEPS
  let size = text.length
  for (let at = 1; at < text.length; at++)
    if ((text.charCodeAt(at) & 0xfc00) === 0xdc00 && (text.charCodeAt(at - 1) & 0xfc00) === 0xd800) size--
  return BigInt(size)
}

const sizes: Overload[] = [
  overload(['string'], 'int', sizeOf),
  overload(['list'], 'int', (_, list: readonly Value[]) => BigInt(list.length)),
  overload(['map'], 'int', (meter, map: Value) => {
    const keys = isMap(map) ? keysOf(map, meter) : []
    return keys instanceof Failure ? keys : BigInt(keys.length)
  }),
]

/** The engine compares the searched text at every position, in the worst case. */
const contains = (meter: Meter, text: string, searched: string): Result =>
  spend(meter, Math.floor((text.length * Math.max(searched.length, 4)) / 256))
    ? text.includes(searched)
    : OUT_OF_STEPS

const lowerAscii = (meter: Meter, text: string): Result =>
  spend(meter, text.length >> 1) ? text.replace(/[A-Z]+/g, letters => letters.toLowerCase()) : OUT_OF_STEPS

/** Steps for parsing a number, a time or a duration. */
const PARSE_STEPS = 10

const parser = (gives: ParameterKind, parse: (text: string) => Value | null): Overload =>
  overload(['string'], gives, (meter, text: string) =>
    spend(meter, PARSE_STEPS) ? (parse(text) ?? new Failure(`Not a valid ${gives}.`)) : OUT_OF_STEPS,
  )

const parseInteger = (text: string): bigint | null => {
  const value = /^-?\d{1,19}$/.test(text) ? BigInt(text) : null
  return value !== null && value >= MIN_INT && value <= MAX_INT ? value : null
}

const parseDouble = (text: string): number | null =>
  text.length <= 40 && /^[+-]?(?:\d+\.?\d*|\.\d+)(?:[eE][+-]?\d+)?$/.test(text) ? Number(text) : null

const truncate = (value: number): Result =>
  Number.isFinite(value) ? int(BigInt(Math.trunc(value))) : new Failure('Not an integer.')

const needsLiteral: Run = () => new Failure('The last argument must be a literal.')

const matches: Overload = {
  takes: ['string', 'string'],
  gives: 'bool',
  run: needsLiteral,
  prepare: source => {
    const pattern = compilePattern(source)
    return (meter: Meter, text: string) => pattern(text, meter)
  },
}

const CLOCK_FIELDS = {
  getFullYear: 'year',
  getMonth: 'month',
  getDate: 'date',
  getDayOfMonth: 'dayOfMonth',
  getDayOfWeek: 'dayOfWeek',
  getHours: 'hours',
  getMinutes: 'minutes',
  getSeconds: 'seconds',
} as const

/** Steps for formatting a time in a time zone. */
const ZONE_STEPS = 100

const clockMethods: [string, Overload[]][] = Object.entries(CLOCK_FIELDS).map(([name, field]) => [
  `.${name}`,
  [
    overload(['timestamp'], 'int', (_, { ms }: Timestamp) => BigInt(clockIn('UTC')(ms)[field])),
    {
      takes: ['timestamp', 'string'],
      gives: 'int',
      run: needsLiteral,
      prepare: zone => {
        const clock = clockIn(zone)
        return (meter: Meter, { ms }: Timestamp) =>
          spend(meter, ZONE_STEPS) ? BigInt(clock(ms)[field]) : OUT_OF_STEPS
      },
    },
  ],
])

const inUnits = (unit: number): Overload =>
  overload(['duration'], 'int', (_, { ms }: Duration) => BigInt(Math.trunc(ms / unit)))

const UNITS = new Map([
  ['.getHours', HOUR],
  ['.getMinutes', MINUTE],
  ['.getSeconds', SECOND],
])

/** Functions by name. A name that begins with a dot is a method; the value before the dot is its first argument. */
export const functions: ReadonlyMap<string, readonly Overload[]> = new Map<string, Overload[]>([
  ...operators,
  ['size', sizes],
  ['.size', sizes],
  ['.contains', [overload(['string', 'string'], 'bool', contains)]],
  [
    '.startsWith',
    [
      overload(['string', 'string'], 'bool', (meter, text: string, start: string) =>
        spend(meter, textSteps(start.length)) ? text.startsWith(start) : OUT_OF_STEPS,
      ),
    ],
  ],
  [
    '.endsWith',
    [
      overload(['string', 'string'], 'bool', (meter, text: string, end: string) =>
        spend(meter, textSteps(end.length)) ? text.endsWith(end) : OUT_OF_STEPS,
      ),
    ],
  ],
  ['.lowerAscii', [overload(['string'], 'string', lowerAscii)]],
  ['.matches', [matches]],
  ['dyn', [overload(['any'], 'any', (_, value: Value) => value)]],
  [
    'int',
    [
      overload(['int'], 'int', (_, value: bigint) => value),
      overload(['double'], 'int', (_, value: number) => truncate(value)),
      parser('int', parseInteger),
      overload(['timestamp'], 'int', (_, { ms }: Timestamp) => BigInt(Math.floor(ms / 1000))),
    ],
  ],
  [
    'double',
    [
      overload(['double'], 'double', (_, value: number) => value),
      overload(['int'], 'double', (_, value: bigint) => Number(value)),
      parser('double', parseDouble),
    ],
  ],
  [
    'string',
    [
      overload(['string'], 'string', (_, text: string) => text),
      ...(['int', 'double', 'bool'] as const).map(kind =>
        overload([kind], 'string', (_, value: bigint | number | boolean) => String(value)),
      ),
    ],
  ],
  ['timestamp', [parser('timestamp', parseTimestamp)]],
  ['duration', [parser('duration', parseDuration)]],
  ...clockMethods.map(([name, overloads]): [string, Overload[]] => {
    const unit = UNITS.get(name)
    return [name, unit ? [...overloads, inUnits(unit)] : overloads]
  }),
])
