import {
  type EventType,
  eventCatalog,
  eventSchemas,
  eventTypes,
  exampleEvent,
} from '../packages/contract/src/events.ts'

type Schema = {
  type?: string
  format?: string
  const?: unknown
  description?: string
  enum?: string[]
  anyOf?: Schema[]
  items?: Schema
  properties?: Record<string, Schema>
  required?: string[]
}

const NOTE = '<!-- Written by npm run docs:events from packages/contract/src/events.ts. -->'

/** The pages of docs/reference/events, by file name. */
export const makeEventPages = (): Map<string, string> =>
  new Map([['index.md', indexPage()], ...eventTypes.map(type => [`${type}.md`, eventPage(type)] as const)])

const indexPage = (): string =>
  [
    NOTE,
    '# Event types',
    'Every event is delivered by [webhooks, the stream and the list](../../guides/webhooks.md) in the same form. New types and fields may be added: a receiver ignores those that it does not know.',
    ['| Type | What happened |', '|---|---|', ...eventTypes.map(indexRow)].join('\n'),
    '## Fields of all events',
    fieldTable(eventSchemas[eventTypes[0] as EventType] as Schema, envelopeMeanings),
  ].join('\n\n') + '\n'

const indexRow = (type: EventType): string => `| [\`${type}\`](${type}.md) | ${eventCatalog[type].summary} |`

/** The fields whose schema differs by type. */
const envelopeMeanings: Record<string, { type: string; meaning: string }> = {
  type: { type: 'string', meaning: 'One of the types above.' },
  data: { type: 'object', meaning: 'The details. Its fields are on the page of the type.' },
}

const eventPage = (type: EventType): string => {
  const { summary, sent, use, data } = eventCatalog[type]
  const hasFields = Object.keys(data.properties).length > 0
  return (
    [
      NOTE,
      `# \`${type}\``,
      summary,
      sent,
      `**Typical use:** ${use}`,
      '## Fields of `data`',
      hasFields ? fieldTable(data as Schema) : '`data` is empty.',
      'The other fields are [the same for all events](index.md#fields-of-all-events).',
      '## Example',
      `\`\`\`json\n${JSON.stringify(exampleEvent(type), null, 2)}\n\`\`\``,
    ].join('\n\n') + '\n'
  )
}

const fieldTable = (
  { properties = {}, required = [] }: Schema,
  given: Record<string, { type: string; meaning: string }> = {},
): string => {
  const rows = Object.entries(properties).map(([name, schema]) => {
    const { type, meaning } = given[name] ?? {
      type: typeOf(schema) + (required.includes(name) ? '' : ', optional'),
      meaning: meaningOf(name, schema),
    }
    return `| \`${name}\` | ${type} | ${meaning} |`
  })
  return ['| Field | Type | Meaning |', '|---|---|---|', ...rows].join('\n')
}

/** A value that may be null has its description in the other alternative. */
const meaningOf = (name: string, schema: Schema): string => {
  const description = schema.description ?? schema.anyOf?.find(one => one.description)?.description
  if (!description) throw new Error(`The field ${name} has no description.`)
  return description
}

const FORMATS: Record<string, string> = { uuid: 'UUID', 'date-time': 'time (ISO 8601)' }

const typeOf = (schema: Schema): string => {
  if (schema.anyOf) return schema.anyOf.map(typeOf).join(' or ')
  if (schema.enum) return schema.enum.map(value => `\`${value}\``).join(', ')
  if (schema.type === 'array') return `array of ${typeOf(schema.items ?? {})}s`
  return FORMATS[schema.format ?? ''] ?? schema.type ?? 'any'
}
