import type { JsonObject } from '../../../core/json/object.ts'
import type { IsolatedPool } from '../../../platform/isolation/isolated-pool.ts'
import { type SchemaCheck, type SchemaIssues } from './check.ts'
import { prepareArgumentCheck } from './parse-schema.ts'

/** Serialized, because strings are copied to the worker faster than objects. */
type Input = { key: string; schema: string; trusted: boolean; args: string }

export type CheckedSchema = { key: string; schema: JsonObject; trusted: boolean }

/** The worker's CPU limit ends an expensive check. */
const NO_BUDGET = Number.POSITIVE_INFINITY
const MAX_CACHED = 50

/** Checks arguments in a worker. Throws an `IsolatedError` if that exceeds its limits. */
export const checkIsolated = async (
  isolated: IsolatedPool,
  owner: string,
  { key, schema, trusted }: CheckedSchema,
  args: JsonObject,
): Promise<SchemaIssues | null> => {
  const input: Input = { key, schema: JSON.stringify(schema), trusted, args: JSON.stringify(args) }
  return (await isolated.run(owner, 'check-arguments', input)) as SchemaIssues | null
}

const cached = new Map<string, SchemaCheck>()

export const checkArgumentsTask = ({ key, schema, trusted, args }: Input): SchemaIssues | null => {
  const check = cached.get(key) ?? prepareArgumentCheck(JSON.parse(schema) as JsonObject, { trusted })
  if (cached.size >= MAX_CACHED) cached.clear()
  cached.set(key, check)
  const issues = check(JSON.parse(args), NO_BUDGET)
  if (issues === 'too_expensive') throw new RangeError('the value is nested too deeply')
  return issues
}
