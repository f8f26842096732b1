import { isUtf8 } from 'node:buffer'
import type { Gate } from '../../rules/gate.ts'
import type { Annotations, ContentBlock } from '../../upstream/mcp-tool-result.ts'
import type { ProviderSuccess, WholeResponse } from '../../upstream/provider-response.ts'
import { quotePlaceholders } from './quote-placeholders.ts'

type Members = Record<string, unknown>

/** Applies the security rules to the response of a request by code. A body in base64 is inspected as it is, so no rule finds text in a file. */
export const inspectResponse = async (gate: Gate, response: WholeResponse): Promise<WholeResponse> => {
  const { headers, body, ...own } = response
  const [passedHeaders, passedBody] = (await gate.passAny('outbound', [headers, body])) as [
    WholeResponse['headers'],
    unknown,
  ]
  return { ...own, headers: passedHeaders, body: passedBody }
}

/**
 * Applies the security rules to a provider's answer. All text is inspected; images and audio are not. The result keeps the shape of
 * the protocol.
 */
export const inspectResult = async (gate: Gate, answer: ProviderSuccess): Promise<ProviderSuccess> => {
  if (answer.kind === 'value') return { kind: 'value', value: await gate.passAny('outbound', answer.value) }
  const { content, structuredContent, ...rest } = answer.result
  const read = content.map(readable)
  const [passed, structure] = (await gate.passAny('outbound', [read, structuredContent])) as [
    Members[],
    Members?,
  ]
  return {
    kind: 'blocks',
    result: {
      ...rest,
      content: content.map((block, at) => restore(block, read[at] as Members, passed[at] as Members)),
      ...(structure && { structuredContent: structure }),
    },
  }
}

/** The text of a block. */
const readable = (block: ContentBlock): Members => {
  switch (block.type) {
    case 'image':
    case 'audio': {
      const { type: _, data: _data, ...words } = block
      return words
    }
    case 'resource': {
      const { type: _, resource, ...words } = block
      if (!('blob' in resource)) return { ...words, resource }
      const { blob, ...known } = resource
      const text = textOfBlob(blob)
      return { ...words, resource: text === null ? known : { ...known, text } }
    }
    case 'text':
    case 'resource_link': {
      const { type: _, ...words } = block
      return words
    }
  }
}

/** An embedded file with a text type is inspected like other text. */
const textOfBlob = (blob: string): string | null => {
  const bytes = Buffer.from(blob, 'base64')
  return isUtf8(bytes) && !bytes.includes(0) ? bytes.toString('utf8') : null
}

/** A block without a match is returned as the same object. */
const restore = (block: ContentBlock, read: Members, passed: Members): ContentBlock => {
  if (passed === read) return block
  const members: Members = { ...underOwnKeys(read, passed), type: block.type }
  const redacted = { ...block, ...members, ...annotationsOf(block, members) }
  switch (block.type) {
    case 'text':
      return { ...redacted, text: quotePlaceholders(block.text, String(members.text)) } as ContentBlock
    case 'image':
    case 'audio':
      return { ...redacted, data: block.data } as ContentBlock
    case 'resource':
      return { ...redacted, resource: restoreResource(block.resource, read, members) } as ContentBlock
    case 'resource_link': {
      const { size, ...others } = redacted as Members
      return { ...others, ...(typeof size === 'number' && { size }) } as ContentBlock
    }
  }
}

type Resource = Extract<ContentBlock, { type: 'resource' }>['resource']

const restoreResource = (resource: Resource, read: Members, members: Members): Members => {
  const before = read.resource as Members
  const { text, ...known } = underOwnKeys(before, members.resource as Members)
  if ('text' in resource) return { ...known, text: quotePlaceholders(resource.text, String(text)) }
  const blob = text === before.text ? resource.blob : Buffer.from(String(text)).toString('base64')
  return { ...known, blob }
}

/** Keeps the protocol's own keys, even if a rule's pattern matches one. Redaction preserves the order of keys. */
const underOwnKeys = (read: Members, passed: Members): Members => {
  const values = Object.values(passed)
  return Object.fromEntries(Object.keys(read).map((key, at) => [key, values[at]]))
}

/** A redacted timestamp or priority is no longer valid and is left out. */
const annotationsOf = (block: ContentBlock, members: Members): { annotations?: Annotations } => {
  if (!block.annotations) return {}
  const given = block.annotations as Members
  const passed = underOwnKeys(given, members.annotations as Members)
  return {
    annotations: Object.fromEntries(Object.entries(passed).filter(([key, value]) => value === given[key])),
  }
}
