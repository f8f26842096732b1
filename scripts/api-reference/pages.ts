import { slugify } from '../../docs/.vitepress/site/markdown-rules.ts'
import { type ApiDocument, nameOf, type Operation, operationsOf, type Schema, successOf } from './document.ts'
import {
  describeField,
  escape,
  type FieldOptions,
  listFields,
  MAX_VARIANTS,
  plural,
  typeOf,
} from './field-list.ts'

export const pageNameOf = (tag: string): string => tag.toLowerCase().replaceAll(' ', '-')

/** The Markdown files of the reference by their names: a page for each tag, with its operations and the objects that they return. */
export const makeApiPages = (document: ApiDocument): Map<string, string> => {
  const operations = operationsOf(document)
  const homes = findHomes(document, operations)
  const common = commonErrors(operations)
  const pages = document.tags.map(({ name: tag, description }, index): [string, string] => {
    const pageOptions = { schemas: document.components.schemas, linkTo: linksFrom(tag, homes) }
    const own = operations.filter(({ tags }) => tags[0] === tag)
    const objects = [...homes].filter(([, home]) => home === tag).map(([name]) => name)
    const sections = [
      `---\norder: ${index + 1}\n---`,
      `# ${tag}`,
      description,
      ...own.map(operation => describeOperation(operation, pageOptions, common)),
      ...(objects.length > 0
        ? ['## Objects', ...objects.map(name => describeObject(name, pageOptions))]
        : []),
    ]
    return [`${pageNameOf(tag)}.md`, `${sections.join('\n\n')}\n`]
  })
  return new Map(pages)
}

/** A table of all operations, for the first page. */
export const listOperations = (document: ApiDocument): string => {
  const operations = operationsOf(document)
  const rows = document.tags.map(({ name: tag }) => {
    const links = operations
      .filter(({ tags }) => tags[0] === tag)
      .map(({ summary }) => `[${summary}](${pageNameOf(tag)}.md#${slugify(summary)})`)
    return `| [${tag}](${pageNameOf(tag)}.md) | ${links.join(', ')} |`
  })
  return ['| Section | Requests |', '|---|---|', ...rows].join('\n')
}

type PageOptions = Omit<FieldOptions, 'isRequest'>

const linksFrom =
  (tag: string, homes: Map<string, string>): FieldOptions['linkTo'] =>
  name => {
    const home = homes.get(name)
    if (home === undefined) return undefined
    return `${home === tag ? '' : `${pageNameOf(home)}.md`}#${slugify(name)}`
  }

// --- operations ---------------------------------------------------------------------------------------------------------

const describeOperation = (operation: Operation, page: PageOptions, common: Set<string>): string => {
  const { summary, description, method, path } = operation
  const request = { ...page, isRequest: true }
  const errors = errorsOf(operation).filter(code => !common.has(code))
  const key = keyOf(operation)
  const parts = [
    `## ${summary}`,
    `<p class="endpoint"><span>${method}</span> <code v-pre>${path}</code></p>`,
    ...(description === `${summary}.` ? [] : [escape(description)]),
    ...(key ? [key] : []),
    ...describeInputs(operation, request),
    `**Returns** ${returnsOf(operation, page)}`,
    ...(errors.length > 0
      ? [`**Errors** ${errors.map(code => `[\`${code}\`](../errors.md#${code})`).join(', ')}`]
      : []),
    showSamples(operation),
  ]
  return parts.join('\n\n')
}

const keyOf = (operation: Operation): string | null => {
  const codes = errorsOf(operation)
  if (codes.includes('person_required'))
    return 'Only for members who are signed in to the dashboard; no API key is accepted.'
  return codes.includes('production_key_required') ? 'Requires the production key.' : null
}

const errorsOf = ({ responses }: Operation): string[] =>
  Object.values(responses).flatMap(({ description }) =>
    [...description.matchAll(/^`([a-z_]+)`:/gm)].map(([, code = '']) => code),
  )

/** Errors of many operations, which the first page explains: those of keys, of idempotency, and those of more than a quarter of all operations. */
const commonErrors = (operations: Operation[]): Set<string> => {
  const counts = Map.groupBy(operations.flatMap(errorsOf), code => code)
  const isCommon = (code: string, uses: number): boolean =>
    uses > operations.length / 4 || /idempotency|^production_key_required$|^person_required$/.test(code)
  return new Set([...counts].filter(([code, uses]) => isCommon(code, uses.length)).map(([code]) => code))
}

const PLACES = [
  ['path', 'Path'],
  ['query', 'Query'],
] as const

const describeInputs = (operation: Operation, options: FieldOptions): string[] => {
  const lists = PLACES.map(([place, title]) => {
    const fields = operation.parameters
      .filter(parameter => parameter.in === place)
      .map(({ name, required, description, schema }) =>
        describeField(name, description ? { ...schema, description } : schema, required, options),
      )
    return fieldSection(title, fields.join('\n\n'))
  })
  const schema = operation.requestBody?.content['application/json']?.schema
  const body = schema ? listFields(resolve(schema, options), options) : ''
  return [...lists, fieldSection('Body', body)].filter(section => section !== '')
}

const fieldSection = (title: string, fields: string): string =>
  fields === '' ? '' : `**${title}**\n\n<div class="fields">\n\n${fields}\n\n</div>`

const resolve = (schema: Schema, { schemas }: PageOptions): Schema => schemas[nameOf(schema) ?? ''] ?? schema

const returnsOf = (operation: Operation, page: PageOptions): string => {
  const { content } = successOf(operation)
  if (!content) return 'nothing (204).'
  const { 'application/json': json } = content
  if (!json) return `a response of the type ${Object.keys(content).join(' or ')}.`
  const { schema } = json
  const item = itemOfList(schema, page)
  if (!item) return `${typeOf(schema, { ...page, isRequest: false })}.`
  const isPage = 'next_cursor' in (resolve(schema, page).properties ?? {})
  return `${isPage ? 'a page of' : 'a list of'} ${plural(typeOf(item, { ...page, isRequest: false }))}, in \`data\`.`
}

/** A schema that is only the envelope of a list has no section of its own. */
const itemOfList = (schema: Schema, page: PageOptions): Schema | undefined => {
  const { properties = {} } = resolve(schema, page)
  const isList = Object.keys(properties).every(name => name === 'data' || name === 'next_cursor')
  return isList ? properties['data']?.items : undefined
}

const showSamples = ({ 'x-codeSamples': samples }: Operation): string => {
  if (samples.length === 0) return ''
  const blocks = samples.map(({ lang, label, source }) => `\`\`\`${lang} [${label}]\n${source}\n\`\`\``)
  return `::: code-group\n\n${blocks.join('\n\n')}\n\n:::`
}

// --- objects ------------------------------------------------------------------------------------------------------------

const describeObject = (name: string, page: PageOptions): string => {
  const schema = page.schemas[name] ?? {}
  const options = { ...page, isRequest: false }
  const about = schema.description ? [escape(schema.description)] : []
  const fields = schema.properties
    ? `<div class="fields">\n\n${listFields(schema, options)}\n\n</div>`
    : typeOf(schema, options)
  return [`### ${name}`, ...about, fields].join('\n\n')
}

/** The tag whose page describes a schema: the first one with an operation that returns it, directly or in another object. */
const findHomes = (
  { components: { schemas } }: ApiDocument,
  operations: Operation[],
): Map<string, string> => {
  const homes = new Map<string, string>()
  const visit = (value: unknown, tag: string): void => {
    if (value === null || typeof value !== 'object') return
    const { anyOf = [] } = value as Schema
    if (anyOf.length > MAX_VARIANTS) return
    const name = nameOf(value)
    if (name === undefined) for (const inner of Object.values(value)) visit(inner, tag)
    else if (!homes.has(name)) {
      const schema = schemas[name] ?? {}
      const isEnvelope = itemOfList(schema, { schemas, linkTo: () => undefined }) !== undefined
      if (!isEnvelope) homes.set(name, tag)
      visit(schema, tag)
    }
  }
  for (const operation of operations) visit(successOf(operation).content, operation.tags[0] as string)
  return homes
}
