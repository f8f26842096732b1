import { withDescriptions } from '@carabiner/contract/property-descriptions'
import { namedSchemas } from '@carabiner/contract/schema-names'

type JsonObject = Record<string, unknown>

/** Replaces every named schema by a reference, and collects the referenced schemas. */
export const createComponents = () => {
  const names = namedSchemas()
  const schemas = new Map<string, JsonObject>()

  const refer = (value: unknown): unknown => {
    if (Array.isArray(value)) return value.map(refer)
    if (value === null || typeof value !== 'object') return value
    const name = names.get(JSON.stringify(value))
    if (name === undefined) return referInside(value as JsonObject)
    if (!schemas.has(name)) {
      // Reserved before its parts are visited, to keep the order of first use.
      schemas.set(name, {})
      schemas.set(name, withDescriptions(name, referInside(value as JsonObject)))
    }
    return { $ref: `#/components/schemas/${name}` }
  }
  const referInside = (value: JsonObject): JsonObject =>
    Object.fromEntries(Object.entries(value).map(([key, inner]) => [key, refer(inner)]))

  return {
    /** Schemas have symbols and getters; the document must be plain JSON. */
    describe: (schema: unknown): JsonObject => refer(JSON.parse(JSON.stringify(schema))) as JsonObject,
    schemas: (): JsonObject =>
      Object.fromEntries([...schemas].toSorted(([a], [b]) => (a < b ? -1 : a > b ? 1 : 0))),
  }
}

export type Components = ReturnType<typeof createComponents>
