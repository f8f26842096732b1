import type { Operation } from '@carabiner/contract/operations'

type Schema = { properties?: Record<string, unknown> } | undefined

export const propertiesOf = (schema: unknown): Record<string, unknown> => (schema as Schema)?.properties ?? {}

export const methodOf = ({ client }: Operation): string =>
  typeof client === 'string' ? client : client.method

export const camel = (name: string): string =>
  name.replace(/[-_](\w)/g, (_, letter: string) => letter.toUpperCase())

export const singular = (noun: string): string => noun.replace(/ies$/, 'y').replace(/s$/, '')

/** The parameters of the path in their order, as arguments of the SDK's method: `id` of a nested resource is `registeredUserId`. */
export const pathArguments = ({ path }: Operation): { name: string; argument: string }[] =>
  [...path.matchAll(/(?:\/([a-z-]+))?\/\{(\w+)\}/g)].map(([, collection = '', name = '']) => ({
    name,
    argument: camel(name === 'id' && !path.endsWith('{id}') ? `${singular(collection)}_id` : name),
  }))

export const successOf = ({ responses }: Operation): unknown => Object.values(responses)[0]

/** The SDK fetches the pages of such a list as they are needed. */
export const isPaginated = (operation: Operation): boolean =>
  'cursor' in propertiesOf(operation.query) &&
  Object.keys(propertiesOf(successOf(operation)))
    .toSorted()
    .join() === 'data,next_cursor'
