import { describeAllowed } from '../../../core/allowed-values.ts'
import { isObject } from '../../../core/json/object.ts'
import type { Check, CheckRun, SchemaIssue } from './check-run.ts'

/** A branch of `anyOf` or `oneOf` with the properties that it describes. */
export type Branch = { check: Check; fields: string[] }

const MAX_FIELDS = 20
const MAX_EXPLAINED = 16
/** Up to this many forms are listed; of more, only the closest one. */
const MAX_LISTED = 4

/** The required properties first. */
export const fieldsOf = (schema: unknown): string[] => {
  if (!isObject(schema)) return []
  const required = Array.isArray(schema.required) ? (schema.required as string[]) : []
  const known = isObject(schema.properties) ? Object.keys(schema.properties) : []
  return [...new Set([...required, ...known])].slice(0, MAX_FIELDS)
}

type Tried = Branch & { issues: SchemaIssue[]; score: number }

/** Reports why a value matches no branch: the possible values, or the forms and the issues of the closest one. */
export const explainUnion = (branches: Branch[], value: unknown, run: CheckRun): false => {
  if (!run.reports) return false
  run.startExplaining()
  const tried = branches.slice(0, MAX_EXPLAINED).flatMap((branch): Tried[] => {
    const issues = run.collect(branch.check, value)
    return issues && issues.length > 0 ? [{ ...branch, issues, score: scoreOf(issues, run.path.length) }] : []
  })
  const best = Math.min(...tried.map(({ score }) => score))
  const [closest, ...others] = tried.filter(({ score }) => score === best)
  if (!closest) return run.fail(`matches none of its ${branches.length} forms`)
  if (best >= WRONG_KIND) return failWithValues(tried, run)
  const { fields } = closest
  run.fail(describeForms(branches, closest), () => (fields.length > 0 ? { fields } : {}))
  const isCertain = others.length === 0 || branches.length > MAX_LISTED
  if (isCertain) for (const issue of closest.issues) run.add(issue)
  return false
}

const WRONG_KIND = 100
const WRONG_DISCRIMINATOR = 5

/** How far a value is from a branch. A wrong constant of a property means that another branch is intended. */
const scoreOf = (issues: SchemaIssue[], depth: number): number =>
  issues.reduce((score, { path, name, allowed }) => {
    if (path.length === depth && name === undefined) return score + WRONG_KIND
    return score + (allowed && path.length === depth + 1 ? WRONG_DISCRIMINATOR : 1)
  }, 0)

const failWithValues = (tried: Tried[], run: CheckRun): false => {
  const first = tried.flatMap(({ issues }) => issues.slice(0, 1))
  const allowed = first.flatMap(issue => issue.allowed ?? [])
  if (first.every(issue => issue.allowed)) {
    const { message, listed } = describeAllowed(allowed)
    return run.fail(message, () => ({ allowed: listed }))
  }
  const messages = [...new Set(first.map(({ message }) => message))].slice(0, MAX_LISTED)
  return run.fail(messages.join(', or '), () => (allowed.length > 0 ? { allowed } : {}))
}

const describeForms = (branches: Branch[], { fields }: Branch): string => {
  const none = `matches none of its ${branches.length} forms`
  const list = (names: string[]): string => `(${names.map(name => name.slice(0, 64)).join(', ')})`
  if (fields.length === 0) return none
  return branches.length <= MAX_LISTED && branches.every(branch => branch.fields.length > 0)
    ? `${none}, which have the fields ${branches.map(branch => list(branch.fields)).join(' or ')}`
    : `${none}; the closest one has the fields ${list(fields)}`
}
