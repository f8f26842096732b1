import { type Part, partsOf } from './document.ts'
import type { Security } from './security.ts'

/** `guess`: the choice made where the document allows alternatives that a connector file cannot express. */
export type OperationScopes = { scopes: (string | string[])[]; guess?: string }

/**
 * The OAuth scopes that an operation needs, or null if no imported credential can call it. Documents list
 * alternatives in any order, so OAuth is used wherever it is listed.
 */
export const scopesOf = (operation: Part, document: Part, security: Security): OperationScopes | null => {
  const given = Array.isArray(operation.security) ? operation.security : document.security
  const alternatives = (Array.isArray(given) ? given : []).map(partsOf)
  if (alternatives.length === 0 || alternatives.some(needed => needed.length === 0)) return { scopes: [] }
  const { oauth, key } = security
  const usable = alternatives.filter(needed =>
    needed.every(([name]) => name === oauth?.scheme || name === key?.scheme),
  )
  const byOAuth = usable.flatMap(needed => {
    const scopes = needed.find(([name]) => name === oauth?.scheme)?.[1]
    return scopes === undefined ? [] : [namesIn(scopes)]
  })
  if (byOAuth.length > 0) return combine(byOAuth)
  if (usable.length === 0 && key?.scheme !== null) return null
  return oauth
    ? {
        scopes: [],
        guess: 'the document does not allow OAuth here; the tool is offered with it nevertheless',
      }
    : { scopes: [] }
}

const namesIn = (scopes: unknown): string[] =>
  Array.isArray(scopes) ? scopes.filter(scope => typeof scope === 'string' && scope !== '') : []

const combine = (alternatives: string[][]): OperationScopes => {
  const [first = []] = alternatives
  const distinct = new Set(alternatives.map(scopes => scopes.toSorted().join(' ')))
  if (distinct.size === 1) return { scopes: first }
  if (alternatives.every(scopes => scopes.length === 1))
    return { scopes: [[...new Set(alternatives.flat())]] }
  return {
    scopes: first,
    guess: `of ${distinct.size} alternative sets of scopes the first is used: ${first.join(', ') || 'none'}`,
  }
}
