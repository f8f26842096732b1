import { compileRules, DEFAULT_ENTITIES, ENTITIES, type Entity, type Rules } from '../src/index.ts'

const rulesFor = (entities: readonly Entity[]): Rules =>
  compileRules({ entities: Object.fromEntries(entities.map(entity => [entity, {}])) })

export const defaultRules = rulesFor(DEFAULT_ENTITIES)
export const allRules = rulesFor(ENTITIES)
