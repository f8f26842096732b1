import type { IsolatedPool } from '../../../platform/isolation/isolated-pool.ts'
import type { JsonObject } from '../json.ts'
import { type SchemaCheck, type SchemaIssue } from './check.ts'
import { prepareArgumentCheck } from './parse-schema.ts'

/** As texts: they are copied to the worker faster than objects. */
type Input = { key: string; schema: string; trusted: boolean; args: string }

export type CheckedSchema = { key: string; schema: JsonObject; trusted: boolean }

/** The worker's CPU deadline ends an expensive check. */
const NO_BUDGET = Number.POSITIVE_INFINITY
const MAX_KEPT = 50

/** Checks arguments in a worker. Throws an `IsolatedError` where that takes too much. */
export const checkIsolated = async (
  isolated: IsolatedPool,
  owner: string,
  { key, schema, trusted }: CheckedSchema,
  args: JsonObject,
): Promise<SchemaIssue | null> => {
  const input: Input = { key, schema: JSON.stringify(schema), trusted, args: JSON.stringify(args) }
  return (await isolated.run(owner, 'check-arguments', input)) as SchemaIssue | null
}

const kept = new Map<string, SchemaCheck>()

export const checkArgumentsTask = ({ key, schema, trusted, args }: Input): SchemaIssue | null => {
  const check = kept.get(key) ?? prepareArgumentCheck(JSON.parse(schema) as JsonObject, { trusted })
  if (kept.size >= MAX_KEPT) kept.clear()
  kept.set(key, check)
  const issue = check(JSON.parse(args), NO_BUDGET)
  if (issue === 'too_expensive') throw new RangeError('the value is nested too deeply')
  return issue
}
