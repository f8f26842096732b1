import { exampleBodies, type Operation } from '@carabiner/contract/operations'
import { isPaginated, methodOf, pathArguments, propertiesOf, singular } from './sdk-names.ts'

/** `x-codeSamples`: the extension by which viewers of API documents show programs. */
export type CodeSample = { lang: string; label: string; source: string }

export const codeSamples = (operation: Operation): CodeSample[] =>
  operation.personOnly
    ? []
    : [
        { lang: 'sh', label: 'curl', source: curlCommand(operation) },
        { lang: 'ts', label: 'TypeScript', source: sdkCall(operation) },
      ]

export const exampleBodyOf = ({ name }: Operation): Record<string, unknown> | undefined =>
  (exampleBodies as Record<string, Record<string, unknown>>)[name]

/** The first allowed value of a parameter; readers fill in any other. */
const exampleOf = (schema: unknown, name: string): string =>
  (propertiesOf(schema)[name] as { enum?: string[] }).enum?.[0] ?? '…'

const requiredOf = (schema: unknown): string[] => (schema as { required?: string[] })?.required ?? []

// --- curl ---------------------------------------------------------------------------------------------------------------

const curlCommand = (operation: Operation): string => {
  const { method, query, types } = operation
  const key = operation.productionKeyOnly ? 'CARABINER_PRODUCTION_KEY' : 'CARABINER_API_KEY'
  const body = bodyArguments(operation)
  const search = requiredOf(query).map(name => `${name}=${exampleOf(query, name)}`)
  const address = `"$CARABINER_URL/api/v1${shellPath(operation)}${search.length > 0 ? `?${search.join('&')}` : ''}"`
  const isDefaultMethod = method === 'GET' || (method === 'POST' && body.length > 0)
  const options = [
    types?.[0] === 'text/event-stream' ? '-N' : '-s',
    ...(isDefaultMethod ? [] : ['-X', method]),
  ]
  return [`curl ${options.join(' ')} ${address}`, `-H "Authorization: Bearer $${key}"`, ...body].join(
    ' \\\n  ',
  )
}

/** `/registered-users/$USER_ID/credentials/$CREDENTIAL_ID`. */
const shellPath = (operation: Operation): string =>
  operation.path.replace(/([a-z-]+)\/\{(\w+)\}/g, (_, collection: string, name: string) => {
    const resource = collection === 'registered-users' ? 'user' : singular(collection)
    const variable = name === 'id' ? `${resource}_id` : name
    return `${collection}/$${variable.replaceAll('-', '_').toUpperCase()}`
  })

const bodyArguments = (operation: Operation): string[] => {
  if (operation.name === 'uploadLinkLogo') return ["-H 'Content-Type: image/png'", '--data-binary @logo.png']
  if (!operation.body) return []
  const body = JSON.stringify(exampleBodyOf(operation) ?? {})
  return ["-H 'Content-Type: application/json'", `-d '${body.replaceAll("'", "'\\''")}'`]
}

// --- SDK ----------------------------------------------------------------------------------------------------------------

/** Operations whose methods `createClient` adds by hand. */
const OWN_CALLS: Record<string, string> = {
  streamEvents: 'for await (const event of carabiner.events.stream()) console.log(event.type)',
  uploadLinkLogo: "await carabiner.linkCustomization.putLogo('light', { type: 'image/png', data })",
}

const sdkCall = (operation: Operation): string => {
  const own = OWN_CALLS[operation.name]
  if (own) return own
  const given = [...pathArguments(operation).map(({ argument }) => argument), ...inputArgument(operation)]
  const call = `carabiner.${methodOf(operation)}(${given.join(', ')})`
  const result = resultName(operation)
  if (isPaginated(operation)) return `for await (const ${result} of ${call}) console.log(${result})`
  return '204' in operation.responses ? `await ${call}` : `const ${result} = await ${call}`
}

const inputArgument = (operation: Operation): string[] => {
  const { client, body, query } = operation
  const example = exampleBodyOf(operation)
  if (typeof client !== 'string') return [print(example?.[client.argument] ?? '…')]
  if (example) return Object.keys(propertiesOf(body)).length > 0 ? [print(example)] : []
  const required = requiredOf(query)
  return required.length > 0
    ? [print(Object.fromEntries(required.map(name => [name, exampleOf(query, name)])))]
    : []
}

const RETURNS_RESOURCE =
  /^(?:get|create|update|replace|upsert|add|mint|regenerate|pause|resume|share|put|list)$/

/** The noun of the response: `toolPacks.create` returns a `toolPack`. */
const resultName = (operation: Operation): string => {
  const path = methodOf(operation).split('.')
  const verb = path.at(-1) as string
  if (isPaginated(operation)) return singular(verb === 'list' ? (path.at(-2) as string) : verb)
  const noun = path.at(-2) ?? 'result'
  if (!RETURNS_RESOURCE.test(verb) || noun.startsWith('of')) return 'result'
  const isOne = verb !== 'list' && (operation.method === 'POST' || operation.path.includes('{'))
  return isOne ? singular(noun) : noun
}

const MAX_LITERAL_LENGTH = 48

/** A literal in the style of the documentation. */
const print = (value: unknown, indent = ''): string => {
  if (typeof value === 'string') return `'${value}'`
  if (Array.isArray(value)) return `[${value.map(item => print(item, indent)).join(', ')}]`
  if (value === null || typeof value !== 'object') return String(value)
  const fields = (inner: string) =>
    Object.entries(value).map(([name, field]) => `${name}: ${print(field, inner)}`)
  const line = `{ ${fields(indent).join(', ')} }`
  if (line.length <= MAX_LITERAL_LENGTH) return line
  const inner = `${indent}  `
  return `{\n${inner}${fields(inner).join(`,\n${inner}`)},\n${indent}}`
}
