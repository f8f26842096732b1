import {
  compileRules,
  DEFAULT_ENTITIES,
  type Entity,
  type RuleSettings,
  redactValue,
  scanValue,
} from '@carabiner/detection'

export type RedactionOptions = {
  /** What is redacted. Default: all entities of `DEFAULT_ENTITIES`, among them API keys and tokens. */
  rules?: RuleSettings | undefined
  /** Other values that must not be stored, such as an account number. */
  secrets?: readonly string[] | undefined
}

export type Redact = <Value>(value: Value) => Value

const PLACEHOLDER = '[REDACTED:SECRET]'
/** A shorter value would also replace ordinary text. */
const MIN_SECRET_LENGTH = 6

/** The same value is always redacted in the same way, so a replayed request is compared after its redaction. */
export const createRedact = ({ rules, secrets = [] }: RedactionOptions): Redact => {
  const compiled = compileRules(rules ?? { entities: allDefaults() })
  const texts = secrets.filter(({ length }) => length >= MIN_SECRET_LENGTH)
  return <Value>(value: Value): Value => {
    // The rules come first, because a replay applies them as well, but has no keys to compare with.
    const redacted = redactValue(value, scanValue(value, compiled))
    return replaceSecrets(redacted, texts) as Value
  }
}

const allDefaults = (): RuleSettings['entities'] =>
  Object.fromEntries(DEFAULT_ENTITIES.map((entity: Entity) => [entity, {}]))

const replaceSecrets = (value: unknown, secrets: readonly string[]): unknown => {
  if (typeof value === 'string')
    return secrets.reduce((text, secret) => text.replaceAll(secret, PLACEHOLDER), value)
  if (Array.isArray(value)) return value.map(item => replaceSecrets(item, secrets))
  if (value === null || typeof value !== 'object') return value
  return Object.fromEntries(
    Object.entries(value).map(([name, field]) => [
      replaceSecrets(name, secrets),
      replaceSecrets(field, secrets),
    ]),
  )
}
