import { callBounds } from '@carabiner/contract'
import { type Operation, operations } from '@carabiner/contract/operations'
import { withDescriptions } from '@carabiner/contract/property-descriptions'
import { namedSchemas } from '@carabiner/contract/schema-names'
import { withApi } from '../api/api-client.ts'
import type { CliContext } from '../program/cli-context.ts'
import { type Output, UsageError } from '../terminal/output.ts'
import { table } from '../terminal/table.ts'
import { buildRequest, fieldsOf } from './operation-request.ts'

export type CallOptions = { body?: Record<string, unknown>; describe?: boolean }

/** The longest wait for a person, and the time of a provider. */
const LONGEST_CALL_MS = (callBounds.waitSeconds + 60) * 1000

/** Operations that a key can call, with a response that ends. */
const CALLABLE = Object.values<Operation>(operations).filter(
  ({ personOnly, types }) => !personOnly && !types?.includes('text/event-stream'),
)

export const callOperation = async (
  context: CliContext,
  name: string | undefined,
  pairs: readonly string[],
  { body, describe }: CallOptions,
): Promise<Output> => {
  if (name === undefined) return listOperations(context)
  const operation = CALLABLE.find(each => each.name === name)
  if (!operation) throw new UsageError(`There is no operation "${name}".${suggest(name)}`)
  if (describe) return describeOperation(context, operation)
  if (operation.name === 'uploadLinkLogo')
    throw new UsageError('A logo is uploaded in the dashboard or with the SDK.')
  const request = buildRequest(operation, pairs, body)
  return withApi(context, async ({ client }) => {
    const data = await client.apiRequest(
      request.method,
      request.path,
      {
        query: request.query,
        ...(request.body && { body: request.body }),
        once: operation.idempotency === false || operation.idempotency === 'of_call',
        asText: operation.types !== undefined,
      },
      operation.waits ? { timeoutMs: LONGEST_CALL_MS } : {},
    )
    return typeof data === 'string'
      ? { text: data.trimEnd(), data }
      : { text: data === undefined ? 'Done.' : JSON.stringify(data, null, 2), data: data ?? null }
  })
}

const suggest = (name: string): string => {
  const wanted = name.toLowerCase().replaceAll(/[^a-z]/g, '')
  const similar = CALLABLE.filter(each => each.name.toLowerCase().includes(wanted)).map(each => each.name)
  return similar.length > 0
    ? ` Did you mean ${similar.slice(0, 5).join(', ')}?`
    : ' `carabiner api` lists all operations.'
}

const listOperations = ({ screen }: CliContext): Output => ({
  text: table(
    CALLABLE,
    [
      { title: 'OPERATION', value: each => each.name },
      { title: 'REQUEST', value: each => each.route, shrinks: true },
      { title: 'DESCRIPTION', value: each => each.summary, shrinks: true },
    ],
    screen,
  ),
  data: CALLABLE.map(({ name, route, summary }) => ({ name, route, summary })),
})

const describeOperation = ({ screen }: CliContext, operation: Operation): Output => {
  const bodyName = namedSchemas().get(JSON.stringify(operation.body)) ?? operation.name
  const fields = fieldsOf(operation).map(({ name, place, isRequired, schema }) => {
    const described = withDescriptions(place === 'body' ? bodyName : operation.name, {
      properties: { [name]: schema },
    }).properties[name] as { description?: string; anyOf?: { description?: string }[] }
    return {
      name,
      in: place === 'params' ? 'path' : place,
      required: isRequired,
      description:
        described.description ?? described.anyOf?.find(each => each.description)?.description ?? '',
    }
  })
  const { name, route, summary, description } = operation
  const columns = [
    { title: 'FIELD', value: (field: (typeof fields)[number]) => field.name },
    { title: 'IN', value: (field: (typeof fields)[number]) => field.in },
    { title: 'REQUIRED', value: (field: (typeof fields)[number]) => (field.required ? 'yes' : '–') },
    { title: 'DESCRIPTION', value: (field: (typeof fields)[number]) => field.description, shrinks: true },
  ]
  return {
    text: [
      `${summary}.${description ? ` ${description}` : ''}`,
      route,
      ...(fields.length > 0 ? [table(fields, columns, screen)] : []),
    ].join('\n\n'),
    data: { name, route, summary, description: description ?? null, fields },
  }
}
