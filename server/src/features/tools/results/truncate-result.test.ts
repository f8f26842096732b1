import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { ContentBlock } from '../../upstream/mcp-tool-result.ts'
import { encodedLength, textWithin } from './encoded-text.ts'
import { successResult, type ToolResult } from './tool-result.ts'
import { truncateResult as fit } from './truncate-result.ts'

const text = (value: string): ContentBlock => ({ type: 'text', text: value })
const result = (content: ContentBlock[], rest: Partial<ToolResult> = {}): ToolResult => ({
  content,
  isError: false,
  ...rest,
})
const noticeOf = ({ content }: ToolResult): string => {
  const last = content.at(-1)
  return last?.type === 'text' ? last.text : ''
}
const LIMIT = 2000
const sizeOf = (whole: ToolResult): number => Buffer.byteLength(JSON.stringify(whole))
const truncateResult = (whole: ToolResult, limit: number, handle: string | null): ToolResult =>
  fit(whole, { size: sizeOf(whole), limit, handle })

test('truncateResult: a result at the limit is returned unchanged', () => {
  const small = successResult({ a: 1 })
  assert.equal(truncateResult(small, sizeOf(small), null), small)
  assert.notEqual(truncateResult(result([text('x'.repeat(LIMIT))]), LIMIT, null).content.length, 1)
})

test('truncateResult: text is truncated between characters, with a notice of the missing part', () => {
  const fitted = truncateResult(result([text('é😀"\n'.repeat(1000))]), LIMIT, null)
  const [cut] = fitted.content
  assert.ok(cut?.type === 'text' && cut.text.length > 200)
  assert.ok(cut.text.isWellFormed())
  assert.match(
    noticeOf(fitted),
    /^\[This result was truncated: it has [\d,]+ bytes, and the limit is 2,000\. Left out: [\d,]+ of 5,000 characters of text\. To get a smaller result/,
  )
})

test('truncateResult: structured content above the limit is dropped, and the text is kept', () => {
  const value = { items: Array.from({ length: 60 }, (_, id) => ({ id, name: `item ${id}` })) }
  const whole = successResult(value)
  const fitted = truncateResult(whole, sizeOf(whole) - 1, null)
  assert.ok(!('structuredContent' in fitted))
  assert.deepEqual(fitted.content[0], whole.content[0], 'then the whole text fits')
  assert.match(noticeOf(fitted), /Left out: the structured content\./)
})

test('truncateResult: images, audio and files above the limit become a notice with type and size', () => {
  const data = 'A'.repeat(4000)
  const fitted = truncateResult(
    result([
      { type: 'image', data, mimeType: 'image/png' },
      { type: 'audio', data, mimeType: 'audio/wav' },
      { type: 'resource', resource: { uri: 'a:b', blob: data, mimeType: 'application/pdf' } },
      text('still included'),
    ]),
    LIMIT,
    null,
  )
  assert.deepEqual(fitted.content[0], text('still included'))
  assert.match(
    noticeOf(fitted),
    /image \(image\/png, 3,000 bytes\); audio \(audio\/wav, 3,000 bytes\); a file \(application\/pdf, 3,000 bytes\)/,
  )
})

test('truncateResult: nothing follows a truncated text', () => {
  const { content } = truncateResult(result([text('a'.repeat(5000)), text('the end')]), LIMIT, null)
  assert.equal(content.length, 2)
  assert.ok(!JSON.stringify(content).includes('the end'))
})

test('truncateResult: an error stays an error, and the handle is named if there is one', () => {
  const fitted = truncateResult(result([text('a'.repeat(5000))], { isError: true }), LIMIT, 'h-1')
  assert.equal(fitted.isError, true)
  assert.match(noticeOf(fitted), /fetch_result \{"handle":"h-1"\}/)
})

test('truncateResult: any result ends up within the limit and valid', () => {
  const unusual = ['"', '\\', '\u0000', '\ud800', '\udc00', '😀', 'ü', '漢', '\u2028', 'a']
  let seed = 7
  const next = (below: number) => (seed = (seed * 1103515245 + 12345) % 2147483648) % below
  const word = () => Array.from({ length: next(900) }, () => unusual[next(unusual.length)]).join('')
  for (let round = 0; round < 100; round++) {
    const blocks: ContentBlock[] = Array.from({ length: 1 + next(40) }, (): ContentBlock => {
      switch (next(5)) {
        case 0:
          return { type: 'image', data: 'A'.repeat(next(3000)), mimeType: `image/${word()}` }
        case 1:
          return { type: 'resource', resource: { uri: `a:${word()}`, text: word() } }
        case 2:
          return { type: 'resource_link', uri: word(), name: word() }
        default:
          return text(word())
      }
    })
    const whole = result(blocks, next(2) ? { structuredContent: { a: word() } } : {})
    const limit = 1000 + next(5000)
    const fitted = truncateResult(whole, limit, next(2) ? 'x'.repeat(36) : null)
    assert.ok(sizeOf(fitted) <= limit, `${sizeOf(fitted)} of ${limit}`)
    assert.ok(fitted.content.length > 0)
    if (sizeOf(whole) > limit) assert.match(noticeOf(fitted), /^\[This result was truncated/)
  }
})

test('textWithin: the limit applies to the JSON-encoded length', () => {
  const sample = 'a"\\\n\u0001é漢😀\ud800z'
  for (let bytes = 0; bytes <= encodedLength(sample); bytes++) {
    const cut = textWithin(sample, bytes)
    assert.ok(encodedLength(cut) <= bytes && sample.startsWith(cut))
    const longer = textWithin(sample, bytes + 6)
    assert.ok(longer.length > cut.length || cut === sample, String(bytes))
  }
})
