/**
 * Values of CEL. JSON values are used as they are: a number is a double, an array a list and an object a map. Integers
 * of CEL are bigints.
 */
export type Value =
  | string
  | number
  | bigint
  | boolean
  | null
  | readonly Value[]
  | ReadonlyMap<MapKey, Value>
  | { readonly [name: string]: Value }
  | Timestamp
  | Duration

export type MapKey = string | bigint | boolean

export class Timestamp {
  readonly ms: number
  constructor(ms: number) {
    this.ms = ms
  }
}

export class Duration {
  readonly ms: number
  constructor(ms: number) {
    this.ms = ms
  }
}

/**
 * Why an expression has no value. It is unknown if it depends on a fact that was not given, or if its bound of steps was
 * reached: nothing follows from it for other calls.
 */
export class Failure {
  readonly reason: string
  readonly isUnknown: boolean
  constructor(reason: string, isUnknown = false) {
    this.reason = reason
    this.isUnknown = isUnknown
  }
}

export type Result = Value | Failure

/** The steps that an evaluation may still take. One step takes about 100 ns. */
export type Meter = { left: number; keys?: KeyCache }

/** The keys of the maps that rules have enumerated, because enumerating a wide object takes milliseconds. */
export type KeyCache = Map<object, readonly MapKey[]>

export const OUT_OF_STEPS = new Failure('The condition takes too many steps.', true)

/** Returns whether the steps are still available. Once they are not, they never are again. */
export const spend = (meter: Meter, steps: number): boolean => {
  meter.left -= steps
  return meter.left >= 0
}

/** Steps for reading a text once with a function of the engine. */
export const textSteps = (length: number): number => length >> 6

export type Kind = 'bool' | 'int' | 'double' | 'string' | 'null' | 'list' | 'map' | 'timestamp' | 'duration'

export const kindOf = (value: Value): Kind => {
  if (typeof value === 'string') return 'string'
  if (typeof value === 'number') return 'double'
  if (typeof value === 'bigint') return 'int'
  if (typeof value === 'boolean') return 'bool'
  if (value === null) return 'null'
  if (Array.isArray(value)) return 'list'
  if (value instanceof Timestamp) return 'timestamp'
  return value instanceof Duration ? 'duration' : 'map'
}

type MapValue = Extract<Value, ReadonlyMap<MapKey, Value>> | { readonly [name: string]: Value }

export const isMap = (value: Value): value is MapValue => kindOf(value) === 'map'

/** Returns undefined if the map does not have the key. Inherited properties such as `constructor` are not entries. */
export const entryOf = (map: MapValue, key: Value): Value | undefined => {
  if (map instanceof Map) return map.get(integerOf(key) ?? key)
  return typeof key === 'string' && Object.hasOwn(map, key)
    ? (map as { readonly [name: string]: Value })[key]
    : undefined
}

/** Request bodies have at most `jsonLimits.members` members, so enumerating them once is affordable. */
export const keysOf = (map: MapValue, meter: Meter): readonly MapKey[] | Failure => {
  let keys = meter.keys?.get(map)
  if (!keys) {
    keys = map instanceof Map ? [...map.keys()] : Object.keys(map)
    meter.keys?.set(map, keys)
  }
  return spend(meter, keys.length >> 2) ? keys : OUT_OF_STEPS
}

/** A double without a fraction selects the same element of a list and entry of a map as the integer. */
export const integerOf = (value: Value): bigint | undefined => {
  if (typeof value === 'bigint') return value
  return typeof value === 'number' && Number.isSafeInteger(value) ? BigInt(value) : undefined
}

/** Values of different kinds are not equal, except for numbers, which are compared exactly. */
export const areEqual = (a: Value, b: Value, meter: Meter): boolean | Failure => {
  if (!spend(meter, 1)) return OUT_OF_STEPS
  if (typeof a === 'string') {
    if (typeof b !== 'string' || a.length !== b.length) return false
    return spend(meter, textSteps(a.length)) ? a === b : OUT_OF_STEPS
  }
  // biome-ignore lint/suspicious/noDoubleEquals: compares a bigint and a number by their values
  if (isNumber(a) && isNumber(b)) return a == b
  if (a === b) return true
  const kind = kindOf(a)
  if (kind !== kindOf(b)) return false
  if (kind === 'list') return areEqualLists(a as readonly Value[], b as readonly Value[], meter)
  if (kind === 'map') return areEqualMaps(a as MapValue, b as MapValue, meter)
  return a instanceof Timestamp || a instanceof Duration ? a.ms === (b as Timestamp).ms : false
}

const isNumber = (value: Value): value is number | bigint =>
  typeof value === 'number' || typeof value === 'bigint'

const areEqualLists = (a: readonly Value[], b: readonly Value[], meter: Meter): boolean | Failure => {
  if (a.length !== b.length) return false
  for (const [at, item] of a.entries()) {
    const same = areEqual(item, b[at] as Value, meter)
    if (same !== true) return same
  }
  return true
}

const areEqualMaps = (a: MapValue, b: MapValue, meter: Meter): boolean | Failure => {
  const [keys, others] = [keysOf(a, meter), keysOf(b, meter)]
  if (keys instanceof Failure || others instanceof Failure) return OUT_OF_STEPS
  if (keys.length !== others.length) return false
  for (const key of keys) {
    const other = entryOf(b, key)
    if (other === undefined) return false
    const same = areEqual(entryOf(a, key) as Value, other, meter)
    if (same !== true) return same
  }
  return true
}
