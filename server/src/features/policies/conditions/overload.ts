import { Failure, type Kind, type Meter, type Result } from './values.ts'

export type ParameterKind = Kind | 'any'

/** A function for arguments of these kinds. */
export type Overload = {
  takes: readonly ParameterKind[]
  gives: ParameterKind
  run: Run
  /** Prepares the function for its last argument, which must be a literal. Throws if the literal is invalid. */
  prepare?: (literal: string) => Run
}
export type Run = (meter: Meter, ...args: never[]) => Result

export const overload = (takes: readonly ParameterKind[], gives: ParameterKind, run: Run): Overload => ({
  takes,
  gives,
  run,
})

/** A value of unknown kind is accepted for every parameter. */
export const findOverload = (
  overloads: readonly Overload[],
  kinds: readonly ParameterKind[],
): Overload | undefined =>
  overloads.find(
    ({ takes }) =>
      takes.length === kinds.length &&
      takes.every((taken, at) => taken === 'any' || taken === kinds[at] || kinds[at] === 'any'),
  )

export const MIN_INT = -(2n ** 63n)
export const MAX_INT = 2n ** 63n - 1n
/** Integers of CEL have 64 bits. */
export const int = (value: bigint): Result =>
  value >= MIN_INT && value <= MAX_INT ? value : new Failure('An integer is too large.')
