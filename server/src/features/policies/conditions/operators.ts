import { int, type Overload, overload } from './overload.ts'
import { createDuration, createTimestamp } from './times.ts'
import {
  areEqual,
  type Duration,
  entryOf,
  Failure,
  isMap,
  type Meter,
  OUT_OF_STEPS,
  type Result,
  spend,
  type Timestamp,
  textSteps,
  type Value,
} from './values.ts'

const timestamp = (ms: number): Result => createTimestamp(ms) ?? new Failure('A time is out of range.')
const duration = (ms: number): Result => createDuration(ms) ?? new Failure('A duration is out of range.')

const arithmetic = (
  ofInts: (a: bigint, b: bigint) => Result,
  ofDoubles: (a: number, b: number) => number,
): Overload[] => [
  overload(['int', 'int'], 'int', (_, a: bigint, b: bigint) => ofInts(a, b)),
  overload(['double', 'double'], 'double', (_, a: number, b: number) => ofDoubles(a, b)),
]

const byZero = new Failure('Division by zero.')

/** A text that is built from others takes steps for its length, so it cannot grow exponentially. */
const concatenate = (meter: Meter, a: string, b: string): Result =>
  spend(meter, (a.length + b.length) >> 4) ? a + b : OUT_OF_STEPS

const concatenateLists = (meter: Meter, a: readonly Value[], b: readonly Value[]): Result =>
  spend(meter, a.length + b.length) ? [...a, ...b] : OUT_OF_STEPS

const times = (sign: 1 | -1): Overload[] => [
  overload(['timestamp', 'duration'], 'timestamp', (_, a: Timestamp, b: Duration) =>
    timestamp(a.ms + sign * b.ms),
  ),
  overload(['duration', 'duration'], 'duration', (_, a: Duration, b: Duration) =>
    duration(a.ms + sign * b.ms),
  ),
]

const NUMBERS = ['int', 'double'] as const

/** Integers and doubles are compared exactly: JavaScript does not convert a bigint to compare it with a number. */
const comparison = (holds: (a: number, b: number) => boolean): Overload[] => [
  ...NUMBERS.flatMap(a =>
    NUMBERS.map(b => overload([a, b], 'bool', (_, left: number, right: number) => holds(left, right))),
  ),
  overload(['string', 'string'], 'bool', (meter, a: string, b: string) =>
    spend(meter, textSteps(Math.min(a.length, b.length)))
      ? holds(a < b ? -1 : a > b ? 1 : 0, 0)
      : OUT_OF_STEPS,
  ),
  overload(['bool', 'bool'], 'bool', (_, a: boolean, b: boolean) => holds(Number(a), Number(b))),
  ...(['timestamp', 'duration'] as const).map(kind =>
    overload([kind, kind], 'bool', (_, a: Timestamp, b: Timestamp) => holds(a.ms, b.ms)),
  ),
]

const isIn = (meter: Meter, value: Value, list: readonly Value[]): Result => {
  for (const item of list) {
    const same = areEqual(item, value, meter)
    if (same !== false) return same
  }
  return false
}

export const operators: readonly [name: string, Overload[]][] = [
  ['!', [overload(['bool'], 'bool', (_, value: boolean) => !value)]],
  [
    'negate',
    [
      overload(['int'], 'int', (_, value: bigint) => int(-value)),
      overload(['double'], 'double', (_, value: number) => -value),
    ],
  ],
  [
    '+',
    [
      ...arithmetic(
        (a, b) => int(a + b),
        (a, b) => a + b,
      ),
      overload(['string', 'string'], 'string', concatenate),
      overload(['list', 'list'], 'list', concatenateLists),
      ...times(1),
      overload(['duration', 'timestamp'], 'timestamp', (_, a: Duration, b: Timestamp) =>
        timestamp(a.ms + b.ms),
      ),
    ],
  ],
  [
    '-',
    [
      ...arithmetic(
        (a, b) => int(a - b),
        (a, b) => a - b,
      ),
      ...times(-1),
      overload(['timestamp', 'timestamp'], 'duration', (_, a: Timestamp, b: Timestamp) =>
        duration(a.ms - b.ms),
      ),
    ],
  ],
  [
    '*',
    arithmetic(
      (a, b) => int(a * b),
      (a, b) => a * b,
    ),
  ],
  [
    '/',
    arithmetic(
      (a, b) => (b === 0n ? byZero : int(a / b)),
      (a, b) => a / b,
    ),
  ],
  ['%', [overload(['int', 'int'], 'int', (_, a: bigint, b: bigint) => (b === 0n ? byZero : a % b))]],
  ['==', [overload(['any', 'any'], 'bool', (meter, a: Value, b: Value) => areEqual(a, b, meter))]],
  [
    '!=',
    [
      overload(['any', 'any'], 'bool', (meter, a: Value, b: Value) => {
        const same = areEqual(a, b, meter)
        return typeof same === 'boolean' ? !same : same
      }),
    ],
  ],
  ['<', comparison((a, b) => a < b)],
  ['<=', comparison((a, b) => a <= b)],
  ['>', comparison((a, b) => a > b)],
  ['>=', comparison((a, b) => a >= b)],
  [
    'in',
    [
      overload(['any', 'list'], 'bool', isIn),
      ...(['string', 'int', 'double', 'bool'] as const).map(kind =>
        overload(
          [kind, 'map'],
          'bool',
          (_, key: Value, map: Value) => isMap(map) && entryOf(map, key) !== undefined,
        ),
      ),
    ],
  ],
]
